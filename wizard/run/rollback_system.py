"""What undoing a run does to the system: a plan of its own, made from what is there now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wizard.apt.dependencies import dependents
from wizard.apt.indexes import qualified
from wizard.apt.packages import INSTALLED, LocalDeb, Versions, installed_rows, package_work
from wizard.apt.sources import paragraphs
from wizard.apt.view import STATUS, status_of
from wizard.core.fact import Unknown, known
from wizard.core.journal import UNFINISHED, Kind, Record
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble
from wizard.host.host import Host
from wizard.operations.root_step import NOTHING_DONE
from wizard.plan.form import operation_of, plan_of
from wizard.plan.impossible import NothingToDo
from wizard.plan.rollback import changed_since, done_by_hand, lost, make_rollback
from wizard.plan.start_check import APT_STEPS
from wizard.plan.steps import Plan
from wizard.root.session import EVENTS, STATE, Event, EventLines, StepDone, news_of, undo_script
from wizard.run.runs import rollback_begun


@dataclass(frozen=True, slots=True)
class SystemRollback:
    """What undoing a run does to the system, and what it cannot do."""

    plan: Plan | None = None
    """None where nothing of the system's is to be undone."""
    lost: Versions = ()
    """Packages that the run removed for good, and that are not there again by now."""
    changed: tuple[str, ...] = ()
    """Files and packages that somebody else has changed since, in words: they are left alone. What
    they stand in the way of is told by root when it comes to that."""


def find_system_rollback(
    record: Record, host: Host, places: Places, state: Path = STATE
) -> SystemRollback:
    """What undoing a run does to the system; a rollback that was cut off is continued.

    Raises Trouble where it cannot be told, or where something else needs what would go.
    """
    if not touched_system(record):
        return SystemRollback()
    plan, begun = _begun(record, state)
    rows = installed_rows(host)
    installed = {row.name: row.version for row in known(rows, [])}
    by_root = bool(_events_in(state / "runs" / record.id))
    changed = changed_since(plan, begun, installed, host) if by_root else {}
    gone = lost(plan, record.intents, installed)
    if earlier := rollback_begun(record, places, state):
        unfinished = earlier.state == UNFINISHED
        rest = plan_of(earlier.plan) if unfinished else None
        return SystemRollback(rest, gone, tuple(changed.values()))
    if isinstance(rows, Unknown) and any(isinstance(step, APT_STEPS) for step in plan.steps):
        raise Trouble(
            f"The list of installed packages cannot be read: {rows.because}.",
            "Without this list, nothing can be undone safely. Nothing was changed.",
            "Make sure that `dpkg-query --show` works. Or run as root: sh "
            f"{undo_script(record.id, state)}",
        )
    work = package_work(host, known(rows, []))
    try:
        found: Plan | None = make_rollback(
            plan,
            begun,
            kept_debs(state / "runs" / record.id),
            installed,
            run=record.id,
            noted=record.intents,
            interrupted=work.interrupted,
            half={row.name for row in known(rows, []) if row.state != INSTALLED},
            changed=changed,
        )
    except NothingToDo:
        found = None
    if found is not None:
        _refuse_needed(found, host, record.id)
        # Where root never began, nothing was noted, and nobody needs to give rights for it.
        found = found if by_root or done_by_hand(found, host) else None
    return SystemRollback(found, gone, tuple(changed.values()))


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


def _refuse_needed(rollback: Plan, host: Host, run: str) -> None:
    """Raise Trouble where packages that stay need what goes: apt would take them along."""
    gone = {name for step in rollback.apt_changes for name in step.expect_remove}
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


def touched_system(record: Record) -> bool:
    """True for a run that began a step of root's, or edited a file of the user's: the list of the
    run's own files does not undo that. Also where such a step cannot be read."""
    if record.kind is Kind.ROLLBACK:
        return False
    begun = (operation_of(record.plan["steps"][number - 1]) for number in record.intents)
    return any(step is None or step.reaches_out for step in begun)


def _is_undone(run: Path) -> bool:
    """True where UNDO.sh has undone all that a run did, and nothing was done since."""
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
        news = news_of(event) if event["event"] == "done" else None
        for deb in news.kept if isinstance(news, StepDone) else ():
            found[deb.name, deb.version] = LocalDeb(deb.path, deb.sha256, deb.name, deb.version)
    return tuple(found.values())
