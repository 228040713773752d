"""What a plan needs to be exact: asked of apt and the archives as the user, before any root."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from wizard.apt.debs import SUFFIX, Remedies, made_good, remedies
from wizard.apt.dependencies import Unmet, unmet
from wizard.apt.packages import LocalDeb, installed_rows
from wizard.apt.programs import explained
from wizard.apt.repository import fetch_key, find_suite
from wizard.apt.sources import APT
from wizard.apt.view import AptView, Asking, Transaction, make_view, transaction
from wizard.core.fact import known
from wizard.core.trouble import Trouble
from wizard.knowledge.stacks import Release, load_catalogue, repository_at
from wizard.machine.facts import Machine
from wizard.operations.packages import UNRESOLVED, AptChange
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.amd_packages import DISTRIBUTION, DRIVERS
from wizard.plan.choice import Choice
from wizard.plan.leftover_files import files_now
from wizard.plan.rollback_packages import find_rollback_files, no_rollback
from wizard.plan.steps import Step
from wizard.plan.system import Offer, Prepared, asked_for, release_named, suites_to_ask, system_part


async def prepare(machine: Machine, choice: Choice, release: str, asking: Asking) -> Prepared:
    """Exactly what installing a release would do here.

    Raises Trouble, or PlanImpossible for what cannot be.
    """
    catalogue = load_catalogue()
    entry = release_named(catalogue, release)
    repository = repository_at(catalogue, choice.rocm_repo, choice.rocm_key_fingerprint)
    files = files_now(asking.host, machine)

    # What goes first must be there again for a rollback, unless the user does without one.
    steps = system_part(machine, choice, release, Prepared(files)).steps
    kept = await find_rollback_files(steps, asking)
    if kept.lost and not choice.without_rollback:
        raise no_rollback(kept)

    suites = suites_to_ask(catalogue, entry, machine.system.glibc)
    suite = await find_suite(asking.web, repository, entry, suites)
    key = await fetch_key(asking.web, repository, asking.now)
    offer = Offer(suite, key)

    # apt after everything but the installation itself.
    steps = system_part(machine, choice, release, Prepared(files, offer)).steps
    view = view_after(steps, asking)
    await view.update()
    names, twins = asked_for(machine, choice, entry)
    debs, found = await _resolved(machine, entry, names, view, asking)
    _refuse_surprises(found, choice)

    # What was packed again is as large as it was before.
    own = {deb.name for deb in debs}
    wanted = {(name, version.removesuffix(SUFFIX)) for name, version in found.brings}
    records = await view.records(*sorted(map("=".join, wanted))) if wanted else ()
    sizes = {(one.name, one.version): one for one in records}
    coming = [one for pair, one in sizes.items() if pair in wanted]
    versions = dict(found.brings)
    offer = replace(
        offer,
        install=tuple((n, versions[n]) for n in names if n in versions and n not in own),
        debs=debs,
        brings=found.brings,
        download_bytes=sum(one.download_bytes for one in coming if one.name not in own),
        installed_bytes=sum(one.installed_bytes for one in coming),
        notes=(*twins, *_repair_notes(entry, own)),
    )
    return Prepared(files, offer, kept.lost)


def view_after(steps: Iterable[Step], asking: Asking) -> AptView:
    """apt as these steps leave the system."""
    changed: dict[str, str | None] = {}
    gone: set[str] = set()
    for step in steps:
        if isinstance(step, WriteSystemFile):
            changed[step.path] = step.content
        elif isinstance(step, SetSystemPathAside) and step.path.startswith(f"{APT}/"):
            changed[step.path] = None
        elif isinstance(step, AptChange):
            gone.update(step.expect_remove)
    return make_view(asking.folder, asking.programs, changed, gone, asking.root)


async def _resolved(
    machine: Machine, entry: Release, names: tuple[str, ...], view: AptView, asking: Asking
) -> tuple[tuple[LocalDeb, ...], Transaction]:
    """The transaction, with the packages that had to be made good for it; raises Trouble."""
    installed = {row.name for row in known(installed_rows(asking.host), [])}
    need: Remedies = frozenset()
    debs: tuple[LocalDeb, ...] = ()
    while True:
        own = {deb.name for deb in debs}
        asked = tuple((name, UNRESOLVED) for name in names if name not in own)
        answer = await view.simulate(asked, (deb.path for deb in debs))
        if answer.code == 0:
            return debs, transaction(answer.lines)
        missing = unmet(answer.lines)
        more = remedies(missing, entry.repair, installed) if entry.repair else need
        if entry.repair is None or more <= need:
            raise _not_installable(entry, missing) if missing else explained(answer)
        # apt tells only what it stumbles over first: each repair may show what else lacks.
        need |= more
        debs = await made_good(need, entry.repair, machine.apt_sources, view)


def _repair_notes(entry: Release, own: set[str]) -> tuple[str, ...]:
    """What the user should know of packages that had to be made good."""
    repair = entry.repair
    if repair is None or not own:
        return ()
    notes = [
        f"ROCm {entry.version} needs packages that this system no longer has. The following "
        "packages come from outside this system's "
        f"archives: {', '.join(sorted(own))}. They can be installed, "
        "but it is not known whether all of ROCm will then work."
    ]
    if repair.repack in own:
        notes.append(
            f"{repair.repack} is repackaged without its dependency on {repair.contended}, because "
            f"{repair.contender} is installed and would otherwise be removed."
        )
    elif repair.name in own:
        notes.append(
            f"Installing {repair.contender} later may remove this ROCm, because both provide "
            f"{repair.contended}."
        )
    return tuple(notes)


def _refuse_surprises(found: Transaction, choice: Choice) -> None:
    """Raise Trouble for what this program never does, or was not asked to do."""
    if found.unread:
        raise Trouble(
            f"apt printed a line that this program does not know: {found.unread[0]}",
            "This program cannot tell what apt would do. Nothing was changed.",
            "Please report the line that apt printed. In the meantime, you can use --footprint "
            "venv, which needs no system packages.",
        )
    if modules := [one.name for one in found.coming if one.name in DRIVERS]:
        raise Trouble(
            f"apt would install {modules[0]}, which builds a kernel module.",
            "Old modules fail to build on newer kernels, and a failed build blocks apt. Nothing "
            "was changed.",
            "The kernel's own driver is enough. Use the smallest set (--system-set smallest). If "
            f"that set also needs the package, `apt-cache policy {modules[0]}` shows which source "
            "provides it. Disable that source.",
        )
    if found.leaving:
        names = ", ".join(name for name, _ in found.leaving[:8])
        raise Trouble(
            f"To install these packages, apt would remove others: {names}.",
            "Those packages are not part of AMD's ROCm, and you did not ask to remove them. "
            "Nothing was changed.",
            "Remove those packages yourself if you do not need them, or use the smallest set "
            "(--system-set smallest).",
        )
    if changed := [one for one in found.coming if one.old]:
        told = ", ".join(f"{one.name} {one.old} with {one.version}" for one in changed[:5])
        scopes = ",".join((*choice.system_removal, DISTRIBUTION))
        remedy = (
            f"First remove the distribution's ROCm with --system-removal {scopes}."
            if any("radeon" in one.origin for one in changed)
            else "Update the system first: run `sudo apt-get update`, then `sudo apt-get upgrade`."
        )
        raise Trouble(
            f"apt would replace installed packages: {told}.",
            "This program only installs packages that are not installed yet. Nothing was changed.",
            remedy,
        )


def _not_installable(entry: Release, missing: tuple[Unmet, ...]) -> Trouble:
    """Why a set cannot be installed, from the dependencies that nothing meets."""
    nowhere = dict.fromkeys(
        " or ".join(each.name for each in one.missing)
        for one in missing
        if all(each.nowhere for each in one.missing)
    )
    if nowhere:
        return Trouble(
            f"This set of ROCm {entry.version} packages needs other packages that this system "
            f"does not have: {', '.join(nowhere)}.",
            "This set of packages was made for another release of the operating system. apt calls "
            "that 'held broken packages', but no package is held. Nothing was changed.",
            "Use the smallest set (--system-set smallest) or another release. If apt's package "
            "lists are old, run `sudo apt-get "
            "update` first.",
        )
    first = ((one.package, one.missing[0]) for one in missing[:3])
    told = "; ".join(
        f"{package} needs {each.name}{f' ({each.relation})' if each.relation else ''}, but "
        f"{each.why}"
        for package, each in first
    )
    return Trouble(
        f"This set of ROCm {entry.version} packages conflicts with packages already installed: "
        f"{told}.",
        "apt calls that 'held broken packages', but no package is held. Nothing was changed.",
        "Remove the conflicting packages first (--system-removal), or use the smallest set "
        "(--system-set smallest).",
    )
