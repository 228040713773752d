"""What Conv2d came to on this machine's card, newest first, and what has changed since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice, takewhile
from pathlib import Path

from wizard.conv2d.runs.folders import Run, kept_runs, stack_of_run
from wizard.conv2d.runs.history import FINISHED, UNDER_WAY, PastSweep, read_status, sweeps
from wizard.conv2d.shapes import Shape
from wizard.conv2d.stop_reasons import SUSPECTED, stopped
from wizard.conv2d.sweep import Sweep
from wizard.conv2d.verdicts import RIGHT, Loaded, Manner, Result, Verdict, manner_of
from wizard.core.own_files import Places
from wizard.diagnose.finding import Evidence
from wizard.machine.facts import Machine
from wizard.machine.stack_facts import PARTS, StackFacts, stack_of

NOTHING_RECORDED = StackFacts()
PYTHON = "/bin/python"
DATE = "%Y-%m-%d %H:%M"
OLD_JOURNALS = 20
"""Of journals without a run only the newest are read."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One sweep of a card."""

    when: datetime
    results: tuple[Result, ...]
    finished: bool
    python: str = ""
    """The interpreter whose torch was measured; ``""`` where only its journal is left."""
    stack: StackFacts = NOTHING_RECORDED
    suspect: str = ""
    """What was launched and never came to an end, in words; ``""`` for nothing."""
    clean: bool = False
    """True when it was measured without what the session sets."""
    under_way: bool = False
    trouble: str = ""
    """What kept it from measuring anything, in words; ``""`` for nothing."""
    oldest: datetime | None = None
    """When the oldest of several that are taken together began; None for one alone."""

    @property
    def date(self) -> str:
        """When it began, for people."""
        told = self.when.strftime(DATE)
        return f"{self.oldest.strftime(DATE)} to {told}" if self.oldest else told

    @property
    def environment(self) -> str:
        """The folder of the environment that was measured; ``""`` for none that is known."""
        return self.python.rpartition(PYTHON)[0]

    @property
    def loaded(self) -> Loaded:
        """What was loaded, as far as it came to that."""
        known = (result.loaded for result in reversed(self.results) if result.loaded.torch)
        return next(known, Loaded())

    @property
    def right(self) -> bool:
        """True when it was finished and all that was measured was right."""
        verdicts = {result.verdict for result in self.results}
        return self.finished and bool(verdicts) and verdicts <= {*RIGHT}

    @property
    def hung(self) -> bool:
        """True when something in it hung, or took the whole of it down."""
        hangs = (Verdict.HUNG, Verdict.FLAKY)
        return bool(self.suspect) or any(result.verdict in hangs for result in self.results)


def measured_here(places: Places) -> tuple[Measured, ...]:
    """Every sweep of a card that is kept, newest first; what was sought by hanging is no sweep."""
    runs = kept_runs(places).runs
    found = [_of_run(run, run.request) for run in runs if isinstance(run.request, Sweep)]
    left = sweeps(Path(places.conv2d), [run.journal for run in runs])
    found += map(_of_journal, islice(left, OLD_JOURNALS))
    telling = [o for o in found if o.results or o.suspect or o.under_way or o.trouble]
    return tuple(sorted(telling, key=lambda one: one.when, reverse=True))


def together(measured: Sequence[Measured]) -> Measured | None:
    """The newest, with what those before it say of shapes that it did not measure again.

    Only those of the same torch above the same stack: of another one they say nothing.
    """
    if not measured:
        return None
    newest = last = measured[0]
    results = {_key(result): result for result in last.results}
    for older in takewhile(lambda one: _is_alike(one, newest), measured[1:]):
        left = [r for r in older.results if r.verdict is not Verdict.UNUSABLE]
        fresh = {_key(result): result for result in left if _key(result) not in results}
        if fresh:
            results |= fresh
            last = replace(last, results=tuple(results.values()), oldest=older.when)
    return last


def _is_alike(older: Measured, last: Measured) -> bool:
    same = (older.python, older.stack, older.clean) == (last.python, last.stack, last.clean)
    versions = {older.loaded.torch, last.loaded.torch} - {None}
    return same and len(versions) < 2


def _key(result: Result) -> tuple[Shape, Manner]:
    return result.shape, manner_of(result)


def _of_run(run: Run, request: Sweep) -> Measured:
    status = read_status(run)
    trouble = status.done.trouble
    on_card = request.device == "cuda"
    results = _on_card(status.done.results)
    suspect = _suspect(trouble.meaning) if trouble and on_card else ""
    kept = trouble is not None and on_card and not (results or suspect)
    return Measured(
        when=datetime.fromisoformat(run.began).astimezone(),
        results=results,
        finished=status.state == FINISHED,
        python=request.python,
        stack=stack_of_run(run),
        suspect=suspect,
        clean=request.environment.clean,
        under_way=status.state == UNDER_WAY and on_card,
        trouble=trouble.happened if trouble and kept and trouble != stopped() else "",
    )


def _of_journal(sweep: PastSweep) -> Measured:
    lost = f"shape {sweep.lost}" if sweep.lost and _on_card(sweep.results) else ""
    when = datetime.fromisoformat(sweep.time).astimezone()
    return Measured(when, _on_card(sweep.results), sweep.finished, suspect=lost)


def _on_card(results: tuple[Result, ...]) -> tuple[Result, ...]:
    return tuple(result for result in results if not result.on_processor)


def _suspect(meaning: str) -> str:
    before, found, _ = meaning.partition(f" {SUSPECTED}")
    return before.rpartition(". ")[2] if found else ""


TITLES = {"firmware": "compute firmware (MEC)"}
NOT_SET = "not set"
NO_TORCH = "no torch"
MOST = 12


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed, and what cannot be told."""

    changed: tuple[str, ...]
    """For example ``kernel 6.8.0-31 -> 6.11.0-9``."""
    unrecorded: tuple[str, ...]
    """What is known now and was not recorded then."""
    since: str = ""
    """For example ``the last good measurement of 2026-11-20 17:05``; ``""`` where all know it."""

    @property
    def text(self) -> str:
        """All that changed, in a line."""
        more = len(self.changed) - MOST
        rest = (f"and {more} more",) if more > 0 else ()
        return ", ".join((*self.changed[:MOST], *rest))

    @property
    def title(self) -> str:
        """The same with its time."""
        return f"Since {self.since}: {self.text}"

    @property
    def missing(self) -> str:
        """What cannot be told, in words; ``""`` for nothing."""
        return f"not recorded then: {', '.join(self.unrecorded)}" if self.unrecorded else ""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Each change, and what was not recorded."""
        changed = [Evidence(each, f"since {self.since}") for each in self.changed]
        return (*changed, *([Evidence(self.missing, self.since)] if self.missing else []))


def changes_since(then: Measured, machine: Machine) -> Changes:
    """What changed between that measurement and this machine."""
    changes = stack_changes(then.stack, stack_of(machine), settings=not then.clean)
    here = [one for one in machine.environments if one.path == then.environment]
    if not here or not then.loaded.torch:
        return replace(changes, unrecorded=(*changes.unrecorded, "torch"))
    return _with_torch(changes, then, here[0].torch.version if here[0].torch else NO_TORCH)


def changes_between(then: Measured, later: Measured, machine: Machine) -> Changes:
    """What changed between two measurements; what the later did not record is as it is now."""
    now = stack_of(machine)
    named = {name: getattr(later.stack, name) or getattr(now, name) for name in PARTS}
    settings = now.settings if later.stack.settings is None else later.stack.settings
    stack = replace(now, **named, settings=settings)
    changes = stack_changes(then.stack, stack, settings=not (then.clean or later.clean))
    return _with_torch(changes, then, later.loaded.torch or None)


def stack_changes(then: StackFacts, now: StackFacts, *, settings: bool = True) -> Changes:
    """What changed below torch and in the session."""
    parts = [(TITLES.get(name, name), getattr(then, name), getattr(now, name)) for name in PARTS]
    unrecorded = [title for title, before, after in parts if before is None and after is not None]
    if settings and then.settings is None:
        unrecorded.append("settings")
    elif settings:
        old, new = dict(then.settings or ()), dict(now.settings or ())
        names = sorted({*old, *new})
        parts += [(name, old.get(name, NOT_SET), new.get(name, NOT_SET)) for name in names]
    return Changes(_changed(parts), tuple(unrecorded))


def _with_torch(changes: Changes, then: Measured, after: str | None) -> Changes:
    torch = _changed([("torch", then.loaded.torch or None, after)])
    return replace(changes, changed=(*changes.changed, *torch))


def _changed(parts: Iterable[tuple[str, str | None, str | None]]) -> tuple[str, ...]:
    known = (part for part in parts if None not in part)
    return tuple(f"{name} {old} -> {new}" for name, old, new in known if old != new)
