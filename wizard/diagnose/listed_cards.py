"""Graphics cards that a pasted ``lspci``, ``rocminfo`` or kernel log lists as the user's own.

A target in a list of code objects, of supported chips or of a library's files is nobody's card.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from wizard.diagnose.chip_names import INTEGRATED, gfx_of_chip, gfx_of_marketing
from wizard.diagnose.lines import Line
from wizard.knowledge.cards import AMD, gfx_of_name, is_rdna1, look_up

CARD_ANCHORS = (
    "VGA compatible controller",
    "Display controller",
    "3D controller",
    " 0300: ",
    " 0302: ",
    " 0380: ",
    "Marketing Name:",
    "Chip ID:",
    "Device Type:",
    "Name:  ",
    "initializing kernel modesetting",
    "added device 1002:",
    "skipped device 1002:",
    " rev ",
)
LISTED = re.compile(
    r"(?:^|\s)(?P<slot>(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+\"?"
    r"(?:(?:VGA compatible|Display|3D) controller(?: \[03\d\d\])?\"?:? \"?(?P<name>[^\n]{0,300})"
    r"|(?:Class )?03(?:00|02|80): (?P<bare>[0-9a-f]{4}:[0-9a-f]{4}))"
)
IDS = re.compile(
    r"\[([0-9a-fA-F]{4}:[0-9a-fA-F]{4})\](?!.{0,200}\[[0-9a-fA-F]{4}:[0-9a-fA-F]{4}\])"
)
REVISION = re.compile(r"\(rev ([0-9a-f]{2})[,)]|-r([0-9a-f]{2})\b")
AGENT = re.compile(r"^\s*Name:\s+(gfx[0-9a-f]{3,5})\b")
MARKETING = re.compile(r"Marketing Name:\s+(\S[^\n]{0,80}?)\s*$")
CHIP = re.compile(r"Chip ID:\s+\d+\s*\(0x([0-9a-fA-F]{4})\)")
TYPE = re.compile(r"Device Type:\s+(\w+)")
MODESETTING = re.compile(
    r"initializing kernel modesetting \(\w+ 0x(1002):0x([0-9A-Fa-f]{4})"
    r" 0x[0-9A-Fa-f]{4}:0x[0-9A-Fa-f]{4} 0x([0-9A-Fa-f]{2})"
)
DEVICE = re.compile(r"(?:added|skipped) device (1002:[0-9a-f]{4})")
DETECTED = re.compile(
    r"^\s*(\S[^\[\n]{0,80}) \[([0-9a-f]{4}:[0-9a-f]{4}) rev ([0-9a-f]{2})\]"
    r" at ([0-9a-f:.]{7,14})\s*$"
)
"""As ``rdna1-setup detect`` shows a card."""


@dataclass(frozen=True, slots=True)
class ListedCard:
    """A card that the text lists."""

    pci_id: str
    """``""`` where the listing has no numbers."""
    gfx: str
    """The real target as far as it can be told; ``""`` otherwise."""
    name: str
    slot: str
    source: str
    """``lspci``, ``rocminfo``, ``kernel log`` or ``detect``."""
    where: str
    reported: str = ""
    """The target that ROCm reports, which an override changes."""

    @property
    def rdna1(self) -> bool:
        """True for gfx1010, gfx1011 and gfx1012."""
        return is_rdna1(self.gfx)

    @property
    def integrated(self) -> bool:
        """True for the graphics part of a processor."""
        return self.gfx in INTEGRATED or look_up(self.pci_id, "").integrated

    @property
    def amd(self) -> bool:
        """True for cards of AMD's."""
        return self.pci_id.startswith(f"{AMD}:") or bool(self.gfx)


def card_form(card: ListedCard) -> dict[str, Any]:
    """The JSON form; it only grows."""
    return {
        "pci_id": card.pci_id or None,
        "gfx": card.gfx or None,
        "name": card.name,
        "rdna1": card.rdna1,
        "source": card.source,
        "reported_gfx": card.reported or None,
    }


class CardLines:
    """Gathers cards from the lines of a text, in their order."""

    def __init__(self) -> None:
        self._pci: dict[str, ListedCard] = {}
        self._kernel: dict[str, ListedCard] = {}
        self._agents: list[dict[str, str]] = []

    def take(self, line: Line) -> None:
        """Look at one line."""
        if found := LISTED.search(line.text):
            card = _listed(found, line)
            self._pci.setdefault(f"{card.slot} {card.name}", card)
        elif found := DETECTED.search(line.text):
            name, pci_id, revision, slot = found.groups()
            gfx, where = look_up(pci_id, revision).gfx, f"line {line.number}"
            self._pci[slot] = ListedCard(pci_id, gfx, name, slot, "detect", where)
        elif found := MODESETTING.search(line.text):
            vendor, device, revision = (part.lower() for part in found.groups())
            self._kernel_card(f"{vendor}:{device}", revision, line)
        elif found := DEVICE.search(line.text):
            self._kernel_card(found[1], "", line)
        else:
            self._agent_line(line)

    def found(self) -> tuple[ListedCard, ...]:
        """All cards: none of them twice because two programs list it."""
        cards = list(self._pci.values())
        for card in (*map(_agent, self._agents), *self._kernel.values()):
            twin = next((n for n, other in enumerate(cards) if _same(card, other)), None)
            if twin is None:
                cards.append(card)
            elif card.reported and not cards[twin].reported:
                cards[twin] = replace(cards[twin], reported=card.reported)
            elif card.reported:
                cards.append(card)
        return tuple(cards)

    def _kernel_card(self, pci_id: str, revision: str, line: Line) -> None:
        if pci_id in self._kernel:
            return
        known = look_up(pci_id, revision)
        where = f"line {line.number}"
        self._kernel[pci_id] = ListedCard(pci_id, known.gfx, known.name, "", "kernel log", where)

    def _agent_line(self, line: Line) -> None:
        if found := AGENT.match(line.text):
            self._agents.append({"reported": found[1], "where": f"line {line.number}"})
        elif self._agents:
            for key, pattern in (("name", MARKETING), ("chip", CHIP), ("type", TYPE)):
                if found := pattern.search(line.text):
                    self._agents[-1].setdefault(key, found[1])


def _listed(found: re.Match[str], line: Line) -> ListedCard:
    where = f"line {line.number}"
    ids = IDS.search(line.text)
    pci_id = (found["bare"] or (ids[1] if ids else "")).lower()
    revision = REVISION.search(line.text)
    known = look_up(pci_id, (revision[1] or revision[2]) if revision else "") if pci_id else None
    name = found["name"] or ""
    gfx = (known.gfx if known else "") or gfx_of_chip(name)
    told = known.name if known and known.gfx else _plain_name(name) or (known.name if known else "")
    return ListedCard(pci_id, gfx, told, found["slot"], "lspci", where)


def _plain_name(name: str) -> str:
    return re.sub(r" ?\[[0-9a-fA-F]{4}:[0-9a-fA-F]{4}\]| ?\(rev \w+\)|\"", "", name).strip()


def _agent(told: dict[str, str]) -> ListedCard:
    pci_id = f"{AMD}:{told['chip'].lower()}" if "chip" in told else ""
    known = look_up(pci_id, "") if pci_id else None
    name = told.get("name", "")
    real = (known.gfx if known else "") or gfx_of_name(name) or gfx_of_marketing(name)
    shown = name or (known.name if known else told["reported"])
    gfx = real or told["reported"]
    return ListedCard(pci_id, gfx, shown, "", "rocminfo", told["where"], told["reported"])


def _same(card: ListedCard, other: ListedCard) -> bool:
    if card.pci_id and other.pci_id:
        return card.pci_id == other.pci_id
    return bool(card.gfx) and card.gfx == other.gfx
