"""The verdict on one application with one stack, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """What can be said of one workload on one stack for this card, in words first."""

    WORKS = "works"
    LIKELY = "likely"
    POSSIBLE = "possible"
    UNKNOWN = "unknown"
    DISPUTED = "disputed"
    HANGS = "hangs?"
    SLOW = "very slow"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Cell:
    """The verdict on one application with one stack."""

    application: str
    verdict: Verdict
    because: str
    claims: tuple[str, ...]
    """Ids of the claims that it rests on, weightiest first."""
    needs: tuple[str, ...] = ()
    """What the application takes besides the stack, such as an older release of it."""
    short: bool = False
    """True when memory that the application's makers ask for is not here; also in ``needs``."""
    said: int = 0
    """How many more claims speak for it than against it, of those that bear on it closely."""
    back: int = 0
    """How many lines of releases behind its newest the application would have to be."""
