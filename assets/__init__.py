"""Data, and the scripts that run elsewhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    FOLDER: Path
    """Where the files of this package lie."""

PLACE = os.path.dirname(__file__)
"""The same as a text."""


def __getattr__(name: str) -> Path:
    """``FOLDER``, once somebody asks for it: to load pathlib takes longer than to read a table."""
    if name == "FOLDER":
        from pathlib import Path

        return Path(PLACE)
    raise AttributeError(name)
