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
from typing import Any

from wizard.conv2d.client import carried_out
from wizard.conv2d.search.experiment import Experiment, hangs_spent
from wizard.conv2d.search.setting_search import ENGINES
from wizard.conv2d.shapes import Row, Setting
from wizard.conv2d.sweep import Note, Sweep, SweepEvent, isolated
from wizard.conv2d.verdicts import RIGHT
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

    ``where`` is what ``carried_out`` takes too; an unfinished comparison is gone on with.
    """
    rows = tuple(replace(UNCHANGED.row(row), published=None) for row in request.sweep.rows)

    async def measure(experiment: Experiment) -> None:
        await experiment.assemble(rows[0])
        hangs, left = request.hangs, rows
        for number, rival in enumerate(rivals(request.sweep.device)):
            if number:
                await experiment.renew()
            right = []
            for row in left:
                # Nothing more may be risked.
                result = await experiment.measure(rival.row(row)) if hangs > 0 else None
                hangs -= 0 if result is None else hangs_spent(result)
                right += [row] if result is not None and result.verdict in RIGHT else []
            left = left if number else tuple(right)
        if hangs < 1:
            experiment.tell(Note(SPENT))

    return carried_out(isolated(request.sweep), measure, rows, rows, **where)
