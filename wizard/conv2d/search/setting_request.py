"""Which shape is to be made right, by which variables, and what may be spent on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wizard.conv2d.presets import Row
from wizard.conv2d.search.culprit import POLLING
from wizard.conv2d.search.settings_search import Change, Changes
from wizard.conv2d.sweep import Sweep
from wizard.knowledge.solvers import FIND_MODE, FIND_MODES, load_families

ENGINES = ("native", "unfold")
"""Ways past MIOpen that are tried: engines of a ``Row``."""


@dataclass(frozen=True, slots=True)
class SettingRequest:
    """A search for the smallest setting."""

    sweep: Sweep
    """How it is measured; its rows do not matter."""
    row: Row
    hangs: int
    """How many hangs may be spent."""
    largest: int = 4
    """No set of more variables is tried: with four families left out one is left."""
    repeats: int = 3
    """How often what passes is measured again."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """Variables that are tried in sets."""
        modes = ((FIND_MODE, mode) for mode in FIND_MODES)
        return (*(family.off for family in load_families()), *modes, POLLING)

    @property
    def alone(self) -> tuple[Change, ...]:
        """Variables that leave nothing for another one to change: tried by themselves."""
        return tuple(family.alone for family in load_families())

    def row_under(self, changes: Changes, *, log: bool = True) -> Row:
        """The row with these variables set."""
        return replace(self.row, setting=tuple(sorted(changes)), log=log, published=None)
