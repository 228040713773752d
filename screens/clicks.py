"""What the mouse does: the same as the key that the letters under it name."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.style import Style

GAP = "   "
BETWEEN = "  "
"""What is set stands so far apart on a line."""


def key_line(*parts: tuple[str, str]) -> Content:
    """Keys on the edge of a window, each with the action that a click does; ``""`` for none."""
    return Content(GAP).join(
        Content.styled(text, Style.from_meta({"@click": action})) if action else Content(text)
        for text, action in parts
    )


def tagged(content: Content, name: str, value: object) -> Content:
    """A text that a click finds again."""
    return content.stylize(Style.from_meta({name: value}))


def tag_at(event: events.Click, name: str) -> object:
    """What the text under a click was tagged with; None where it was not."""
    return event.style.meta.get(name)


def action_at(text: str, x: int, parts: Sequence[tuple[str, str]]) -> str:
    """The action of the words that a place of a line belongs to; ``""`` for none.

    What is set by them belongs to them: they end where others begin, or at the next gap.
    """
    found = ((text.find(words), action) for words, action in parts)
    begun = ((at, action) for at, action in found if at >= 0 and cell_len(text[:at]) <= x)
    at, action = max(begun, default=(0, ""))
    own = text[at:].partition(BETWEEN)[0]
    return action if x < cell_len(text[:at] + own) else ""
