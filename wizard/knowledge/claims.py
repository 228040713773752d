"""Claims: who said what of a stack, on which card, when, and how well it was shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache

from wizard.knowledge.rows import read_rows


class Grade(Enum):
    """How well a claim is supported, strongest first.

    What a library itself answers outranks what we read in its source, but only on which algorithms
    it offers: it says nothing of their results on a card, so it stands below every measurement.
    """

    LIBRARY = "the library itself, without a card"
    SOURCE_CODE = "source code"
    MAINTAINER = "maintainer"
    SEVERAL_USERS = "several users"
    ONE_USER = "one user"
    CLAIM_ONLY = "claim only"
    REFUTED = "refuted"


TOPICS = {
    "conv2d": "Conv2d layers above the small sizes, forward",
    "small conv2d": "Conv2d layers up to 32x32",
    "training": "backward passes and optimizer steps, including batch norm",
    "transformer": "models without convolutions, and the matrix products they use",
    "applications": "whole programs and models for images",
    "device": "whether torch uses the card at all",
    "precision": "half precision",
    "formats": "number formats other than float32 and half precision",
    "triton": "kernels made by Triton, and torch.compile",
    "algorithms": "which of MIOpen's algorithms can be used, and how they work",
    "settings": "variables and workarounds",
    "speed": "how long layers and models take",
    "image speed": "how long an image takes",
    "memory": "how much memory layers take",
    "stability": "crashes and resets after a good start",
    "install": "what the stack needs from the machine, and whether it is available",
    "age": "how old its torch is",
    "security": "known vulnerabilities, and whether they get fixed",
    "support": "what AMD and others promise, and what the libraries contain",
    "cause": "what the hang is blamed on",
    "method": "where the statements come from",
    "regression": "other builds that fail where older ones worked",
    "neighbours": "other builds of the same kind",
    "other ways": "approaches that this program does not install",
}
"""What a claim can be about. ``assets/verdicts.toml`` says which bear on which question."""

ABOUT_NO_STACK = "other ways"
"""The topic of claims that name no stack."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement about a stack, with everything needed to weigh it."""

    id: str
    text: str
    """In our own words, one sentence."""
    stacks: tuple[str, ...]
    """Ids of the stacks that it is about; empty for what is about another road."""
    topic: str
    """One of ``TOPICS``: ``conv2d``, ``small conv2d``, ``training``, ``transformer``,
    ``applications``, ``device``, ``precision``, ``formats``, ``triton``, ``algorithms``,
    ``settings``, ``speed``, ``image speed``, ``memory``, ``stability``, ``install``, ``age``,
    ``security``, ``support``, ``cause``, ``method``, ``regression``, ``neighbours``,
    ``other roads``."""
    leaning: str
    """``for``, ``against`` or ``unknown``: how it bears on the stack, were it true."""
    who: str
    card: str
    """As the source gives it; ``none`` for source code; ``not said`` where it does not."""
    gfx: tuple[str, ...]
    """Targets that the claim is about; empty for all."""
    versions: str
    date: str
    """ISO date, or its known part, of the statement."""
    checked: str
    """ISO date on which the source was last read for this file."""
    method: str
    """How it was tested: ``read``, ``ran, numbers not compared``, ``ran SD 1.5``, ..."""
    grade: Grade
    source: str
    """Link or reference that a reader can follow."""
    supports: tuple[str, ...]
    contradicts: tuple[str, ...]
    setting: str = ""
    """The preset of its stacks under which it was seen; ``""`` for what they install as it is."""

    @property
    def side(self) -> str:
        """Where it may stand: its leaning, but a refuted claim speaks for and against nothing."""
        return Grade.REFUTED.value if self.grade is Grade.REFUTED else self.leaning


@cache
def load_claims() -> tuple[Claim, ...]:
    """All claims, in the order of the file."""
    return read_rows("claims.toml", "claim", Claim, {"gfx": (), "supports": (), "contradicts": ()})


def strongest_first(claims: Iterable[Claim]) -> list[Claim]:
    """Claims by their grade, the newer first among equals."""
    newest_first = sorted(claims, key=lambda claim: claim.date, reverse=True)
    return sorted(newest_first, key=lambda claim: list(Grade).index(claim.grade))
