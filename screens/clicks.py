"""What the mouse does: the same as the key that the letters under it name."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.style import Style

GAP = "   "


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
