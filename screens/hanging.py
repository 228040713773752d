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
