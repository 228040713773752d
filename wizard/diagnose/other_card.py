"""Whether a text is about a card that is not RDNA1: listed, named, or told by an error."""

from __future__ import annotations

from wizard.diagnose.reading import Reading
from wizard.knowledge.cards import is_integrated, is_rdna1

NAMED = ("other-amd", "older-amd")
"""Marks of cards that are not RDNA1."""
PRETENDED = frozenset({"gfx1030"})
"""What HSA_OVERRIDE_GFX_VERSION mostly makes of an RDNA1 card: an error names it as well."""


def of_another_card(reading: Reading) -> bool:
    """True when every card that this text tells of is another one; False where it tells of none."""
    if reading.cards:
        return not any(card.rdna1 for card in reading.cards)
    targets = {said.value for said in reading.told.missing_targets + reading.told.library_targets}
    if reading.has("rdna1") or any(map(is_rdna1, targets)):
        return False
    told = not reading.has("override") and any(
        not is_integrated(each) for each in targets - PRETENDED
    )
    return told or any(map(reading.has, NAMED))
