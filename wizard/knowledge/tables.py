"""Reads the tables in ``assets``."""

from __future__ import annotations

import sys
from typing import Any

from assets import FOLDER

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_table(name: str) -> dict[str, Any]:
    """One TOML file of ours; a mistake in it is a bug and raises."""
    with (FOLDER / name).open("rb") as file:
        return tomllib.load(file)
