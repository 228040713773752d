"""What became of each run, from its events: an index, newest first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from wizard.conv2d.journal import read_result
from wizard.conv2d.requests import Request, described, sweep_in
from wizard.conv2d.runs.events import ending, read_events
from wizard.conv2d.runs.folders import Run
from wizard.conv2d.search.compare_settings import CompareRequest
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest
from wizard.conv2d.shapes import Row
from wizard.conv2d.stop_reasons import not_read
from wizard.conv2d.sweep import DeviceFound, ShapeDone, Sweep, SweepDone, SweepEvent, WorkerStarted
from wizard.conv2d.verdicts import Loaded, Result, Verdict, result_json

UNDER_WAY = "running"
FINISHED = "finished"
BROKEN_OFF = "not finished"


@dataclass(frozen=True, slots=True)
class Account:
    """A run in a line."""

    run: Run
    state: str
    """``under way``, ``finished`` or ``not finished``."""
    counts: tuple[tuple[Verdict, int], ...]
    """How many shapes have which verdict."""
    why: str
    """What broke it off; ``""`` for none."""
    loaded: Loaded
    """What it was measured with, as far as it came to that."""


@dataclass(frozen=True, slots=True)
class Told:
    """All that is known of a run now."""

    state: str
    done: SweepDone
    """Its end, that of a dead runner as its journal tells it; of a run under way, what there is."""
    loaded: Loaded
    """What it was measured with, as far as it came to that."""


def told_by(run: Run) -> Told:
    """What its events tell."""
    alive = run.is_alive()  # before the look: what it wrote last is then there
    try:
        events = read_events(run)
    except OSError as error:
        why = not_read(str(run.events), error)
        return Told(BROKEN_OFF, SweepDone((), why, 0.0), Loaded())
    state, done = _ended(run, events, alive)
    seen = [e.loaded for e in events if isinstance(e, WorkerStarted | DeviceFound)]
    return Told(state, done, _loaded((*seen, *(result.loaded for result in done.results))))


def _ended(run: Run, events: Sequence[SweepEvent], alive: bool) -> tuple[str, SweepDone]:
    seen = {event.number: event.result for event in events if isinstance(event, ShapeDone)}
    found = tuple(seen[number] for number in sorted(seen))
    ends = events if alive or _has_end(events) else ending(run)
    done = next((event for event in ends if isinstance(event, SweepDone)), None)
    if done is None:
        return UNDER_WAY, SweepDone(found, None, 0.0)
    state = FINISHED if done.trouble is None else BROKEN_OFF
    return state, done if done.results else replace(done, results=found)


def _has_end(events: Iterable[object]) -> bool:
    return any(isinstance(event, SweepDone) for event in events)


def account_of(run: Run) -> Account:
    """What its events tell, in short."""
    return account_with(run, told_by(run))


def account_with(run: Run, told: Told) -> Account:
    """What was told by it, in short."""
    done = told.done
    counts = Counter(result.verdict for result in done.results)
    in_order = tuple((verdict, counts[verdict]) for verdict in Verdict if counts[verdict])
    why = "" if done.trouble is None else done.trouble.happened
    return Account(run, told.state, in_order, why, told.loaded)


def _loaded(found: Sequence[Loaded]) -> Loaded:
    """The last that came to a device, or at least to a torch."""
    with_torch = [each for each in found if each.torch]
    known = [each for each in found if each.device] or with_torch
    return known[-1] if known else Loaded()


def account_form(account: Account) -> dict[str, Any]:
    """Its JSON form."""
    return {
        "run": account.run.id,
        "began": account.run.began,
        "what": described(account.run.request),
        "state": account.state,
        "verdicts": {verdict.value: count for verdict, count in account.counts},
        "why": account.why,
        "device": account.loaded.device,
        "torch": account.loaded.torch,
    }


def earlier_alike(run: Run, runs: Iterable[Run]) -> Iterator[Run]:
    """Those begun before it that asked the same of the same device, newest first."""
    asked = _asked(run.request)
    return (other for other in runs if other.id < run.id and _asked(other.request) == asked)


def _asked(request: Request) -> tuple[object, ...]:
    """What was asked, whatever torch, deadlines and published figures there were."""
    kind, device = type(request).__name__, sweep_in(request).device
    match request:
        case Sweep():
            return kind, device, *map(_bare, request.rows)
        case CompareRequest():
            return kind, device, *map(_bare, request.sweep.rows)
        case LimitRequest():
            return kind, device, _bare(request.row), request.axis
        case SettingRequest() | WorkaroundRequest():
            return kind, device, _bare(request.row)


def _bare(row: Row) -> Row:
    return replace(row, published=None, log=False)


@dataclass(frozen=True, slots=True)
class LastSweep:
    """What is on disk of a sweep."""

    time: str
    """When its journal was last written, ISO, to the minute."""
    results: tuple[Result, ...]
    finished: bool
    lost: int | None
    """1-based number of a shape that was launched and never came to an outcome."""
    run: str = ""
    """The name of its run; ``""`` for what is known from its journal alone."""


def sweeps(folder: Path, but: Collection[Path] = ()) -> Iterator[LastSweep]:
    """Every sweep with something to tell, but those of some journals, newest first; reads only."""
    journals = sorted(map(_dated, set(folder.glob("*.jsonl")) - {*but}), reverse=True)
    found = (_read(path, written_s) for written_s, path in journals if written_s)
    return (sweep for sweep in found if sweep.results or sweep.lost)


def sweep_of_run(run: Run) -> LastSweep:
    """What a run tells."""
    told = told_by(run)
    time = datetime.fromisoformat(run.began).astimezone().isoformat(" ", "minutes")
    finished = told.state == FINISHED
    return LastSweep(time, told.done.results, finished, None, run.id)


def sweep_form(sweep: LastSweep | None) -> dict[str, Any] | None:
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


def _read(path: Path, written_s: float) -> LastSweep:
    results: dict[int, Result] = {}
    under_way: int | None = None
    finished = False
    for line in _lines(path):
        match line:
            case {"launch": int(under_way)}:
                pass
            case {"outcome": int(index), "result": dict(form)}:
                under_way = None
                if (result := read_result(form)) is not None:
                    results[index] = result
            case {"forget": _}:
                results.clear()
            case {"cancelled": _}:
                under_way = None
            case {"finished": _}:
                finished = True
            case _:
                pass
    written = datetime.fromtimestamp(written_s).astimezone()
    in_order = tuple(results[index] for index in sorted(results))
    lost = None if under_way is None else under_way + 1
    return LastSweep(written.isoformat(" ", "minutes"), in_order, finished, lost)


def _lines(path: Path) -> Iterator[object]:
    try:
        content = path.read_bytes()
    except OSError:
        return  # somebody else's: the other journals are told all the same
    for raw in content.splitlines():
        try:
            yield json.loads(raw)
        except (ValueError, RecursionError):
            continue  # a machine froze in the middle of a line
