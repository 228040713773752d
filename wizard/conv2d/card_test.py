"""A test of a card: the requests that it is made of, and how many hangs each of them may cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from wizard.conv2d.cards.make_card import GFX
from wizard.conv2d.requests import Request, name_of
from wizard.conv2d.runs.folders import runs_of
from wizard.conv2d.runs.history import FINISHED, read_status
from wizard.conv2d.search.experiment import hangs_spent, smallest_failure, span_of_limit
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import SettingAnswer, Sweep, SweepDone
from wizard.conv2d.verdicts import Result, chip_measured
from wizard.core.own_files import Places
from wizard.knowledge.cards import is_rdna1

FOR_LIMIT = 1
"""Hangs that are kept for the search for a limit, where more than one is allowed."""
FOR_SETTING = 2
"""With fewer no set of variables is tried: the shape as it is hangs once."""
ENOUGH = 5
"""From so many on, some are kept for a setting as well."""
STEPS = 32
"""So many sizes are gone through one by one, which costs one hang; more are halved."""
MOST_FOR_LIMIT = 3
LATELY = timedelta(hours=1)
"""For so long what was measured need not be measured again after a freeze."""


@dataclass(frozen=True, slots=True)
class Part:
    """One request of a test, and what it came to."""

    request: Request
    done: SweepDone


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured with one Python."""

    python: str
    parts: tuple[Part, ...] = ()
    stopped: bool = False
    """True where a key, or the time, ended it before its end."""

    @property
    def results(self) -> tuple[Result, ...]:
        """Every result, but those that only begin a search: MIOpen's log made them slower."""
        found = (result for part in self.parts for result in part.done.results)
        return tuple(result for result in found if result.asked or not result.log)

    @property
    def finished(self) -> bool:
        """True where each part came to its end."""
        ended = all(part.done.trouble is None for part in self.parts)
        return bool(self.parts) and ended and not self.stopped


def other_device(results: Sequence[Result]) -> str:
    """What was measured in place of an RDNA1 card, as torch calls it; ``""`` for nothing else.

    A machine may have several cards, or a graphics part in its processor that torch takes first.
    """
    for result in results:
        loaded = result.loaded
        chip = chip_measured(loaded) or ""
        foreign = loaded.device is not None and loaded.hip is None
        if result.on_processor or foreign or (GFX.fullmatch(chip) and not is_rdna1(chip)):
            return loaded.device or result.engine
    return ""


def table_hangs(allowed: int) -> int:
    """How many of the hangs that are allowed the table may cost."""
    kept = FOR_LIMIT + (FOR_SETTING if allowed >= ENOUGH else 0)
    return max(1, allowed - kept)


def hangs_of(results: Sequence[Result], allowed: int) -> int:
    """How many hangs a part has cost; what an earlier start measured makes it no dearer."""
    return min(allowed, sum(map(hangs_spent, results)))


def limit_after(sweep: Sweep, results: Sequence[Result], left: int) -> LimitRequest | None:
    """The search for the exact size at which the smallest failure of a table begins."""
    row = _failure(sweep, results)
    if row is None or left < 1:
        return None
    smallest, largest = span_of_limit(row, results)
    hangs = 1 if largest - smallest <= STEPS else min(left, MOST_FOR_LIMIT)
    alone = replace(sweep, rows=(row,), hangs=hangs)
    return LimitRequest(alone, "size", smallest, largest, hangs)


def setting_after(sweep: Sweep, results: Sequence[Result], left: int) -> SettingRequest | None:
    """The search for a setting that makes the smallest failure of a table right."""
    row = _failure(sweep, results)
    if row is None or left < FOR_SETTING:
        return None
    return SettingRequest(replace(sweep, rows=(row,)), left)


def finished_lately(
    request: Request, places: Places, environ: Mapping[str, str], now: datetime
) -> tuple[str, SweepDone] | None:
    """When this very request was carried out to its end, and what it came to; None for long ago."""
    name = name_of(request, environ)
    for run in runs_of(places):
        begun = datetime.fromisoformat(run.began).astimezone()
        if run.name == name and now - begun < LATELY and not run.is_alive():
            status = read_status(run)
            if status.state == FINISHED and not _finds_more(request, status.done.setting):
                return run.since, status.done
    return None


def _finds_more(request: Request, answer: SettingAnswer | None) -> bool:
    """True where the search for a setting goes on with the hangs that are now allowed."""
    return answer is not None and answer.goes_on and (request.hangs or 0) > answer.allowed


def kept_of(request: Request, places: Places, environ: Mapping[str, str]) -> SweepDone:
    """What is on disk of a request that was stopped."""
    name = name_of(request, environ)
    run = next((run for run in runs_of(places) if run.name == name), None)
    return SweepDone((), None, 0.0) if run is None else read_status(run).done


def _failure(sweep: Sweep, results: Sequence[Result]) -> Row | None:
    known = {result.shape: result for result in results}
    return smallest_failure((row, known[row.shape]) for row in sweep.rows if row.shape in known)
