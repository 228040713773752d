"""The families of MIOpen's algorithms and the ways past it, against one another.

Each shape first as it is; what does not come back right then is left out, for there is nothing to
choose. Then each family alone, all others switched off, and each way past MIOpen: on every shape
that is left, in a process of its own with databases of its own and without MIOpen's log. On a
processor MIOpen has no part: there the families and torch's own way past it are the same as what is
there, and only what is another way is compared.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from wizard.conv2d.client import carried_out
from wizard.conv2d.search.experiment import Experiment, hangs_spent
from wizard.conv2d.search.setting_search import ENGINES
from wizard.conv2d.shapes import Row, Setting
from wizard.conv2d.sweep import Note, Sweep, SweepEvent
from wizard.conv2d.verdicts import RIGHT, Result
from wizard.knowledge.solvers import Family, load_families

SPENT = "The limit on hangs was reached, so the missing rows were not measured."


@dataclass(frozen=True, slots=True)
class Rival:
    """One way to do a convolution."""

    name: str
    setting: Setting = ()
    engine: str = "configured"

    def row(self, row: Row) -> Row:
        """The shape of that row, done this way."""
        return replace(row, setting=self.setting, engine=self.engine, log=False)


UNCHANGED = Rival("unchanged")


def rivals(device: str = "cuda") -> tuple[Rival, ...]:
    """All that are compared on a device; the first one changes nothing."""
    if device == "cpu":
        return UNCHANGED, Rival("unfold", engine="unfold")
    families = tuple(Rival(f"only {each.name}", only(each)) for each in load_families())
    return (UNCHANGED, *families, *(Rival(name, engine=name) for name in ENGINES))


def only(family: Family) -> Setting:
    """The variables that leave this family alone."""
    return tuple(sorted(each.off for each in load_families() if each != family))


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What is compared, and what may be spent on it."""

    sweep: Sweep
    hangs: int


def compare(request: CompareRequest, **where: Any) -> AsyncGenerator[SweepEvent, None]:
    """The events of a comparison, as those of a sweep; the results hold all of it.

    ``where`` is what ``run_sweep`` takes too; an unfinished comparison is gone on with.
    """
    sweep = request.sweep
    rows = tuple(replace(UNCHANGED.row(row), published=None) for row in sweep.rows)
    named = replace(sweep, rows=rows, environment=replace(sweep.environment, isolated=True))
    return carried_out(named, partial(_made, request), rows, rows, **where)


async def _made(request: CompareRequest, experiment: Experiment) -> None:
    ways = rivals(request.sweep.device)
    await _Comparison(experiment.trial.sweep.rows, request.hangs, ways).make(experiment)


@dataclass(slots=True)
class _Comparison:
    rows: tuple[Row, ...]
    hangs: int
    ways: tuple[Rival, ...]

    async def make(self, experiment: Experiment) -> None:
        """Measure it; what is known from an earlier start is not measured again."""
        await experiment.assemble(self.rows[0])
        left = self.rows
        for number, rival in enumerate(self.ways):
            if number:
                await experiment.renew()
            results = [await self._measured(rival.row(row), experiment) for row in left]
            if not number:
                pairs = zip(left, results, strict=True)
                left = tuple(row for row, one in pairs if one and one.verdict in RIGHT)
        if self.hangs < 1:
            experiment.tell(Note(SPENT))

    async def _measured(self, row: Row, experiment: Experiment) -> Result | None:
        """Its result; None when nothing more may be risked or can be measured."""
        if self.hangs < 1:
            return None
        result = await experiment.measure(row)
        self.hangs -= 0 if result is None else hangs_spent(result)
        return result
