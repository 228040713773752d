"""Values as words for people, and text laid out beside a label or while something takes a while."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from wizard.core.amounts import time_text

if TYPE_CHECKING:
    pass

STATUS_STYLES = {
    "fault": "bold $text-error",
    "warning": "bold $text-warning",
    "not-tested": "bold",
    "ok": "$text-success",
}
"""Of each ``wizard.diagnose.finding.Status``, by its value."""


def cut(text: str, cells: int) -> str:
    """The text in at most so many cells; a cut is marked with an ellipsis."""
    if cells <= 0:
        return ""
    return text if cell_len(text) <= cells else set_cell_size(text, cells - 1).rstrip() + "…"


def column(text: str, cells: int) -> str:
    """The text in exactly so many cells, one of them a gap to the next column."""
    return set_cell_size(cut(text, cells - 1), cells)


def short_time(seconds: float | None) -> str:
    """A measured time with the digits that matter; ``-`` when nothing was measured."""
    if seconds is None:
        return "-"
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


MINIMUM = 20


def hanging(
    label: str, text: str, cells: int, style: str = "$text-muted", *, exact: bool = False
) -> list[Content]:
    """The label and its text in lines of at most so many cells; ``exact`` keeps every space."""
    lines = wrapped(text, cells - len(label), exact=exact)
    labels = [label, *[" " * len(label)] * len(lines)]
    return [
        Content.assemble((head, style), line) for head, line in zip(labels, lines, strict=False)
    ]


def wrapped(text: str, cells: int, *, exact: bool = False) -> list[str]:
    """The text in lines of at most so many cells, one at least."""
    room = max(MINIMUM, cells)
    if not exact:
        text = " ".join(piece for word in text.split(" ") for piece in _pieces(word, room))
    lines = textwrap.wrap(text, room, drop_whitespace=not exact, break_on_hyphens=False)
    return lines or [""]


def wrapped_text(text: str, cells: int) -> list[str]:
    """A text with line ends of its own, each of its lines in at most so many cells."""
    return [line for part in text.split("\n") for line in wrapped(part, cells)]


def _pieces(word: str, cells: int) -> list[str]:
    """A word too long for a line, cut behind its slashes."""
    pieces = []
    while len(word) > cells:
        end = word.rfind("/", 1, cells) + 1 or cells
        pieces.append(word[:end])
        word = word[end:]
    return [*pieces, word]


SECOND_S = 1.0
"""How often it is told anew."""
SOON_S = 2.0
"""What is over sooner needs no clock beside it."""


class Wait:
    """What is waited for, from now on."""

    def __init__(self, text: str, clock: Callable[[], float]) -> None:
        self._text = text
        self._clock = clock
        self._since = clock()

    def told(self, cells: int) -> str:
        """The text with the time that it took so far, in at most so many cells."""
        time = so_far(self.seconds)
        time = f" ({time})" if time else ""
        return f"{cut(self._text, cells - len(time))}{time}"

    @property
    def seconds(self) -> float:
        """How long it took so far."""
        return self._clock() - self._since


def so_far(seconds: float) -> str:
    """How long something took so far; ``""`` where that is not worth telling yet."""
    return f"{time_text(seconds)} so far" if seconds >= SOON_S else ""
