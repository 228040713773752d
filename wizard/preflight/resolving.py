"""Lets apt say how a set of packages would be installed, and makes good what it lacks."""

from __future__ import annotations

from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.knowledge.stacks import Release
from wizard.machine.facts import Machine
from wizard.machine.package_states import installed_rows
from wizard.operations.packages import AptChange, LocalDeb, Versions
from wizard.preflight.apt_errors import explained
from wizard.preflight.apt_view import AptView
from wizard.preflight.archive_records import package_records
from wizard.preflight.asking import Asking
from wizard.preflight.making import build_stand_in, older_libraries, repacked
from wizard.preflight.programs import Answer
from wizard.preflight.refusal import Refused
from wizard.preflight.repair import Lacking, lacking
from wizard.preflight.simulation import Transaction, transaction
from wizard.preflight.surprises import not_installable
from wizard.preflight.unmet import Unmet, unmet

SIMULATION_S = 180.0


async def resolved(
    machine: Machine, entry: Release, wanted: Versions, view: AptView, asking: Asking
) -> tuple[tuple[LocalDeb, ...], Transaction]:
    """The transaction, with the packages that had to be made good for it; raises Refused."""
    need, debs = Lacking(), tuple[LocalDeb, ...]()
    while True:
        answer = await _simulated(wanted, debs, view, asking)
        if answer.code == 0:
            return debs, transaction(answer.lines)
        missing = unmet(answer.lines)
        more = need | _more(entry, missing, asking.host)
        if more == need:
            raise Refused(not_installable(entry, missing) if missing else explained(answer))
        # apt tells only what it stumbles over first: each repair may show what else lacks.
        need = more
        debs = await _made_good(machine, entry, need, view, asking)


async def _simulated(
    wanted: Versions, debs: tuple[LocalDeb, ...], view: AptView, asking: Asking
) -> Answer:
    own = {deb.name for deb in debs}
    asked = tuple(pair for pair in wanted if pair[0] not in own)
    change = AptChange("", install=asked, debs=debs)
    return await asking.programs.ask(view.simulation(change), SIMULATION_S)


def _more(entry: Release, missing: tuple[Unmet, ...], host: Host) -> Lacking:
    if entry.repair is None:
        return Lacking()
    rows = installed_rows(host)
    names = set() if isinstance(rows, Unknown) else {row.name for row in rows}
    return lacking(missing, entry.repair, entry.repair.contender in names)


async def _made_good(
    machine: Machine, entry: Release, need: Lacking, view: AptView, asking: Asking
) -> tuple[LocalDeb, ...]:
    repair, folder, debs = entry.repair, asking.folder, list[LocalDeb]()
    if repair is None:
        return ()
    if need.older:
        found = older_libraries(folder, repair, need.older, machine.apt_sources, asking.programs)
        debs += await found
    if need.stand_in:
        debs.append(await build_stand_in(folder, repair, need.stand_in, asking.programs))
    if need.repack:
        version = await _version(repair.repack, view, asking)
        debs.append(await repacked(view, folder, repair, version, asking.programs))
    return tuple(debs)


async def _version(name: str, view: AptView, asking: Asking) -> str:
    """The version that apt would take."""
    argv = ("apt-cache", *view.options, "show", "--no-all-versions", name)
    answer = await asking.programs.ask(argv, SIMULATION_S)
    records = package_records(answer.text)
    if answer.code != 0 or not records:
        raise Refused(explained(answer))
    return records[0].version


def repair_notes(entry: Release, debs: tuple[LocalDeb, ...]) -> tuple[str, ...]:
    """What the user should know of packages that had to be made good."""
    repair = entry.repair
    if repair is None or not debs:
        return ()
    names = {deb.name for deb in debs}
    notes = [
        f"ROCm {entry.version} needs packages that this system no longer has. The following "
        "packages come from outside this system's "
        f"archives: {', '.join(sorted(names))}. They can be installed, "
        "but it is not known whether all of ROCm will then work."
    ]
    if repair.repack in names:
        notes.append(
            f"{repair.repack} is repackaged without its dependency on {repair.contended}, because "
            f"{repair.contender} is installed and would otherwise be removed."
        )
    elif repair.name in names:
        notes.append(
            f"Installing {repair.contender} later may remove this ROCm, because both provide "
            f"{repair.contended}."
        )
    return tuple(notes)
