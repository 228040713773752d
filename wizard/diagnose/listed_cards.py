"""Graphics cards that a pasted text lists as the user's own, whichever program printed it.

A target in a list of code objects, of supported chips or of a library's files is nobody's card.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from wizard.diagnose.lines import Line, as_text
from wizard.knowledge.cards import (
    AMD,
    VENDORS,
    Forms,
    gfx_of_chip,
    gfx_of_name,
    gfx_of_series,
    is_integrated,
    is_rdna1,
    load_drivers,
    load_listings,
    look_up,
)

SHORT_HEAD = "graphics card:"
"""Above the names of the cards in ``hwinfo --short``."""
ENABLED = re.compile(r"amdgpu ([0-9a-f:]{7,13}\.[0-7]): enabling device")
"""Which card amdgpu begins with."""
HEADING = re.compile(r"^([A-Z]\w{2,20}):(?:$| )")
"""The part of what ``inxi`` prints to which the indented lines below it belong."""
IDS = re.compile(
    r"\[([0-9a-fA-F]{4}:[0-9a-fA-F]{4})\](?!.{0,200}\[[0-9a-fA-F]{4}:[0-9a-fA-F]{4}\])"
)
QUOTED = re.compile(r'"([^"]*)"')
"""The columns of ``lspci -mm``: class, maker, device, and two of the board."""
NUMBER = re.compile(r" ?[\[(](?:0x)?([0-9a-fA-F]{4})[\])]\s*$")
"""A number after a name."""
REVISION = re.compile(r"\(rev ([0-9a-f]{2})[,)]|-r([0-9a-f]{2})\b")
LATER = re.compile(r" (?:vendor|driver|v|bus-ID|chip-ID|arch|type): .*")
"""What ``inxi`` tells after a name on the same line."""
SOFTWARE = re.compile(
    r"(?i)llvmpipe|softpipe|swrast|lavapipe|swiftshader|software rasterizer|pthread|^cpu\b"
    r"|Core\(TM\)|Xeon|^AMD (?:Ryzen|EPYC|FX|Athlon)(?!.{0,80}(?:Radeon|Graphics))"
)
TARGET = re.compile(r"\bgfx[0-9a-f]{3,5}\b")
RUNTIME = re.compile(
    r" ?\((?:RADV|AMD |radeonsi|navi|LLVM|DRM)[^)]{0,120}\)|/PCIe/SSE2|:xnack[+-].*"
)
"""What a driver adds to the name."""
FETCH = "neofetch"
"""It names each card once, line by line: apart from others, a line names one of those again."""
QUOTED_LEAST = 2
FARTHEST = 60
"""Lines between two that tell of one device."""


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
    """The program that lists it, such as ``lspci``; ``kernel log`` or ``detect``."""
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
        return is_integrated(self.gfx) or look_up(self.pci_id, "").integrated

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
        self._devices: list[dict[str, str]] = []
        self._groups = Counter[str]()
        """How often each program has begun to count its devices."""
        self._numbers: dict[str, int] = {}

    def take(self, line: Line) -> None:
        """Look at one line."""
        text = line.text
        if text.strip() == SHORT_HEAD:
            self._groups["hwinfo"] += 1
            below = map(as_text, line.near[line.here + 1 :])
            for name in takewhile(lambda each: each.startswith(" "), below):
                self._add("hwinfo", line, {"is": "graphics card", "name": name.strip()})
            return
        for program, listing in load_listings().items():
            if cards := _first(listing.one_line, text):
                for told in cards:
                    self._one_line(program, line, told)
                return
        for program, listing in load_listings().items():
            if devices := _first(listing.start, text):
                self._begin(program, line, devices[0])
                break
        self._go_on(line)

    def found(self) -> tuple[ListedCard, ...]:
        """All cards: none of them twice because two programs list it."""
        cards: list[ListedCard] = []
        seen: dict[int, set[str]] = {}
        order = list(load_listings())
        for device in sorted(self._devices, key=lambda each: order.index(each["program"])):
            if (card := _card(device)) is None:
                continue
            group, of_one = device["group"], load_listings()[device["program"]].of_one
            twins = [n for n, each in enumerate(cards) if _same(each, card)]
            slots = [n for n in twins if card.slot and cards[n].slot]
            free = (n for n in twins if of_one or n in slots or group not in seen[n])
            place = next(free, len(cards))
            if place == len(cards):
                cards.append(card)
            cards[place] = _merged(cards[place], card)
            seen.setdefault(place, set()).add(group)
        return tuple(cards)

    def _one_line(self, program: str, line: Line, told: dict[str, str]) -> None:
        if program == "lspci" and len(columns := QUOTED.findall(line.text)) > QUOTED_LEAST:
            told = {**told, "maker": columns[1], "name": columns[2]}
        if program == "kernel log" and (slot := _last(ENABLED, line.near[: line.here])):
            told = {"slot": slot, **told}
        above = (program, str(line.number - 1))
        if program == FETCH and above not in ((d["program"], d["line"]) for d in self._devices):
            self._groups[program] += 1
        if driver := told.get("driver"):
            told = {**told, "name": load_drivers()[driver]}
        self._add(program, line, told)

    def _begin(self, program: str, line: Line, told: dict[str, str]) -> None:
        if program == "inxi":
            part = _last(HEADING, line.near[: line.here + 1])
            told = {**told, "name": LATER.sub("", told["name"]), "part": part}
        if program == "rocm-smi":
            own = (program, told.get("number", ""))
            same = (d for d in self._devices if (d["program"], d.get("number")) == own)
            if (before := next(same, None)) is not None:
                self._devices.remove(before)
                self._devices.append({**before, "last": str(line.number)})
                return
        self._add(program, line, told)

    def _add(self, program: str, line: Line, told: dict[str, str]) -> None:
        place, number = str(line.number), int(told.get("number", -1))
        if 0 <= number <= self._numbers.get(program, -1):  # once more, or for another platform
            self._groups[program] += 1
        if number >= 0:
            self._numbers[program] = number
        group = f"{program} {self._groups[program]}"
        own = {"program": program, "group": group, "line": place, "last": place}
        self._devices.append({**own, "whole": line.text, **told})

    def _go_on(self, line: Line) -> None:
        """Take what a line tells of the device that the lines before it began."""
        device = self._devices[-1] if self._devices else None
        if device is None or line.number - int(device["last"]) > FARTHEST:
            return
        for form in load_listings()[device["program"]].told:
            for found in form.finditer(line.text):
                told = _given(found)
                # What was cut out of rocminfo may tell the processor's name between.
                if "reported" in device and SOFTWARE.search(device.get("name", "")):
                    device["name"] = told.get("name", device["name"])
                device.update({**told, **device, "last": str(line.number)})


def _first(forms: Forms, text: str) -> list[dict[str, str]]:
    """What the first form that fits tells, each time that it does."""
    every = ([_given(found) for found in form.finditer(text)] for form in forms)
    return next((told for told in every if told), [])


def _given(found: re.Match[str]) -> dict[str, str]:
    return {name: value for name, value in found.groupdict().items() if value}


def _last(form: re.Pattern[str], lines: Sequence[bytes]) -> str:
    """What the last of these lines tells that is of this form; ``""`` where none is."""
    found = (form.search(as_text(line)) for line in reversed(lines))
    return next((one[1] for one in found if one), "")


def _is_graphics(device: dict[str, str]) -> bool:
    """False for processors, cameras, sound, and what only draws in software."""
    program, kind, driver = device["program"], device.get("is", ""), device.get("driver", "")
    listing = load_listings()[program]
    if SOFTWARE.search(device.get("name", "")) or not listing.kind.match(kind):
        return False
    if program == "inxi":
        by_driver = not device["part"] and driver in load_drivers()
        of_graphics = device["part"] == "Graphics" or by_driver
        return of_graphics and "usb" not in device and driver != "uvcvideo"
    return not device.keys().isdisjoint(listing.telling)


def _card(device: dict[str, str]) -> ListedCard | None:
    """The card that a device is; None for one that is no card."""
    if not _is_graphics(device):
        return None
    name = device.get("name", "")
    pci_id, revision = _numbers(device, name), device.get("revision", "")
    if not revision and (found := REVISION.search(device["whole"])):
        revision = found[1] or found[2]
    known = look_up(pci_id, revision.lower()) if pci_id else None
    of_rocm = load_listings()[device["program"]].of_rocm
    amd = "AMD " if of_rocm or device.get("vendor") == AMD else ""
    called = f"{device.get('maker', '')} {name}"
    reported = device.get("reported", "") or next(iter(TARGET.findall(name)), "")
    gfx = (
        (known.gfx if known else "")
        or gfx_of_chip(amd + called)
        or gfx_of_chip(f"AMD {known.name}" if known else "")
        or gfx_of_name(RUNTIME.sub("", name).strip())
        or gfx_of_series(name)
        or reported
    )
    told = known.name if known and known.gfx and load_listings()[device["program"]].of_chip else ""
    told = told or _plain_name(called) or (known.name if known else reported)
    if not (pci_id or gfx or told):
        return None
    where = f"line {device['line']}"
    reported = reported if of_rocm else ""
    return ListedCard(pci_id, gfx, told, _slot(device), device["program"], where, reported)


def _numbers(device: dict[str, str], name: str) -> str:
    """The ids of maker and device; ``""`` where they are not told."""
    if given := device.get("pci_id"):
        return given.lower()
    of_line = IDS.search(device["whole"]) if device["program"] == "lspci" else None
    if found := of_line or IDS.search(name):
        return found[1].lower()
    maker, number = NUMBER.search(device.get("maker", "")), NUMBER.search(name)
    vendor = device.get("vendor") or (maker[1] if maker else "")
    number_of = device.get("device") or (number[1] if number else "")
    if not vendor and (load_listings()[device["program"]].of_rocm or "AMD" in name):
        vendor = AMD
    return f"{vendor}:{number_of}".lower() if vendor and number_of else ""


def _slot(device: dict[str, str]) -> str:
    """Without the domain where that is the usual one."""
    if bdf := device.get("bdf"):
        bus, rest = divmod(int(bdf), 256)
        return f"{bus:02x}:{rest >> 3:02x}.{rest & 7}"
    slot = re.sub(r"_(?=[0-7]$)", ".", device.get("slot", "").lower()).replace("_", ":")
    return re.sub(r"^0{4,8}:(?=..:)", "", slot)


def _plain_name(name: str) -> str:
    bare = re.sub(
        r" ?\[[0-9a-fA-F]{4}(?::[0-9a-fA-F]{4})?\]| ?\((?:rev|prog-if) [^)]{1,40}\)|\"", "", name
    )
    return NUMBER.sub("", RUNTIME.sub("", bare)).strip()


def _same(one: ListedCard, other: ListedCard) -> bool:
    """True when two programs may mean the same card."""
    for mine, theirs in ((one.slot, other.slot), (one.pci_id, other.pci_id), (one.gfx, other.gfx)):
        if mine and theirs:
            return mine == theirs
    models = [set(re.findall(r"\b\d{3,5}\b", card.name)) for card in (one, other)]
    return _maker(one) == _maker(other) and (not all(models) or bool(models[0] & models[1]))


def _maker(card: ListedCard) -> str:
    told = card.pci_id[:4] or next((v for v, name in VENDORS.items() if name in card.name), "")
    return told or ("10de" if "GeForce" in card.name else AMD)


def _merged(card: ListedCard, other: ListedCard) -> ListedCard:
    """The card with what the other listing knows beside."""
    general = card.name == look_up(card.pci_id, "").name
    return replace(
        card,
        pci_id=card.pci_id or other.pci_id,
        gfx=card.gfx or other.gfx,
        name=other.name if general or not card.name else card.name,
        slot=card.slot or other.slot,
        reported=card.reported or other.reported,
    )
