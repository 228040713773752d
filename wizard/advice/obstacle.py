"""What rules a stack out, and what would help."""

from __future__ import annotations

from typing import NamedTuple


class Obstacle(NamedTuple):
    """One reason against a stack on this machine; something can be done about each."""

    why: str
    mend: str
    """What its owner can do: a command, another place, or another stack."""

    @property
    def text(self) -> str:
        """Both, as one sentence without its stop."""
        return f"{self.why.rstrip('.')}; {self.mend}"
