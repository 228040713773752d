"""A bare Textual app that shows screens as they were recorded: the same widgets, style sheet and
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
from textual.widgets import Footer, Input, OptionList, Static

Recorded = dict[str, Any]
Text = tuple[str, list[tuple[int, int, str]]]
ONWARDS = ("n", "enter")


class StepScreen(Screen[None]):
    """One recorded screen."""

    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(80, "-narrow")]  # noqa: RUF012 - Textual declares it so
    VERTICAL_BREAKPOINTS = [(24, "-tall")]  # noqa: RUF012 - Textual declares it so
    BINDINGS = [  # noqa: RUF012 - Textual declares it so
        Binding("down,up", "move", show=False),
    ]

    def __init__(self, recorded: Recorded) -> None:
        super().__init__()
        self._recorded = recorded
        self._place = 0
        shown = (Binding(k, f"app.typed('{k}')", d, key_display=s) for k, d, s in recorded["keys"])
        self._bindings = BindingsMap.merge((self._bindings, BindingsMap(shown)))

    def compose(self) -> ComposeResult:
        """The widgets that were recorded."""
        yield from map(_widget, self._recorded["widgets"])

    def on_mount(self) -> None:
        """Gives the keys to what had them."""
        if self._recorded["focus"]:
            self.set_focus(self.query_one(self._recorded["focus"]))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Shows what was recorded for that row."""
        self._show(event.option_index)

    def action_move(self) -> None:
        """Shows what was recorded after the next key."""
        self._show(self._place + 1)

    def _show(self, place: int) -> None:
        states = self._recorded["states"]
        if place >= len(states):
            return
        widgets = self.query("Static, Input")
        for widget, now, then in zip(widgets, states[self._place], states[place], strict=True):
            if now != then:
                _change(widget, then)
        self._place = place


class Bare(App[None]):
    """The screens one after the other, each made afresh."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, screens: list[Recorded], sheet: str) -> None:
        super().__init__(css_path=sheet)
        self._recorded = screens
        self._step = 0

    def get_default_screen(self) -> Screen[None]:
        """The first one."""
        return _step_screen(self._recorded[0])

    def on_option_list_option_selected(self) -> None:
        """Goes on."""
        self.action_typed(ONWARDS[0])

    def action_typed(self, key: str) -> None:
        """Goes on, back, or leaves."""
        if key == "q":
            self.exit()
        elif key == "escape" and isinstance(self.focused, Input):
            self.screen.set_focus(None)
        elif key in (*ONWARDS, "escape"):
            self._step += -1 if key == "escape" else 1
            step = _step_screen(self._recorded[self._step])
            # The first screen is the app's own, which cannot be switched.
            (self.switch_screen if len(self.screen_stack) > 1 else self.push_screen)(step)


def _step_screen(recorded: Recorded) -> StepScreen:
    """A screen under the name that the style sheet knows."""
    kind = type(recorded["name"], (StepScreen,), {"DEFAULT_CSS": recorded["css"]})
    return cast(type[StepScreen], kind)(recorded)


def _content(text: Text) -> Content:
    plain, spans = text
    return Content(plain, [Span(start, end, style) for start, end, style in spans])


def _change(widget: Widget, text: Text) -> None:
    if isinstance(widget, Input):
        widget.value = text[0]
        widget.cursor_position = len(text[0])
    elif isinstance(widget, Static):
        widget.update(_content(text), layout=widget.styles.auto_dimensions)


def _widget(recorded: Recorded) -> Widget:
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
    if issubclass(kind, Input):
        return kind(recorded["value"][0], **common, compact=True, select_on_focus=False)
    if issubclass(kind, Footer):
        return kind(show_command_palette=False, compact=True)
    if issubclass(kind, Static):
        return kind(_content(recorded["text"]), **common)
    return kind(*map(_widget, recorded["children"]), **common)


if __name__ == "__main__":
    path, sheet = sys.argv[1:]
    Bare(json.loads(Path(path).read_text("utf-8")), sheet).run()
