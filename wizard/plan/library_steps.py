"""Steps that exchange one library: the old one stays beside it, and comes back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LibraryStep:
    """What both directions tell of the exchange."""

    reason: str
    path: str
    kept: str
    """Where what stands there now goes: beside it, so that nothing is copied."""
    source: str
    """What takes its place; ``""`` for a copy of it without the executable-stack flag."""
    bytes: int
    """The size of what stands there now, 0 for nothing; with another one nothing is done."""
    sha256: str
    """What the source must have, and what then stands there; ``""`` for the copy."""
    inverse: str
    needs_root: bool = False


@dataclass(frozen=True, slots=True)
class ExchangeLibrary(LibraryStep):
    """Keep a library beside itself under another name, and put the right one in its place."""

    def __str__(self) -> str:
        keep = f"keep {self.path} beside it as {_name(self.kept)}, and "
        if not self.source:
            return f"{keep}put a copy of it without the executable-stack flag in its place"
        move = f"move {self.source} to its place, if its SHA-256 is {self.sha256[:12]}"
        return f"{keep}{move}" if self.bytes else move


@dataclass(frozen=True, slots=True)
class BringLibraryBack(LibraryStep):
    """Put both libraries back to where they were."""

    def __str__(self) -> str:
        back = f"move {self.path} back to {_name(self.source)}"
        away = back if self.source else f"remove {self.path}"
        return f"{away}, and {_name(self.kept)} back to its place" if self.bytes else away


def _name(path: str) -> str:
    return path.rpartition("/")[2]
