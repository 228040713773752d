"""What undoing a run does to the system: a plan of its own, made from what is there now."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wizard.apt.dependencies import dependents
from wizard.apt.indexes import qualified
from wizard.apt.packages import INSTALLED, LocalDeb, Versions, installed_rows, package_work
from wizard.apt.sources import paragraphs
from wizard.apt.view import STATUS, status_of
from wizard.core.fact import Unknown, known
from wizard.core.journal import UNFINISHED, Kind, Record
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble
from wizard.host.accounts import Account, groups_of
from wizard.host.host import Host
from wizard.operations.groups import TakeFromGroups
from wizard.operations.packages import AptChange, RestoreSettings
from wizard.operations.root_step import NOTHING_DONE
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.form import KINDS, operation_of, plan_of
from wizard.plan.impossible import NothingToDo
from wizard.plan.rollback import lost, make_rollback, other_versions
from wizard.plan.start_check import APT_STEPS
from wizard.plan.steps import Plan, Step
from wizard.root.session import EVENTS, STATE, Event, EventLines, undo_script
from wizard.run.runs import rollback_begun


def system_rollback(record: Record, host: Host, places: Places, state: Path = STATE) -> Plan | None:
    """Takes back what the run did to the system; None where nothing there is to be taken back.

    One that was cut off is gone on with. Raises Trouble where it cannot be told, or where
    something else needs what would go.
    """
    if not touched_system(record):
        return None
    if begun_back := rollback_begun(record, places, state):
        return plan_of(begun_back.plan) if begun_back.state == UNFINISHED else None
    plan, begun = _begun(record, state)
    rows = installed_rows(host) if any(isinstance(s, APT_STEPS) for s in plan.steps) else []
    if isinstance(rows, Unknown):
        raise Trouble(
            f"The list of installed packages cannot be read: {rows.because}.",
            "Without this list, nothing can be undone safely. Nothing was changed.",
            "Make sure that `dpkg-query --show` works. Or run as root: sh "
            f"{undo_script(record.id, state)}",
        )
    work = package_work(host, rows)
    installed = {row.name: row.version for row in rows}
    half = {row.name for row in rows if row.state != INSTALLED}
    kept = kept_debs(state / "runs" / record.id)
    try:
        way = make_rollback(
            plan,
            begun,
            kept,
            installed,
            run=record.id,
            noted=record.intents,
            interrupted=work.interrupted,
            half=half,
            staying=staying(record, host, state),
        )
    except NothingToDo:
        return None
    _refuse_needed(way, host, record.id)
    if not _events_in(state / "runs" / record.id):
        # Root never began: nothing was noted, and nobody needs to give rights for it.
        return None if all(_is_nothing(step, host) for step in way.steps) else way
    return way


def _is_nothing(step: Step, host: Host) -> bool:
    """True for what has nothing to take back where neither root's part nor the user began."""
    if isinstance(step, TakeFromGroups):
        now = groups_of(host.read("/etc/group"), Account(step.user))
        return not set(step.groups) & set(now)
    return isinstance(step, (RestoreSettings, SetSystemPathAside))


def _begun(record: Record, state: Path) -> tuple[Plan, list[int]]:
    """The plan of a run, and the steps that may have done something that still is so."""
    try:
        plan = plan_of(record.plan)
    except ValueError as error:
        raise Trouble(
            f"The plan of run {record.id} cannot be read: {error}.",
            "Its journal is damaged, or another version of this program wrote it. Nothing was "
            "changed.",
            "To undo the changes to the system without this program, run as root: sh "
            f"{undo_script(record.id, state)}",
        ) from None
    begun = [n for n in record.intents if record.outcomes.get(n) not in NOTHING_DONE]
    if _is_undone(state / "runs" / record.id):
        begun = [n for n in begun if not plan.steps[n - 1].needs_root]
    return plan, begun


def staying(record: Record, host: Host, state: Path = STATE) -> dict[str, str]:
    """Files and packages of the run's that somebody else has changed since, and what is said of
    each; what they stand in the way of is told by root when it comes to that."""
    if not touched_system(record) or not _events_in(state / "runs" / record.id):
        return {}
    plan, begun = _begun(record, state)
    rows = installed_rows(host)
    installed = {row.name: row.version for row in known(rows, [])}
    found = {
        name: f"{name} {version} was installed since the run"
        for name, version in other_versions(plan, begun, installed)
    }
    for step in (plan.steps[number - 1] for number in begun):
        if isinstance(step, WriteSystemFile) and step.before is None:
            now = host.read(step.path)
            is_another = isinstance(now, str) and now != step.content
            if is_another or isinstance(host.link(step.path), str):
                found[step.path] = f"{step.path} was changed after the run wrote it"
    return found


def _refuse_needed(way: Plan, host: Host, run: str) -> None:
    """Raise Trouble where packages that stay need what goes: apt would take them along."""
    gone = {n for step in way.steps if isinstance(step, AptChange) for n in step.expect_remove}
    # This machine's own list may be longer than what a host reads of a file.
    found = host.read(STATUS) if host.name else status_of(Path("/"))
    status = found if isinstance(found, str) else ""
    names = {qualified(fields) for _, fields in paragraphs(status) if "package" in fields}
    needy = sorted(dependents(status, gone, names - gone)) if gone else []
    if needy:
        raise Trouble(
            f"Other packages depend on what run {run} installed: {', '.join(needy)}.",
            "apt would remove them too. Nothing was changed.",
            f"If you do not need those packages, run `sudo apt-get remove {' '.join(needy)}`, then "
            f"`rdna1-setup rollback {run}` again. Otherwise keep what the run installed.",
        )


def lost_by(record: Record, host: Host) -> Versions:
    """Packages that the run removed for good, and that are not there again by now."""
    if not touched_system(record):
        return ()
    rows = installed_rows(host)
    installed = {row.name: row.version for row in known(rows, [])}
    return lost(plan_of(record.plan), record.intents, installed)


def touched_system(record: Record) -> bool:
    """True for a run that began a step of root's, or edited a file of the user's."""
    if record.kind is Kind.ROLLBACK:
        return False
    steps = enumerate(record.plan["steps"], 1)
    return any(_reaches_out(step) for number, step in steps if number in record.intents)


def _reaches_out(form: Mapping[str, Any]) -> bool:
    """True for what the list of a run's own files does not undo; also where it cannot be read."""
    step = operation_of(form)
    if step is None:
        return bool(form.get("needs_root")) or form["kind"] in KINDS
    return step.reaches_out


def refuse_half(record: Record) -> None:
    """Raise Trouble for a run that changed the system: its venv alone must not count as undone."""
    if touched_system(record):
        raise Trouble(
            f"Run {record.id} also changed system packages, or files outside its folder.",
            "If you undid only the changes in the run's folder, the system changes could not be "
            "undone later.",
            f"Run `rdna1-setup rollback {record.id}` in a terminal. It shows both parts and asks "
            "you to confirm. To undo the system part without this program, run as root: sh "
            f"{undo_script(record.id)}",
        )


def _is_undone(run: Path) -> bool:
    """True where UNDO.sh has taken back all that a run did, and nothing was done since."""
    events = _events_in(run)
    return bool(events) and events[-1]["event"] == "undone" and events[-1].get("failed") == 0


def _events_in(run: Path) -> tuple[Event, ...]:
    try:
        return EventLines().feed((run / EVENTS).read_bytes())
    except OSError:
        return ()


def kept_debs(run: Path) -> tuple[LocalDeb, ...]:
    """The package files in the backup of a run, as its helper told them."""
    found: dict[tuple[str, str], LocalDeb] = {}
    for event in _events_in(run):
        for deb in (LocalDeb(**one) for one in event.get("kept", ())):
            found[deb.name, deb.version] = deb
    return tuple(found.values())
