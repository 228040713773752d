"""Claims: who said what of a stack, on which card, when, and how well it was shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache

from wizard.knowledge.rows import read_rows


class Grade(Enum):
    """How well a claim is supported, strongest first."""

    SOURCE_CODE = "source code"
    MAINTAINER = "maintainer"
    SEVERAL_USERS = "several users"
    ONE_USER = "one user"
    CLAIM_ONLY = "claim only"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement about a stack, with everything needed to weigh it."""

    id: str
    text: str
    """In our own words, one sentence."""
    stacks: tuple[str, ...]
    topic: str
    """``conv2d``, ``training``, ``install``, ``settings``, ``applications``, ``precision``, ..."""
    leaning: str
    """``for``, ``against`` or ``unknown``: how it bears on the stack."""
    who: str
    card: str
    """As the source gives it; ``none`` for source code; ``not said`` where it does not."""
    gfx: tuple[str, ...]
    """Targets that the claim is about; empty for all."""
    versions: str
    date: str
    """ISO date, or its known part, of the statement."""
    method: str
    """How it was tested: ``read``, ``ran, numbers not compared``, ``ran SD 1.5``, ..."""
    grade: Grade
    source: str
    """Link or reference that a reader can follow."""
    supports: tuple[str, ...]
    contradicts: tuple[str, ...]


@cache
def load_claims() -> tuple[Claim, ...]:
    """All claims, in the order of the file."""
    return read_rows("claims.toml", "claim", Claim, {"gfx": (), "supports": (), "contradicts": ()})
