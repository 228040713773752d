"""How programs print the graphics cards of a machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from wizard.knowledge.tables import read_table

Forms = tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """The lines in which one program tells of cards; their groups are named in the table."""

    name: str
    anchors: tuple[str, ...]
    """Fixed strings of which one is in every line that a form fits."""
    one_line: Forms
    """A whole card in a line."""
    start: Forms
    """The first of several lines about one device."""
    told: Forms
    """The lines after it."""
    kind: re.Pattern[str]
    """How the kind of a graphics card begins."""
    telling: frozenset[str]
    """Groups of which a device must have one."""
    of_chip: bool
    """True where names are those of the chip and not of the card."""
    of_one: bool
    """True for what tells of one card again and again."""
    of_rocm: bool
    """True for what lists AMD's cards alone, with the target that ROCm reports."""


@cache
def load_listings() -> dict[str, Listing]:
    """All programs by name; of several that list a card, the first one names it."""
    table = read_table("listings.toml")
    return {row["name"]: _listing(row, table) for row in table["program"]}


@cache
def load_drivers() -> dict[str, str]:
    """What a card is called of which only its kernel driver is told, by that driver."""
    drivers: dict[str, str] = read_table("listings.toml")["drivers"]
    return drivers


def _listing(row: dict[str, Any], table: dict[str, Any]) -> Listing:
    def forms(key: str) -> Forms:
        return tuple(compiled(form) for form in row.get(key, ()))

    def compiled(form: str) -> re.Pattern[str]:
        for name in ("slot", "graphics"):
            form = form.replace(f"{{{name}}}", table[name])
        return re.compile(form)

    return Listing(
        name=row["name"],
        anchors=tuple(row["anchors"]),
        one_line=forms("one_line"),
        start=forms("start"),
        told=forms("told"),
        kind=compiled(row.get("kind", "")),
        telling=frozenset(row.get("telling", ("line",))),
        of_chip=row.get("of_chip", False),
        of_one=row.get("of_one", False),
        of_rocm=row.get("of_rocm", False),
    )
