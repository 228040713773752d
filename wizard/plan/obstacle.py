"""What rules a road out, and what would mend it."""

from __future__ import annotations

from typing import NamedTuple


class Obstacle(NamedTuple):
    """One reason against a road on this machine; there is none that nothing can be done about."""

    why: str
    mend: str
    """What its owner can do: a command, another place, or another road."""

    @property
    def text(self) -> str:
        """Both, as one sentence without its stop."""
        return f"{self.why.rstrip('.')}; {self.mend}"
