"""How a screen lies in its terminal, as values that can leave the program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    """A place on the screen, in cells."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first column behind it."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first line below it."""
        return self.y + self.height

    def holds(self, other: Box) -> bool:
        """True where nothing of the other one is outside."""
        return (
            self.x <= other.x
            and self.y <= other.y
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def shared(self, other: Box) -> Box:
        """What both have; of no cells where they have nothing in common."""
        x, y = max(self.x, other.x), max(self.y, other.y)
        width, height = min(self.right, other.right) - x, min(self.bottom, other.bottom) - y
        return Box(x, y, max(0, width), max(0, height))

    @property
    def cells(self) -> int:
        """How many cells it has."""
        return self.width * self.height


@dataclass(frozen=True, slots=True)
class Seen:
    """One widget."""

    name: str
    parent: int
    """Its place in the list of all; -1 for the screen itself."""
    box: Box
    clip: Box
    """What its ancestors let through."""
    unseen: tuple[int, int]
    """Columns and lines of it that come into view by no scrolling."""
    takes_input: bool
    layered: bool
    """True where it is meant to lie over its siblings."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text, and what its box makes of it."""

    owner: str
    text: str
    """All that it says."""
    lines: tuple[str, ...]
    """What is drawn of it, line by line, its box as wide as it is."""
    cells: int
    """The width of the box."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key that the screen offers, as the footer has it."""

    text: str
    box: Box | None
    """None where the footer has not got it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The screen on top, at one moment."""

    name: str
    size: Box
    is_dialog: bool
    widgets: tuple[Seen, ...]
    labels: tuple[Label, ...]
    keys: tuple[Key, ...]
    """Empty where the screen has no footer."""
    key_hint: bool
    """True where the keys that do not fit are named by a key that is there."""
    rows: tuple[str, ...]
    """What the program believes to be on the terminal."""
