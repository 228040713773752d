"""What Conv2d came to on this machine's card, newest first, each with what it ran on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from wizard.conv2d.history import FINISHED, UNDER_WAY, told_by
from wizard.conv2d.run_stack import stack_of_run
from wizard.conv2d.run_words import SUSPECTED
from wizard.conv2d.runs import Run, kept_runs
from wizard.conv2d.sweep import Sweep
from wizard.conv2d.verdicts import RIGHT, Loaded, Result, Verdict
from wizard.machine.stack_facts import StackFacts
from wizard.places import Places
from wizard.report.last_sweep import LastSweep, sweeps

NOTHING_RECORDED = StackFacts()
PYTHON = "/bin/python"
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

    @property
    def date(self) -> str:
        """When it began, for people."""
        return self.when.strftime("%Y-%m-%d %H:%M")

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
        return (
            self.finished
            and bool(self.results)
            and all(result.verdict in RIGHT for result in self.results)
        )

    @property
    def hung(self) -> bool:
        """True when something in it hung, or took the whole of it down."""
        hangs = (Verdict.HUNG, Verdict.FLAKY)
        return bool(self.suspect) or any(result.verdict in hangs for result in self.results)


def measured_here(places: Places) -> tuple[Measured, ...]:
    """Every sweep of a card that is kept, newest first; what was sought by hanging is no sweep."""
    runs = kept_runs(places).runs
    found = [_of_run(run) for run in runs if isinstance(run.request, Sweep)]
    known = [run.journal for run in runs]
    for _, sweep in zip(range(OLD_JOURNALS), sweeps(Path(places.conv2d), known), strict=False):
        found.append(_of_journal(sweep))
    on_card = [one for one in found if one.results or one.suspect or one.under_way]
    return tuple(sorted(on_card, key=lambda one: one.when, reverse=True))


def _of_run(run: Run) -> Measured:
    told = told_by(run)
    request = run.request if isinstance(run.request, Sweep) else None
    meaning = told.done.trouble.meaning if told.done.trouble else ""
    on_card = request is not None and request.device == "cuda"
    return Measured(
        when=datetime.fromisoformat(run.began).astimezone(),
        results=_on_card(told.done.results),
        finished=told.state == FINISHED,
        python=request.python if request else "",
        stack=stack_of_run(run),
        suspect=_suspect(meaning) if on_card else "",
        clean=bool(request and request.surroundings.clean),
        under_way=told.state == UNDER_WAY and on_card,
    )


def _of_journal(sweep: LastSweep) -> Measured:
    lost = f"shape {sweep.lost}" if sweep.lost and _on_card(sweep.results) else ""
    when = datetime.fromisoformat(sweep.time).astimezone()
    return Measured(when, _on_card(sweep.results), sweep.finished, suspect=lost)


def _on_card(results: tuple[Result, ...]) -> tuple[Result, ...]:
    return tuple(result for result in results if not result.on_processor)


def _suspect(meaning: str) -> str:
    before, found, _ = meaning.partition(f" {SUSPECTED}")
    return before.rpartition(". ")[2] if found else ""
