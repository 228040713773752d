"""What became of each run, from its events: an index, newest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from wizard.conv2d.journal import read_journal
from wizard.conv2d.requests import Request, described, sweep_in
from wizard.conv2d.runs.events import ending, read_events
from wizard.conv2d.runs.folders import Run
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.shapes import Row
from wizard.conv2d.stop_reasons import not_read
from wizard.conv2d.sweep import DeviceFound, ShapeDone, SweepDone, SweepEvent, WorkerStarted
from wizard.conv2d.verdicts import Loaded, Result, Verdict, result_json

UNDER_WAY = "running"
FINISHED = "finished"
BROKEN_OFF = "not finished"


@dataclass(frozen=True, slots=True)
class RunStatus:
    """All that is known of a run now."""

    run: Run
    state: str
    """``running``, ``finished`` or ``not finished``."""
    done: SweepDone
    """Its end, that of a dead runner as its journal tells it; of a run under way, what there is."""
    loaded: Loaded = field(default_factory=Loaded)
    """What it was measured with, as far as it came to that."""

    @property
    def counts(self) -> tuple[tuple[Verdict, int], ...]:
        """How many shapes have which verdict."""
        counts = Counter(result.verdict for result in self.done.results)
        return tuple((verdict, counts[verdict]) for verdict in Verdict if counts[verdict])

    @property
    def why(self) -> str:
        """What broke it off; ``""`` for none."""
        return "" if self.done.trouble is None else self.done.trouble.happened


def read_status(run: Run) -> RunStatus:
    """What its events tell."""
    alive = run.is_alive()  # before the look: what it wrote last is then there
    try:
        events = read_events(run)
    except OSError as error:
        return RunStatus(run, BROKEN_OFF, SweepDone((), not_read(str(run.events), error), 0.0))
    state, done = _ended(run, events, alive)
    seen = [e.loaded for e in events if isinstance(e, WorkerStarted | DeviceFound)]
    return RunStatus(run, state, done, _loaded((*seen, *(r.loaded for r in done.results))))


def _ended(run: Run, events: Sequence[SweepEvent], alive: bool) -> tuple[str, SweepDone]:
    seen = {event.number: event.result for event in events if isinstance(event, ShapeDone)}
    found = tuple(seen[number] for number in sorted(seen))
    has_end = any(isinstance(event, SweepDone) for event in events)
    ends = events if alive or has_end else ending(run)
    done = next((event for event in ends if isinstance(event, SweepDone)), None)
    if done is None:
        return UNDER_WAY, SweepDone(found, None, 0.0)
    state = FINISHED if done.trouble is None else BROKEN_OFF
    return state, done if done.results else replace(done, results=found)


def _loaded(found: Sequence[Loaded]) -> Loaded:
    """The last that came to a device, or at least to a torch."""
    with_torch = [each for each in found if each.torch]
    known = [each for each in found if each.device] or with_torch
    return known[-1] if known else Loaded()


def status_form(status: RunStatus) -> dict[str, Any]:
    """Its JSON form."""
    return {
        "run": status.run.id,
        "began": status.run.began,
        "what": described(status.run.request),
        "state": status.state,
        "verdicts": {verdict.value: count for verdict, count in status.counts},
        "why": status.why,
        "device": status.loaded.device,
        "torch": status.loaded.torch,
    }


def earlier_alike(run: Run, runs: Iterable[Run]) -> Iterator[Run]:
    """Those begun before it that asked the same of the same device, newest first."""
    asked = _asked(run.request)
    return (other for other in runs if other.id < run.id and _asked(other.request) == asked)


def _asked(request: Request) -> tuple[object, ...]:
    """What was asked, whatever torch, deadlines and published figures there were."""
    sweep = sweep_in(request)
    axis = request.axis if isinstance(request, LimitRequest) else ""
    return type(request), axis, sweep.device, *map(_bare, sweep.rows)


def _bare(row: Row) -> Row:
    return replace(row, published=None, log=False)


@dataclass(frozen=True, slots=True)
class PastSweep:
    """What is on disk of a sweep."""

    time: str
    """When its journal was last written, ISO, to the minute."""
    results: tuple[Result, ...]
    finished: bool
    lost: int | None
    """1-based number of a shape that was launched and never came to an outcome."""
    run: str = ""
    """The name of its run; ``""`` for what is known from its journal alone."""


def sweeps(folder: Path, but: Collection[Path] = ()) -> Iterator[PastSweep]:
    """Every sweep with something to tell, but those of some journals, newest first; reads only."""
    journals = sorted(map(_dated, set(folder.glob("*.jsonl")) - {*but}), reverse=True)
    found = (_read(path, written_s) for written_s, path in journals if written_s)
    return (sweep for sweep in found if sweep.results or sweep.lost)


def sweep_of_run(run: Run) -> PastSweep:
    """What a run tells."""
    status = read_status(run)
    time = datetime.fromisoformat(run.began).astimezone().isoformat(" ", "minutes")
    return PastSweep(time, status.done.results, status.state == FINISHED, None, run.id)


def sweep_form(sweep: PastSweep | None) -> dict[str, Any] | None:
    """Its JSON form."""
    if sweep is None:
        return None
    results = [result_json(result) for result in sweep.results]
    form = {"time": sweep.time, "finished": sweep.finished, "lost": sweep.lost}
    return {**form, "results": results}


def _dated(path: Path) -> tuple[float, Path]:
    """When it was written last; 0 for what cannot be looked at."""
    try:
        return path.stat().st_mtime, path
    except OSError:
        return 0.0, path


def _read(path: Path, written_s: float) -> PastSweep:
    attempts = read_journal(path)
    time = datetime.fromtimestamp(written_s).astimezone().isoformat(" ", "minutes")
    results = tuple(attempts.results[index] for index in sorted(attempts.results))
    lost = None if attempts.unanswered is None else attempts.unanswered + 1
    return PastSweep(time, results, attempts.finished, lost)
