"""What programs say in other languages, and the English of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from wizard.knowledge.tables import read_table


@cache
def load_phrases() -> Mapping[str, str]:
    """English by the words of another language."""
    rows = read_table("phrases.toml")["phrase"]
    return {other: row["english"] for row in rows for other in row["other"]}
