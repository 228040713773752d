"""Result cards that owners sent in, and what they say of a stack."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assets import FOLDER
from wizard.conv2d.cards.result_card import ResultCard, read_card_file
from wizard.conv2d.verdicts import Result
from wizard.knowledge.stacks import load_stacks

RESULTS = FOLDER / "results"
GRADE = "measured with this program"
"""How well such a result is supported: better than anything that was only said."""
SMALL = 32
"""The largest side of an image that counts as small."""
ALL, LARGE_ASPECT, SMALL_ASPECT = "all", "large-conv2d", "small-conv2d"
"""Aspects that convolutions tell something of."""


@dataclass(frozen=True, slots=True)
class Received:
    """A result card, and when it came in."""

    name: str
    """Of its file; it begins with the date."""
    card: ResultCard

    @property
    def date(self) -> str:
        """ISO date on which it came in."""
        return self.name[:10]

    @property
    def stack(self) -> str:
        """Id of the stack whose torch was measured; ``""`` for a torch of none."""
        return stack_of(self.card.stack.torch or "")


def stack_of(torch: str) -> str:
    """Id of the stack that installs this torch; one that takes the newest is known by its ROCm."""
    for stack in load_stacks():
        rocm = re.search(r"\+rocm\d+\.", stack.torch)
        moves = stack.torch_prefix != stack.torch and torch.startswith(stack.torch_prefix)
        if torch == stack.torch or (moves and rocm is not None and rocm[0] in torch):
            return stack.id
    return ""


def read_received(folder: Path) -> tuple[Received, ...]:
    """The cards in a folder, the newest first. Raises ``WrongCard``."""
    paths = sorted(folder.glob("*.json"), reverse=True)
    return tuple(Received(path.name, read_card_file(path)) for path in paths)


@cache
def load_received() -> tuple[Received, ...]:
    """All that came in."""
    return read_received(RESULTS)


def results_on(received: Received, aspect: str) -> tuple[Result, ...]:
    """Its results, under the settings of the stack, that tell something of an aspect."""
    results = (result for result in received.card.results if not result.asked)
    if aspect == ALL:
        return tuple(results)
    if aspect not in (LARGE_ASPECT, SMALL_ASPECT):
        return ()
    small = aspect == SMALL_ASPECT
    return tuple(each for each in results if (max(each.shape.h, each.shape.w) <= SMALL) is small)


def received_on(stack: str, aspect: str) -> tuple[Received, ...]:
    """The cards with results on an aspect of a stack."""
    return tuple(
        each for each in load_received() if each.stack == stack and results_on(each, aspect)
    )
