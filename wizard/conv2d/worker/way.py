"""How a measuring parent comes to be: rows of the same way share one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from wizard.conv2d.presets import Row, Setting
from wizard.conv2d.surroundings import LOGGING
from wizard.conv2d.worker.isolation import leading_to


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

    def environment(self, base: Mapping[str, str], databases: Path | None) -> dict[str, str]:
        """The environment of its parents, with MIOpen's databases in that folder, if any."""
        led = {} if databases is None else leading_to(databases)
        return {**base, **dict(LOGGING if self.log else ()), **led, **dict(self.setting)}
