"""Carries out the search for the largest size that passes, on the card itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Any

from wizard.conv2d.client import assembled, carried_out, row
from wizard.conv2d.limit import Costs, Known, Limit, Probes
from wizard.conv2d.presets import Row
from wizard.conv2d.shapes import Shape
from wizard.conv2d.sweep import Sweep, SweepDone, SweepEvent
from wizard.conv2d.trial import Trial
from wizard.conv2d.verdicts import Verdict

AXES = {
    "size": ("h", "w"),
    "height": ("h",),
    "width": ("w",),
    "channels-in": ("c_in",),
    "channels-out": ("c_out",),
    "kernel": ("kernel",),
    "batch": ("n",),
}
"""What can grow, and the fields of a shape that it sets."""
PASSES = (Verdict.PASS, Verdict.SLOW)
HANGS = (Verdict.HUNG, Verdict.CRASHED)
RISK_S = 60.0
"""What the risk of one hang, a frozen desktop, is held to be worth."""
RECOVERY_S = 2.0
FIRST_GUESS_S = 0.2
"""A pass before any was measured."""


@dataclass(frozen=True, slots=True)
class LimitRequest:
    """Which limit is asked for, and what may be spent on it."""

    sweep: Sweep
    """How it is measured; its rows do not matter."""
    shape: Shape
    """All that does not grow."""
    axis: str
    smallest: int
    largest: int
    hangs: int
    """How many hangs may be spent."""
    repeats: int = 3
    """How often the largest size that passes is measured in all."""

    def shape_at(self, value: int) -> Shape:
        """The shape with that value; the padding keeps the image's size."""
        fields: dict[str, Any] = dict.fromkeys(AXES[self.axis], value)
        if self.axis == "kernel":
            fields["padding"] = value // 2
        return replace(self.shape, **fields)


def find_limit(request: LimitRequest, **where: Any) -> AsyncGenerator[SweepEvent, None]:
    """The events of a search, as those of a sweep, with the limit in the last one.

    ``where`` is what ``run_sweep`` takes too. Probes come out of what was measured alone: an
    unfinished search is gone on with from its journal.
    """
    # The rows name the request, and with it its journal: all that may be asked.
    ends = (Row(request.shape_at(request.smallest)), Row(request.shape_at(request.largest)))
    named = replace(request.sweep, rows=ends)
    largest = request.shape_at(request.largest).out_bytes
    return carried_out(named, _Search(request).walk, largest, **where)


class _Search:
    """What is known while it goes on."""

    def __init__(self, request: LimitRequest) -> None:
        self.request = request
        self.known = Known(request.smallest - 1, request.largest + 1, request.hangs)
        self.edge = (0, 0)
        """How often the largest size that passes came back right, and was measured."""

    async def walk(self, trial: Trial) -> AsyncGenerator[SweepEvent, None]:
        trial.sweep = replace(trial.sweep, rows=())
        async for event in assembled(trial):
            yield event
        probes = Probes(self.known, self._costs())
        while not self.known.is_final and trial.team.trouble is None:
            size = probes.next_size(self.known)
            async for event in self._measure(size, trial):
                yield event
            self._learn(size, trial)
        async for event in self._repeat(trial):
            yield event
        trial.team.finished = True
        if trial.team.trouble is None:
            trial.book.finish()
        limit = Limit(self.request.axis, self.request.largest, self.known, *self.edge)
        yield SweepDone(trial.results(), trial.team.trouble, trial.team.reference_s, limit)

    async def _measure(self, value: int, trial: Trial) -> AsyncGenerator[SweepEvent, None]:
        rows = (*trial.sweep.rows, Row(self.request.shape_at(value)))
        trial.sweep = replace(trial.sweep, rows=rows)
        async for event in row(len(rows) - 1, trial):
            yield event

    async def _repeat(self, trial: Trial) -> AsyncGenerator[SweepEvent, None]:
        """The largest size that passes, measured again: a hang may come one time in three."""
        edge = self.known.passes
        if edge < self.request.smallest or trial.team.trouble is not None:
            return
        self.edge = (1, 1)
        while self.edge[1] < self.request.repeats and self.edge[0] == self.edge[1]:
            async for event in self._measure(edge, trial):
                yield event
            result = trial.book.results.get(len(trial.sweep.rows) - 1)
            if result is None:
                return
            self.edge = (self.edge[0] + (result.verdict in PASSES), self.edge[1] + 1)

    def _learn(self, value: int, trial: Trial) -> None:
        result = trial.book.results.get(len(trial.sweep.rows) - 1)
        if result is not None:
            spent = int(result.verdict in HANGS)
            self.known = self.known.after(value, result.verdict in PASSES, spent)

    def _costs(self) -> Costs:
        deadline = self.request.sweep.deadlines.later
        return Costs(lambda size: FIRST_GUESS_S, deadline + RECOVERY_S + RISK_S)
