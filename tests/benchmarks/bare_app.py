"""A bare Textual app that shows a screen as it was recorded: the same widgets, style sheet and
texts, and no logic. It imports nothing of ours.

Run: python -m tests.benchmarks.bare_app RECORDED.json STYLE_SHEET.tcss
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, cast

import textual.containers
import textual.widgets
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingsMap
from textual.content import Content, Span
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, OptionList, Static

Recorded = dict[str, Any]
Text = tuple[str, list[tuple[int, int, str]]]


class RecordedScreen(Screen[None]):
    """The recorded screen."""

    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(80, "-narrow")]  # noqa: RUF012 - Textual declares it so
    VERTICAL_BREAKPOINTS = [(24, "-tall")]  # noqa: RUF012 - Textual declares it so

    def __init__(self, recorded: Recorded) -> None:
        super().__init__()
        self._recorded = recorded
        shown = (Binding(k, f"app.typed('{k}')", d, key_display=s) for k, d, s in recorded["keys"])
        self._bindings = BindingsMap.merge((self._bindings, BindingsMap(shown)))

    def compose(self) -> ComposeResult:
        """The widgets that were recorded."""
        yield from map(_widget, self._recorded["widgets"])

    def on_mount(self) -> None:
        """Gives the keys to what had them."""
        if self._recorded["focus"]:
            self.set_focus(self.query_one(self._recorded["focus"]))


class Bare(App[None]):
    """Shows the recorded screen."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, recorded: Recorded, sheet: str) -> None:
        super().__init__(css_path=sheet)
        self._recorded = recorded

    def get_default_screen(self) -> Screen[None]:
        """The recorded screen, under the name that the style sheet knows."""
        own = {"DEFAULT_CSS": self._recorded["css"]}
        kind = type(self._recorded["name"], (RecordedScreen,), own)
        return cast(type[RecordedScreen], kind)(self._recorded)

    def action_typed(self, _key: str) -> None:
        """Ends it: keys stand here to be seen."""
        self.exit()


def _content(text: Text) -> Content:
    plain, spans = text
    return Content(plain, [Span(start, end, style) for start, end, style in spans])


def _widget(recorded: Recorded) -> Widget:
    """A widget of Textual's that looks as ours was left."""
    widget = _as_composed(recorded)
    widget.border_title = recorded["title"]
    widget.display = recorded["display"]
    return widget


def _as_composed(recorded: Recorded) -> Widget:
    """A widget of Textual's under the name that ours has."""
    base = getattr(textual.widgets, recorded["base"], None)
    base = base or getattr(textual.containers, recorded["base"])
    own: dict[str, Any] = {"DEFAULT_CSS": recorded["css"]}
    if "enter" in recorded:
        own["BINDINGS"] = [Binding("enter", "select", recorded["enter"], key_display="Enter")]
    kind = cast(type[Widget], type(recorded["name"], (base,), own))
    common: dict[str, Any] = {"id": recorded["id"], "classes": " ".join(recorded["classes"])}
    if issubclass(kind, OptionList):
        return kind(*map(_content, recorded["options"]), **common, compact=True)
    if issubclass(kind, Footer):
        return kind(show_command_palette=False, compact=True)
    if issubclass(kind, Static):
        return kind(_content(recorded["text"]), **common)
    return kind(*map(_widget, recorded["children"]), **common)


if __name__ == "__main__":
    path, sheet = sys.argv[1:]
    Bare(json.loads(Path(path).read_text("utf-8")), sheet).run()
