"""What came of a rehearsal: numbers first, then what is not as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wizard.core.amounts import counted
from wizard.core.lines import clean
from wizard.overlay.changes import Change, Counts, read_changes, unexpected
from wizard.overlay.expected import why_expected
from wizard.plan.root_steps import AptChange
from wizard.plan.snapshot import without_snapshot
from wizard.plan.steps import Plan
from wizard.root.news import Event, EventLines
from wizard.root.session import EVENTS, STATE

PREFIX = "rehearsal"
MISSING = 3
"""How UNDO.sh ends where nothing is left but packages that were removed permanently."""
NOTHING: Counts = Counts(0, 0, 0, "")
SHOWN = 10


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A rehearsal that came to its end."""

    run: str
    there: Counts
    """After the steps."""
    back: Counts
    """After their way back, beside the beginning."""
    failed: int
    """Number of the root step that failed; 0 for none."""
    undo_code: int
    """How UNDO.sh ended."""
    packages: tuple[str, ...]
    """Those that are not as before after the way back, but for what goes for good."""
    used_bytes: int
    for_good: tuple[str, ...] = ()
    """Packages of which the plan keeps no package file: they are not to come back."""

    @property
    def ok(self) -> bool:
        """True when every step worked and all packages are as before after the way back."""
        return not self.failed and not self.left_something and not self.packages

    @property
    def left_something(self) -> bool:
        """True where UNDO.sh could not take all back that it could have."""
        return self.undo_code not in ((0, MISSING) if self.for_good else (0,))


def name_of(plan: Plan, time: str) -> str:
    """The name of a rehearsal's folder in root's space."""
    return f"{PREFIX}-{time}-{key_of(plan)}"


def key_of(plan: Plan) -> str:
    """The same for plans that are rehearsed alike: a snapshot is not made there."""
    return without_snapshot(plan).id[:12]


def outcome_of(plan: Plan, run: str, events: Iterable[Event]) -> Rehearsed | None:
    """What these events of a helper say; None while it has not come to its end."""
    found = {"there": NOTHING, "back": NOTHING}
    for event in events:
        if event["event"] == "changes":
            new, changed, gone = (int(event[name]) for name in ("created", "changed", "gone"))
            found[event["when"]] = Counts(new, changed, gone, str(event["file"]))
        elif event["event"] == "rehearsed":
            for_good = _for_good(plan)
            names = (clean(str(name)) for name in event["packages"])
            left = tuple(name for name in names if name not in for_good)
            failed, undo, used = (int(event[name]) for name in ("failed", "undo", "used"))
            return Rehearsed(run, found["there"], found["back"], failed, undo, left, used, for_good)
    return None


def _for_good(plan: Plan) -> tuple[str, ...]:
    changes = (step for step in plan.steps if isinstance(step, AptChange))
    return tuple(name for step in changes for name, _ in step.for_good)


def find_rehearsed(plan: Plan, state: Path = STATE) -> Rehearsed | None:
    """The newest rehearsal of a plan; None where there is none that came to its end."""
    try:
        folders = sorted((state / "runs").glob(f"{PREFIX}-*-{key_of(plan)}"), reverse=True)
    except OSError:
        return None
    for folder in folders:
        try:
            content = (folder / EVENTS).read_bytes()
        except OSError:
            continue
        if found := outcome_of(plan, folder.name, EventLines().feed(content)):
            return found
    return None


def headline(done: Rehearsed, left: int | None) -> str:
    """Both ways in one line; ``left`` is what is not as before without a good reason.

    It is None where that is not known: the list cannot be read.
    """
    there = f"{done.there}" if done.there.all else "nothing changes"
    if done.failed:
        there = f"step {done.failed} of root's part FAILED; before that {there}"
    back = "everything is as before"
    if done.left_something:
        back = "NOT everything could be undone"
    elif left is None:
        back = f"{done.back} (the list cannot be read)"
    elif left or done.packages or done.for_good:
        named = counted(left, "file") if left else ""
        packages = counted(len(done.packages), "package") if done.packages else ""
        lost = len(done.for_good)
        gone = f"{counted(lost, 'package')} removed permanently" if lost else ""
        back = (
            f"everything is as before except {' and '.join(filter(None, (named, packages, gone)))}"
        )
    elif done.back.all:
        back = f"everything is as before except logs, caches and similar files ({done.back.all})"
    return f"{there}; after the rollback: {back}"


def summary(done: Rehearsed) -> tuple[str, ...]:
    """The headline, and after it what is not as it was; reads the list of root's."""
    changes = _back(done)
    if changes is not None:
        return summary_of(done, changes)
    unread = f"The list of differences in this file cannot be read: {done.back.file}"
    return (f"Files: {headline(done, None)}.", *_package_lines(done), unread)


def summary_of(done: Rehearsed, changes: tuple[Change, ...]) -> tuple[str, ...]:
    """The same where what is not as before after the way back was read already."""
    left = unexpected(changes)
    return (f"Files: {headline(done, len(left))}.", *_left_lines(done, left, changes))


def _back(done: Rehearsed) -> tuple[Change, ...] | None:
    """What is not as before; None where it cannot be read."""
    if not done.back.all:
        return ()
    try:
        return read_changes(done.back.file)
    except (OSError, ValueError):
        return None


def _package_lines(done: Rehearsed) -> Iterator[str]:
    if done.packages:
        yield f"Packages that differ: {', '.join(done.packages[:SHOWN])}"


def _left_lines(
    done: Rehearsed, left: tuple[Change, ...], changes: tuple[Change, ...]
) -> Iterator[str]:
    yield from _package_lines(done)
    for change in left[:SHOWN]:
        yield f"different: {change}"
    if len(left) > SHOWN:
        yield f"and {len(left) - SHOWN:,} more: {done.back.file}"
    reasons = {why_expected(change.path) for change in changes} - {""}
    if reasons:
        yield f"Expected differences: {'; '.join(sorted(reasons))}."
