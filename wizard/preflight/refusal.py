"""Why something cannot be begun, told before anything was changed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """What happened, what it means, what to do: nothing was changed."""

    happened: str
    meaning: str
    next_step: str
    waivable: bool = False
    """True where a plan without a way back for some packages would not be refused for this."""


class Refused(Exception):
    """Carries a refusal out of what cannot go on."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.happened)
        self.refusal = refusal
