"""Records the wizard's first screens as data that ``bare_app.py`` can show, to the letter.

Run: python -m tests.benchmarks.recorded_screens LAST_SCREEN [the wizard's options]; prints JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from textual.app import App
from textual.content import Content
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from screens.app import SetupApp
from screens.choose.screen import Choose
from screens.start import services_for
from tests.screens.driving import drawn, press, reach, screen_text, settled, until
from wizard.__main__ import parser

Recorded = dict[str, Any]
Text = tuple[str, list[tuple[int, int, str]]]
"""A text, and which parts of it have which style."""
SIZE = (80, 24)
WAY = (("welcome", "enter"), ("detect", "n"), ("choose", "enter"), ("review", ""))
"""The screens in their order, and the key that leads on."""


async def recorded(last: str, options: list[str]) -> list[Recorded]:
    """Every screen of the way to the last one, with what it shows after each key in its list."""
    app = SetupApp(services_for(parser().parse_args(options)))
    found = []
    async with app.run_test(size=SIZE) as pilot:
        for name, onwards in WAY:
            await reach(pilot, name)
            await settled(pilot)
            await until(pilot, lambda: not any(w.group == "look" for w in app.workers))
            await drawn(app)
            found.append(_screen(app) | {"states": await _states(pilot)})
            if name == last:
                break
            await press(pilot, onwards)
    return found


async def _states(pilot: Pilot[int]) -> list[list[Text]]:
    """All texts as they are, then after each key that leads to the last row and back."""
    found = [_texts(pilot)]
    for key in keys_through(_rows(pilot.app)):
        await press(pilot, key)
        await settled(pilot)
        found.append(_texts(pilot))
    return found


def keys_through(rows: int) -> tuple[str, ...]:
    """Down to the last row and up to the first."""
    return (*["down"] * (rows - 1), *["up"] * (rows - 1))


def _rows(app: App[int]) -> int:
    """How many rows Down leads through."""
    if isinstance(app.screen, Choose):
        return len(app.screen.services.stacks())
    return app.focused.option_count if isinstance(app.focused, OptionList) else 1


def _texts(pilot: Pilot[int]) -> list[Text]:
    return [_text(widget) for widget in pilot.app.screen.query("Static, Input")]


def _text(widget: Widget) -> Text:
    if isinstance(widget, Input):
        return widget.value, []
    shown = widget.render()
    assert isinstance(shown, Content), f"{widget} shows no Content"
    return _parts(shown)


def _prompt(option: Option) -> Text:
    shown = option.prompt
    return _parts(shown if isinstance(shown, Content) else Content(str(shown)))


def _parts(shown: Content) -> Text:
    """No markup: brackets in a text would be lost in it."""
    return shown.plain, [
        (start, end, style) for start, end, style in shown.spans if isinstance(style, str)
    ]


def _screen(app: SetupApp) -> Recorded:
    bindings = (active.binding for active in app.screen.active_bindings.values())
    keys = {b.action: (b.key, b.description, b.key_display) for b in bindings if b.show}
    return {
        "name": type(app.screen).__name__,
        "css": _own_css(app.screen),
        "rows": screen_text(app).splitlines(),
        "focus": app.screen.AUTO_FOCUS,
        "keys": list(keys.values()),
        "widgets": [_widget(child) for child in app.screen.children if child.id != "_toastrack"],
    }


def _own_css(widget: Widget) -> str:
    own = [kind for kind in type(widget).__mro__ if not kind.__module__.startswith("textual.")]
    return "".join(vars(kind).get("DEFAULT_CSS", "") for kind in own)


def _no_height(widget: Widget) -> str:
    """A rule for what has decided itself that there is no room for it."""
    decided = widget.display and not widget.size.height
    return f"{type(widget).__name__} {{ height: 0; }}" if decided else ""


def _widget(widget: Widget) -> Recorded:
    kinds = [kind for kind in type(widget).__mro__ if kind.__module__.startswith("textual.")]
    found: Recorded = {
        "name": type(widget).__name__,
        "base": kinds[0].__name__,
        "css": _own_css(widget) + _no_height(widget),
        "id": widget.id,
        "classes": sorted(c for c in widget.classes if not c.startswith("-textual")),
        "children": [],
    }
    match widget:
        case OptionList():
            found["options"] = [_prompt(o) for o in widget.options]
            found["enter"] = widget._bindings.get_bindings_for_key("enter")[0].description
        case Input():
            found["value"] = _text(widget)
        case Static():
            found["text"] = _text(widget)
        case Footer():
            pass
        case _:
            found["children"] = [_widget(child) for child in widget.children]
    return found


if __name__ == "__main__":
    print(json.dumps(asyncio.run(recorded(sys.argv[1], sys.argv[2:]))))
