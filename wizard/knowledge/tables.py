"""Reads the tables in ``assets``."""

from __future__ import annotations

import sys
from typing import Any

from assets import PLACE

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_table(name: str) -> dict[str, Any]:
    """One TOML file of ours; a mistake in it is a bug and raises."""
    with open(f"{PLACE}/{name}", "rb") as file:  # noqa: PTH123 - pathlib takes longer
        return tomllib.load(file)
