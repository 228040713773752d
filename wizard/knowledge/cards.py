"""What is known of graphics chips.

What ids and names tell of a card, how programs list cards, and for which chips the packages of
distributions hold code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from wizard.knowledge.tables import read_rows, read_table, typed_rows

AMD = "1002"
VENDORS = {"10de": "NVIDIA", "8086": "Intel", "1af4": "Virtio", "15ad": "VMware", "1234": "QEMU"}


@dataclass(frozen=True, slots=True)
class Card:
    """What is known of a card from its ids alone."""

    name: str
    gfx: str
    """Target by the table, ``""`` when the table has none."""
    rdna1: bool
    integrated: bool
    """True for the graphics part of a processor."""
    note: str


def look_up(pci_id: str, revision: str) -> Card:
    """The card behind ``1002:731f`` and ``ca``; named by its vendor alone when not in the table."""
    vendor, _, device = pci_id.partition(":")
    row = _devices().get(device) if vendor == AMD else None
    if row is None:
        maker = "AMD" if vendor == AMD else VENDORS.get(vendor, "Unknown")
        return Card(f"{maker} GPU {pci_id}", "", rdna1=False, integrated=False, note="")
    gfx = row.get("gfx", "")
    return Card(
        name=row.get("revisions", {}).get(revision, row["name"]),
        gfx=gfx,
        rdna1=is_rdna1(gfx),
        integrated=row.get("integrated", False),
        note=row.get("note", ""),
    )


def gfx_of_name(name: str) -> str | None:
    """The target of the card that a runtime calls so; None for none, and for a name of several."""
    bare = name.removeprefix("AMD ").strip().lower()
    found = {
        row["gfx"]
        for row in _devices().values()
        if row.get("gfx")
        and bare in {each.lower() for each in (row["name"], *row.get("revisions", {}).values())}
    }
    return found.pop() if len(found) == 1 else None


def gfx_of_chip(name: str) -> str:
    """The target of AMD's chip that a listing without numbers names; ``""`` for none."""
    if not re.search("AMD|ATI|Advanced Micro|Radeon", name):
        return ""
    found = ((form.search(name), gfx) for form, gfx in _chips())
    return min(((part.start(), gfx) for part, gfx in found if part), default=(0, ""))[1]


def gfx_of_series(name: str) -> str:
    """The target of a card that is called so, as far as series tell it; ``""`` for none."""
    return next((gfx for form, gfx in _series() if form.search(name)), "")


def is_integrated(gfx: str) -> bool:
    """True for targets that are parts of processors."""
    return gfx in read_table("cards.toml")["integrated"]


def is_rdna1(gfx: str) -> bool:
    """True for the targets of RX 5500, 5600 and 5700 and their siblings."""
    return gfx in read_table("cards.toml")["rdna1"]


@cache
def _chips() -> list[tuple[re.Pattern[str], str]]:
    """Drivers write ``NAVI10`` and ``RAPHAEL_MENDOCINO`` for what listings call Navi 10."""
    return [
        (re.compile(rf"(?i)(?<![a-z0-9]){chip.replace(' ', ' ?')}(?![a-z0-9])"), gfx)
        for gfx, chips in read_table("cards.toml")["chips"].items()
        for chip in chips
    ]


@cache
def _series() -> list[tuple[re.Pattern[str], str]]:
    rows = read_table("cards.toml")["series"]
    return [(re.compile(row["pattern"]), row["gfx"]) for row in rows]


@cache
def _devices() -> dict[str, dict[str, Any]]:
    table = read_table("cards.toml")
    notes = table["notes"]
    return {
        row["id"]: {**row, "note": notes.get(row.get("note", ""), row.get("note", ""))}
        for row in table["device"]
    }


Forms = tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """The lines in which one program tells of cards; their groups are named in the table."""

    name: str
    anchors: tuple[str, ...]
    """Fixed strings of which one is in every line that a form fits."""
    one_line: Forms = ()
    """A whole card in a line."""
    start: Forms = ()
    """The first of several lines about one device."""
    told: Forms = ()
    """The lines after it."""
    kind: re.Pattern[str] = re.compile("")
    """How the kind of a graphics card begins."""
    telling: frozenset[str] = frozenset({"line"})
    """Groups of which a device must have one."""
    of_chip: bool = False
    """True where names are those of the chip and not of the card."""
    of_one: bool = False
    """True for what tells of one card again and again."""
    of_rocm: bool = False
    """True for what lists AMD's cards alone, with the target that ROCm reports."""


@cache
def load_listings() -> dict[str, Listing]:
    """All programs by name; of several that list a card, the first one names it."""
    table = read_table("listings.toml")

    def filled(form: Any) -> Any:
        """With the parts that many forms share in place of their names."""
        if isinstance(form, list):
            return [filled(each) for each in form]
        if not isinstance(form, str):
            return form
        return form.replace("{slot}", table["slot"]).replace("{graphics}", table["graphics"])

    rows = ({key: filled(form) for key, form in row.items()} for row in table["program"])
    return {each.name: each for each in typed_rows("listings.toml, program", rows, Listing)}


def load_drivers() -> dict[str, str]:
    """What a card is called of which only its kernel driver is told, by that driver."""
    drivers: dict[str, str] = read_table("listings.toml")["drivers"]
    return drivers


@dataclass(frozen=True, slots=True)
class DistributionPackage:
    """What one version of a package holds."""

    distribution: str
    """``Ubuntu 26.04``, ``Debian experimental``."""
    name: str
    version: str
    date: str
    """ISO date on which it was read."""
    sha256: str
    """Of the package's file."""
    targets: tuple[str, ...]
    """The chips that it holds code for."""


@cache
def load_distribution_packages() -> tuple[DistributionPackage, ...]:
    """All packages that were read, by distribution and name."""
    return read_rows("distributions.toml", "package", DistributionPackage)


def targets_of(name: str, version: str) -> tuple[str, ...] | None:
    """The chips that this version of a package holds code for; None where it was not read."""
    rows = load_distribution_packages()
    return next((row.targets for row in rows if (row.name, row.version) == (name, version)), None)
