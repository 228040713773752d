"""What a listing of PCI devices proves of the driver of a card."""

from __future__ import annotations

import re

from wizard.diagnose.decoding import as_text
from wizard.diagnose.finding import Confidence
from wizard.diagnose.lines import Line
from wizard.diagnose.plain import plain
from wizard.diagnose.reading import Concluded, Reading, evidence_of

SLOT = re.compile(r"\s*(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] ")
OF_AMD = re.compile(r"AMD|Advanced Micro|1002:")
DISPLAY = re.compile(r"VGA|Display|3D controller|03(?:00|02|80): ")


def held_by_vfio(reading: Reading) -> Concluded | None:
    """A card of AMD's in whose part of a listing vfio-pci is named as its driver."""
    lines = [h for h in reading.hits.get("module-named", ()) if "vfio" in h.text]
    inside = [card.slot for card in reading.cards if card.integrated and card.slot]
    if any(card.rdna1 for card in reading.cards):  # else the processor's may be all there is
        lines = [h for h in lines if not header_of(h).strip().startswith(tuple(inside))]
    held = [h for h in lines if OF_AMD.search(header_of(h))]
    slots = {card.slot.removeprefix("0000:") for card in reading.cards if card.amd and card.slot}
    taken = [
        hit
        for hit in reading.hits.get("vfio-address", ())
        if any(f"0000:{slot}" in hit.text for slot in slots)
    ]
    if not held and not taken:
        return None
    return (Confidence.CERTAIN if held else Confidence.LIKELY), evidence_of((*held, *taken[:1]))


def not_driven(reading: Reading) -> Concluded | None:
    """A card of AMD's that a listing shows without a driver; or a kernel built without KFD."""
    if reading.has("kfd-not-built"):
        return Confidence.LIKELY, reading.evidence("kfd-not-built")
    lines = [h for h in reading.hits.get("module-named", ()) if "amdgpu" in h.text]
    idle = [h for h in lines if header_of(h) and "driver in use" not in section_of(h)]
    return (Confidence.LIKELY, evidence_of(idle)) if idle else None


def section_of(line: Line) -> str:
    """What a listing of PCI devices says of the one that this line is about."""
    near = [plain(as_text(each)) for each in line.near]
    here = line.here  # several devices may say the same
    start = next((n for n in range(here, -1, -1) if SLOT.match(near[n])), None)
    end = next((n for n in range(here + 1, len(near)) if SLOT.match(near[n])), len(near))
    return "" if start is None else "\n".join(near[start:end])


def header_of(line: Line) -> str:
    """The line that names the display device that this line is about; ``""`` for others."""
    head = section_of(line).partition("\n")[0]
    return head if DISPLAY.search(head) else ""
