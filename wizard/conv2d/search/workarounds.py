"""What can be done about a shape that does not pass, each way measured and judged as any row.

The row comes first; where it passes, nothing else is measured. Each alternative costs what any row
costs, and hangs are counted against what may be spent.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any

from wizard.conv2d.client import carried_out
from wizard.conv2d.presets import Row
from wizard.conv2d.search.alternatives import SIDE, Alternative, alternatives, side_that_passes
from wizard.conv2d.search.experiment import Experiment
from wizard.conv2d.search.spent import hangs_spent
from wizard.conv2d.sweep import Sweep, SweepEvent
from wizard.conv2d.verdicts import RIGHT, Result, Verdict
from wizard.conv2d.words.repro import row_of


@dataclass(frozen=True, slots=True)
class Tried:
    """An alternative with what came of it; None for one that was not measured."""

    alternative: Alternative
    result: Result | None

    @property
    def passes(self) -> bool:
        """True when it came back in time with right numbers."""
        return self.result is not None and self.result.verdict in RIGHT

    @property
    def seconds(self) -> float | None:
        """What it takes in place of one later call."""
        if self.result is None or self.result.warm_s is None:
            return None
        return self.alternative.calls * self.result.warm_s


@dataclass(frozen=True, slots=True)
class WorkaroundRequest:
    """For which row alternatives are measured, and what may be spent on it."""

    sweep: Sweep
    """How it is measured; its rows do not matter."""
    row: Row
    hangs: int
    """How many hangs may be spent, that of the row itself included."""
    side: int = SIDE
    """Height and width that pass with these channels."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """The row itself, then its alternatives in the order in which they are measured."""
        return (self.row, *(each.row for each in alternatives(self.row, self.side)))


def find_workarounds(request: WorkaroundRequest, **where: Any) -> AsyncGenerator[SweepEvent, None]:
    """The events of the measurement, as those of a sweep. ``where``: what ``run_sweep`` takes too.

    The row comes first; where it passes nothing else is measured.
    """
    rows = request.rows

    async def measure(experiment: Experiment) -> None:
        await experiment.assemble()
        spent = 0
        for number, row in enumerate(rows):
            result = await experiment.measure(row)
            if result is None or (number == 0 and result.verdict is Verdict.PASS):
                return
            spent += hangs_spent(result)
            if spent >= request.hangs:
                return

    return carried_out(replace(request.sweep, rows=rows), measure, (), rows, **where)


def tried(request: WorkaroundRequest, results: Sequence[Result]) -> tuple[Tried, ...]:
    """Each alternative with its result, from the results of the measurement in their order."""
    found = chain(results[1:], repeat(None))
    return tuple(map(Tried, alternatives(request.row, request.side), found))


def request_for(
    result: Result, sweep: Sweep, hangs: int, known: Sequence[Result] = ()
) -> WorkaroundRequest:
    """What to ask for a result that did not pass, with a size that did among those known."""
    side = side_that_passes(known, result.shape)
    return WorkaroundRequest(sweep, row_of(result), hangs, side)
