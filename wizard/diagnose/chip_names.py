"""Names of chips and series of cards, and the instruction set of each."""

from __future__ import annotations

import re
from functools import cache

CHIPS = {
    "Navi 10": "gfx1010",
    "Navi 12": "gfx1011",
    "Navi 14": "gfx1012",
    "Cyan Skillfish": "gfx1013",
    "Navi 21": "gfx1030",
    "Navi 22": "gfx1031",
    "Navi 23": "gfx1032",
    "Navi 24": "gfx1034",
    "Navi 31": "gfx1100",
    "Navi 32": "gfx1101",
    "Navi 33": "gfx1102",
    "Navi 44": "gfx1200",
    "Navi 48": "gfx1201",
    "Vega 10": "gfx900",
    "Vega 20": "gfx906",
    "Ellesmere": "gfx803",
    "Polaris 10": "gfx803",
    "Baffin": "gfx803",
    "Polaris 11": "gfx803",
    "Polaris 12": "gfx803",
    "Lexa": "gfx803",
    "Raven": "gfx902",
    "Picasso": "gfx902",
    "Renoir": "gfx90c",
    "Lucienne": "gfx90c",
    "Cezanne": "gfx90c",
    "Barcelo": "gfx90c",
    "VanGogh": "gfx1033",
    "Rembrandt": "gfx1035",
    "Raphael": "gfx1036",
    "Granite Ridge": "gfx1036",
    "Mendocino": "gfx1037",
    "Phoenix": "gfx1103",
    "HawkPoint": "gfx1103",
    "Strix": "gfx1150",
}
"""Names of chips as pci.ids has them, for listings without numbers."""
INTEGRATED = frozenset(
    {"gfx902", "gfx909", "gfx90c", "gfx1033", "gfx1035", "gfx1036", "gfx1037", "gfx1103"}
    | {"gfx1150", "gfx1151", "gfx1152", "gfx1153"}
)
"""Targets that are parts of processors."""


def gfx_of_chip(name: str) -> str:
    """The target of AMD's chip that a listing without numbers names; ``""`` for none."""
    if not re.search("AMD|ATI|Advanced Micro|Radeon", name):
        return ""
    return next((gfx for form, gfx in _forms() if form.search(name)), "")


@cache
def _forms() -> list[tuple[re.Pattern[str], str]]:
    """Drivers write ``NAVI10`` and ``RAPHAEL_MENDOCINO`` for what listings call Navi 10."""
    return [
        (re.compile(rf"(?i)(?<![a-z0-9]){chip.replace(' ', ' ?')}(?![a-z0-9])"), gfx)
        for chip, gfx in CHIPS.items()
    ]


def gfx_of_marketing(name: str) -> str:
    """The target of a card that is called so, as far as series tell it."""
    if re.search(r"\bRX 5[67]\d\d|Pro W?57\d\d|Pro 5700", name):
        return "gfx1010"
    if re.search(r"\bRX 5[35]\d\d|Pro W?5[35]\d\d", name):
        return "gfx1012"
    return "gfx1011" if re.search(r"Pro (?:V5[24]0|5600M)", name) else ""
