"""Carries out the search for the largest size that passes, on the card itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Any

from wizard.conv2d.client import carried_out
from wizard.conv2d.search.experiment import Experiment, changes_along, hangs_spent
from wizard.conv2d.search.limit import Known, Limit, Probes
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import Search, SweepEvent
from wizard.conv2d.verdicts import RIGHT, Result

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
REPEATS = 3
RISK_S = 60.0
"""What the risk of one hang, a frozen desktop, is held to be worth."""
RECOVERY_S = 2.0
PASS_S = 0.2
"""What a pass is held to take."""


@dataclass(frozen=True, slots=True)
class LimitRequest(Search):
    """Which limit is asked for, and what may be spent on it; all else stays as in the row."""

    axis: str
    smallest: int
    largest: int
    hangs: int
    """How many hangs may be spent."""
    repeats: int = REPEATS
    """How often the largest size that passes is measured in all."""

    def row_at(self, value: int) -> Row:
        """The row with that value; the padding keeps the image's size."""
        fields: dict[str, Any] = dict.fromkeys(AXES[self.axis], value)
        if self.axis == "kernel":
            fields["padding"] = value // 2
        return replace(self.row, shape=replace(self.row.shape, **fields), published=None)


def find_limit(request: LimitRequest, **where: Any) -> AsyncGenerator[SweepEvent, None]:
    """The events of a search, as those of a sweep, with the limit in the last one.

    ``where`` is what ``carried_out`` takes too. Probes come out of what was measured alone: an
    unfinished search is gone on with from its journal.
    """
    ends = (request.row_at(request.smallest), request.row_at(request.largest))
    return carried_out(request.sweep, _Search(request).find, (), ends, **where)


class _Search:
    """What is known while it goes on."""

    def __init__(self, request: LimitRequest) -> None:
        self.request = request
        self.known = Known(request.smallest - 1, request.largest + 1, request.hangs)
        self.marks: tuple[int, ...] = ()
        """Values at which MIOpen would choose from other solvers than just below."""
        self.edge = (0, 0)
        """How often the largest size that passes came back right, and was measured."""

    async def find(self, experiment: Experiment) -> Limit:
        await experiment.assemble(self.request.row_at(self.request.smallest))
        values = range(self.request.smallest, self.request.largest + 1)
        self.marks = await changes_along(experiment, self.request.row_at, values)
        probes = Probes(self.known, PASS_S, self._hang_s())
        while not (self.known.is_final or experiment.is_over or experiment.trial.is_spent):
            size = self._at_mark() or probes.next_size(self.known)
            self._learn(size, await self._measured(size, experiment))
        await self._repeat(experiment)
        return Limit(self.request.axis, self.request.largest, self.known, *self.edge, self.marks)

    def _at_mark(self) -> int:
        """The next value at which the solvers change, and that below it: limits are likely there.

        0 where none is left, and for the last hang: that comes near from below, to be exact.
        """
        known = self.known
        mark = next((each for each in self.marks if known.passes < each < known.hangs), 0)
        if not mark or known.budget < 2:
            return 0
        return mark if known.passes == mark - 1 else mark - 1

    async def _measured(self, value: int, experiment: Experiment) -> Result | None:
        return await experiment.measure(self.request.row_at(value))

    async def _repeat(self, experiment: Experiment) -> None:
        """The largest size that passes, measured again: a hang may come one time in three."""
        edge = self.known.passes
        if edge < self.request.smallest or experiment.is_over:
            return
        self.edge = (1, 1)
        while self.edge[1] < self.request.repeats and self.edge[0] == self.edge[1]:
            result = await self._measured(edge, experiment)
            if result is None:
                return
            self.edge = (self.edge[0] + (result.verdict in RIGHT), self.edge[1] + 1)

    def _learn(self, value: int, result: Result | None) -> None:
        if result is not None and not _environment_broke(result):
            spent = hangs_spent(result)
            self.known = self.known.after(value, result.verdict in RIGHT, spent)

    def _hang_s(self) -> float:
        """On a card a hang is dear, so it is come near to from below; on the processor nothing
        freezes, and what fails there seldom hangs: the range is halved as far as its hangs allow.
        """
        sweep = self.request.sweep
        return PASS_S if sweep.device == "cpu" else sweep.deadlines.later + RECOVERY_S + RISK_S


def _environment_broke(result: Result) -> bool:
    """True when its control failed too: then its failure says nothing of its size."""
    return result.control is not None and result.control.verdict not in RIGHT
