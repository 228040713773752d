"""Graphics chips: what a PCI id and a revision tell of a card."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from wizard.knowledge.tables import read_table

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
        return Card(_general_name(vendor, pci_id), "", rdna1=False, integrated=False, note="")
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
    return gfx in _table()["integrated"]


def is_rdna1(gfx: str) -> bool:
    """True for the targets of RX 5500, 5600 and 5700 and their siblings."""
    return gfx in _table()["rdna1"]


def _general_name(vendor: str, pci_id: str) -> str:
    return f"{'AMD' if vendor == AMD else VENDORS.get(vendor, 'Unknown')} GPU {pci_id}"


@cache
def _table() -> dict[str, Any]:
    return read_table("cards.toml")


@cache
def _chips() -> list[tuple[re.Pattern[str], str]]:
    """Drivers write ``NAVI10`` and ``RAPHAEL_MENDOCINO`` for what listings call Navi 10."""
    return [
        (re.compile(rf"(?i)(?<![a-z0-9]){chip.replace(' ', ' ?')}(?![a-z0-9])"), gfx)
        for gfx, chips in _table()["chips"].items()
        for chip in chips
    ]


@cache
def _series() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(row["pattern"]), row["gfx"]) for row in _table()["series"]]


@cache
def _devices() -> dict[str, dict[str, Any]]:
    table = _table()
    notes = table["notes"]
    return {
        row["id"]: {**row, "note": notes.get(row.get("note", ""), row.get("note", ""))}
        for row in table["device"]
    }
