"""Text beside a label, its further lines below itself: how plans and endings are laid out."""

from __future__ import annotations

import textwrap

from textual.content import Content

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
    lines = textwrap.wrap(
        text if exact else breakable(text, room),
        room,
        drop_whitespace=not exact,
        break_on_hyphens=False,
    )
    return lines or [""]


def wrapped_text(text: str, cells: int) -> list[str]:
    """A text with line ends of its own, each of its lines in at most so many cells."""
    return [line for part in text.split("\n") for line in wrapped(part, cells)]


def breakable(text: str, cells: int) -> str:
    """The text with a blank behind a slash in every word too long for a line."""
    return " ".join(" ".join(_pieces(word, cells)) for word in text.split(" "))


def _pieces(word: str, cells: int) -> list[str]:
    pieces = []
    while len(word) > cells:
        end = word.rfind("/", 1, cells) + 1 or cells
        pieces.append(word[:end])
        word = word[end:]
    return [*pieces, word]
