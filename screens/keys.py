"""What keys and the mouse do: the same for both, and what the screen at hand offers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.app import App
from textual.binding import Binding
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

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


PALETTE = "command_palette"
GENERAL = frozenset(
    each.action for each in (*Screen.BINDINGS, *App.BINDINGS) if isinstance(each, Binding)
)
"""What Textual binds on every screen, such as Tab."""


SIDEWAYS = frozenset(("scroll_left", "scroll_right", "page_left", "page_right"))
PAGES = frozenset(("page_up", "page_down"))
UP_AND_DOWN = PAGES | {"scroll_up", "scroll_down", "scroll_home", "scroll_end"}


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that a key does now."""

    keys: str
    title: str
    action: str
    node: DOMNode
    own: bool
    """False for what every screen has, and for moving in a list."""


def offers(screen: Screen[Any]) -> tuple[Offer, ...]:
    """All that is enabled and works, once each: what the keys' line shows comes first."""
    keys: dict[tuple[DOMNode, str], list[str]] = {}
    found: dict[tuple[DOMNode, str], Binding] = {}
    for node, binding, enabled, _ in screen.active_bindings.values():
        if enabled and works(node, binding.action):
            keys.setdefault((node, binding.action), []).append(screen.app.get_key_display(binding))
            found.setdefault((node, binding.action), binding)
    listed = sorted(found.items(), key=lambda item: not item[1].show)
    return tuple(_offer(place, binding, keys[place], screen) for place, binding in listed)


def works(node: DOMNode, action: str) -> bool:
    """False for scrolling where there is nothing to scroll, and for the palette itself."""
    if action in PAGES and hasattr(node, "action_cursor_up"):
        return True  # a page moves the cursor, also where all is in sight
    if action in SIDEWAYS:
        return isinstance(node, Widget) and node.allow_horizontal_scroll
    if action in UP_AND_DOWN:
        return isinstance(node, Widget) and node.allow_vertical_scroll
    return action.removeprefix("app.") != PALETTE


def _offer(
    place: tuple[DOMNode, str], binding: Binding, keys: list[str], screen: Screen[Any]
) -> Offer:
    node, action = place
    shown = ", ".join(dict.fromkeys(keys))
    own = binding.show or (node is screen and action not in GENERAL)
    return Offer(shown, binding.description or f"Key {shown}", action, node, own)


def key_lines(screen: Screen[Any]) -> Iterator[str]:
    """The screen's own keys as lines of text: key, then what it does."""
    own = [offer for offer in offers(screen) if offer.own]
    width = max((len(offer.keys) for offer in own), default=0)
    for offer in own:
        yield f"{offer.keys:<{width}}  {offer.title}"
