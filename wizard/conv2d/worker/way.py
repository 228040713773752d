"""How a measuring parent comes to be: rows of the same way share one."""

from __future__ import annotations

from typing import NamedTuple

from wizard.conv2d.presets import Row, Setting


class Way(NamedTuple):
    """What parents differ in."""

    spawn: bool
    """A new interpreter for each shape."""
    setting: Setting = ()
    """Variables on top of the environment."""
    log: bool = False

    @classmethod
    def of(cls, row: Row | None, spawn: bool) -> Way:
        """That of a row; the plain one without."""
        return cls(spawn) if row is None else cls(spawn, row.setting, row.log)
