"""What can be asked of the shapes of the Conv2d panel, and the request that it becomes."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from wizard.conv2d.asked import Request, with_hangs
from wizard.conv2d.presets import Row
from wizard.conv2d.search.compare_settings import CompareRequest
from wizard.conv2d.search.find_limit import REPEATS, LimitRequest
from wizard.conv2d.search.setting_request import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest
from wizard.conv2d.sweep import Sweep
from wizard.conv2d.words.request import WrongRequest
from wizard.conv2d.works import rows_of

NO_ROW = "There is no shape to ask about: choose a preset (p) first."
NOT_OF_OPERATIONS = "Only convolutions can be asked that. o changes the question."
OF_MIOPEN = "Settings are MIOpen's: o takes the engine back to 'configured'; each is tried anyway."


class Aim(Enum):
    """The question, in words."""

    EVERY = "measure every shape"
    ONE = "measure this shape alone"
    LIMIT = "find the limit, from this shape on"
    SETTING = "smallest setting that makes this shape right"
    COMPARE = "compare settings"
    AROUND = "ways around this shape"

    @property
    def is_search(self) -> bool:
        """True where the rows come as it goes on, and an answer ends it."""
        return self not in (Aim.EVERY, Aim.ONE)


def request_for(
    aim: Aim, sweep: Sweep, row: Row | None, hangs: int, span: tuple[str, int, int]
) -> Request:
    """The request, with so many hangs for a search. Raises WrongRequest, with what to do."""
    if aim is Aim.EVERY:
        return sweep
    if aim.is_search and any(each.operation for each in (row, *sweep.rows) if each):
        raise WrongRequest(NOT_OF_OPERATIONS)
    if aim in (Aim.SETTING, Aim.COMPARE) and sweep.rows[0].engine != "configured":
        raise WrongRequest(OF_MIOPEN)
    if aim is Aim.COMPARE:
        return CompareRequest(sweep, hangs)
    if row is None:
        raise WrongRequest(NO_ROW)
    return _about(aim, sweep, _asked_of(row, sweep), hangs, span)


def _asked_of(row: Row, sweep: Sweep) -> Row:
    """The row as it is asked about: measured as the sweep says, whatever became of it before."""
    first = sweep.rows[0]
    published = row.published if row.operation else None
    return replace(row, published=published, setting=(), engine=first.engine, log=first.log)


def _about(aim: Aim, sweep: Sweep, row: Row, hangs: int, span: tuple[str, int, int]) -> Request:
    alone = replace(sweep, rows=(row,))
    match aim:
        case Aim.LIMIT:
            return _limit(alone, row, hangs, span)
        case Aim.SETTING:
            return SettingRequest(alone, row, hangs)
        case Aim.AROUND:
            return WorkaroundRequest(alone, row, hangs)
        case _:
            return alone


def _limit(sweep: Sweep, row: Row, hangs: int, span: tuple[str, int, int]) -> Request:
    axis, smallest, largest = span
    repeats = sweep.repeats if sweep.repeats > 1 else REPEATS
    once = replace(sweep, repeats=1)
    request = LimitRequest(once, row, axis, smallest, largest, hangs, repeats)
    try:
        rows_of((request.row_at(smallest),), (row.work,))
    except ValueError as error:
        raise WrongRequest(f"The range cannot begin at {smallest}: {error}.") from error
    return with_hangs(request, hangs)
