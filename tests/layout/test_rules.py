"""The rules of layout find what is broken: one small app for each of them, and its sound twin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from rich.text import Text
from textual._context import visible_screen_stack
from textual.app import App
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Button, DataTable, Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from tests.layout.looking import look
from tests.layout.rules import breaches, differing_rows, lost
from tests.layout.seen import Label, Shown
from tests.screens.driving import drawn

LONG = "a sentence that is far too long for the room that it was given here"
SIZE = (40, 12)


class Around(ModalScreen[None]):
    """A dialog that leaves everything in sight."""

    CSS = "Around { background: $background 60%; }"


class Small(App[int]):
    """These widgets, one below the other, and nothing else."""

    CSS = "Screen { layout: vertical; overflow: hidden; }"

    def __init__(self, widgets: Iterable[Widget], css: str = "") -> None:
        super().__init__()
        self._widgets = tuple(widgets)
        self.stylesheet.add_source(css, read_from=("small", "small"))

    def compose(self) -> Iterable[Widget]:
        """What it was given."""
        return self._widgets


async def seen(app: App[int]) -> Shown:
    async with app.run_test(size=SIZE):
        await drawn(app)
        return await look(app)


async def found(*widgets: Widget, css: str = "") -> tuple[str, ...]:
    return breaches(await seen(Small(widgets, css)))


async def test_a_button_outside_the_screen_is_found() -> None:
    (said,) = await found(Button("Go"), css="Button { offset-x: 30; width: 20; height: 3; }")
    assert "Button takes keys or clicks, and 10 columns" in said


async def test_a_button_below_the_screen_is_found_unless_one_can_scroll_to_it() -> None:
    css = "Static { height: 20; } Button { height: 3; }"
    said = " ".join(await found(Vertical(Static("above"), Button("Go")), css=css))
    assert "Button takes keys or clicks, and" in said
    assert not await found(VerticalScroll(Static("above"), Button("Go")), css=css)


async def test_looking_scrolls_back_to_where_it_was() -> None:
    app = Small((VerticalScroll(Static("above"), Button("Go")),), "Static { height: 20; }")
    async with app.run_test(size=SIZE):
        await drawn(app)
        scroll = app.query_one(VerticalScroll)
        scroll.scroll_to(y=4, animate=False, immediate=True)
        await look(app)
        assert scroll.scroll_y == 4


async def test_what_lies_around_a_dialog_is_seen_at_every_look() -> None:
    app = Small((Static("below"),))
    async with app.run_test(size=SIZE):
        await app.push_screen(Around())
        for _ in range(2):
            visible_screen_stack.set([])  # as somebody left it who drew a screen
            shown = await look(app)
            assert shown.is_dialog
            assert shown.rows[0] == "below"


async def test_a_button_without_room_is_found() -> None:
    (said,) = await found(Button("Go"), css="Button { height: 0; border: none; }")
    assert "has no room at all" in said


async def test_a_label_that_is_cut_without_a_mark_is_found() -> None:
    rules = "Static { width: 20; height: 1; text-wrap: nowrap; %s }"
    (said,) = await found(Static(LONG), css=rules % "")
    assert "is cut without a mark" in said
    assert not await found(Static(LONG), css=rules % "text-overflow: ellipsis;")


async def test_a_wrapped_label_whose_last_lines_are_missing_is_found() -> None:
    (said,) = await found(Static(LONG), css="Static { width: 20; height: 2; }")
    assert "is cut without a mark" in said
    assert not await found(Static(LONG), css="Static { width: 20; height: auto; }")


async def test_a_label_in_a_box_that_ends_too_early_is_found() -> None:
    (said,) = await found(Vertical(Static(LONG)), css="Vertical { height: 1; }")
    assert "1 lines that never come into view" in said


class FirstLines(OptionList):
    """Choices of which the first line alone is drawn."""

    def _get_option_render(self, option: Option, style: Style) -> list[Strip]:
        return super()._get_option_render(option, style)[:1]


async def test_an_option_that_is_cut_is_found() -> None:
    css = "OptionList { width: 30; }"
    (said,) = await found(FirstLines(LONG), css=css)
    assert "a row of FirstLines" in said
    assert not await found(OptionList(LONG), css=css)


class Table(DataTable[object]):
    """One cell of 20 columns."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._cell = text

    def on_mount(self) -> None:
        """Fills it in."""
        self.add_column("Text", width=20)
        self.add_row(Text(self._cell, no_wrap=True, overflow="crop"))


@pytest.mark.parametrize(("text", "count"), [(LONG, 1), ("short", 0), (f"{LONG[:19]}…", 0)])
async def test_a_cell_of_a_table_that_is_cut_is_found(text: str, count: int) -> None:
    assert len(await found(Table(text))) == count


async def test_a_placeholder_wider_than_its_field_is_found() -> None:
    (said,) = await found(Input(placeholder=LONG))
    assert "is wider than its" in said


class Filled(Input):
    """A field with a value that is too long for it."""

    def on_mount(self) -> None:
        """Fills it in."""
        self.value = LONG


async def test_a_value_that_goes_on_behind_the_edge_of_its_field_is_found() -> None:
    (said,) = await found(Input(), Filled(compact=True))
    assert "is cut without a mark" in said


async def test_a_title_that_is_cut_without_a_mark_is_found() -> None:
    """Textual marks a title that it cuts itself, so that only a clipped one is without."""
    box = Vertical()
    box.border_title = Content(LONG)
    css = "Vertical { border: solid white; width: 80; height: 3; }"
    assert any("Vertical has 40 columns" in each for each in await found(box, css=css))


async def test_siblings_that_lie_over_one_another_are_found_unless_they_are_meant_to() -> None:
    css = "Static { height: 1; }"
    over = css + "#two { offset-y: -1; }"
    (said,) = await found(Static("one", id="one"), Static("two", id="two"), css=over)
    assert "Static#one and Static#two lie over one another" in said
    layered = css + "Screen { layers: below above; } #two { layer: above; }"
    assert not await found(Static("one", id="one"), Static("two", id="two"), css=layered)


class Window(ModalScreen[None]):
    """A window of a given width."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self._wide = width

    def compose(self) -> Iterable[Widget]:
        """One box."""
        box = Vertical()
        box.styles.width, box.styles.height = self._wide, 4
        yield box


@pytest.mark.parametrize(("width", "whole"), [(SIZE[0], True), (SIZE[0] + 1, False)])
async def test_a_dialog_that_stands_over_the_edge_is_found(width: int, whole: bool) -> None:
    app = Small((Static("below"),))
    async with app.run_test(size=SIZE):
        app.push_screen(Window(width))
        await drawn(app)
        said = breaches(await look(app))
    assert any("is not whole on" in each for each in said) is not whole


class Keyed(App[int]):
    """More keys than the footer has room for."""

    BINDINGS = [  # noqa: RUF012 - Textual declares it so
        *(Binding(letter, "bell", f"Does {letter}") for letter in "abcdefgh"),
    ]

    def compose(self) -> Iterable[Widget]:
        """The keys alone."""
        yield Footer(show_command_palette=False)


class KeyedWithHelp(Keyed):
    """The same, where a key that can be seen names them all."""

    BINDINGS = [Binding("question_mark", "help", "Help")]  # noqa: RUF012 - Textual declares it so

    def compose(self) -> Iterable[Widget]:
        """The way to help first."""
        yield Horizontal()
        yield Footer(show_command_palette=False)


async def test_keys_that_the_footer_has_no_room_for_are_found() -> None:
    said = await seen(Keyed())
    assert any("the key 'Does h'" in each for each in breaches(said))
    assert not breaches(replace(said, key_hint=True))


async def test_a_terminal_that_shows_something_else_is_found() -> None:
    shown = await seen(Small((Static("one"), Static("two")), "Static { height: 1; }"))
    assert not differing_rows(shown, shown.rows)
    (said,) = differing_rows(shown, ("one", "TWO"))
    assert "line 1 should be 'two' and is 'TWO'" in said
    assert differing_rows(shown, ("one",))
    assert differing_rows(shown, ("one", "two", "three"))


@pytest.mark.parametrize(
    ("drawn", "missing"),
    [("…folder/of/it", ""), ("folder/of/it", "/a/folder/of/it"), ("…x", "/a/folder/of/it")],
)
def test_a_path_that_was_scrolled_to_its_end_bears_its_mark_in_front(
    drawn: str, missing: str
) -> None:
    assert lost(Label("field", "/a/folder/of/it", (drawn,), 20)) == missing
