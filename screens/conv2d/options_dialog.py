"""The options of the Conv2d panel in a window: arrows choose and change, Enter types."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from screens.clicks import key_line
from screens.conv2d.options import Option, options
from screens.conv2d.setting import SweepSetting
from screens.widgets.cut_marks import PathInput
from screens.widgets.marked_list import MarkedList
from screens.windows.dialogs import Notice
from screens.words import cut
from wizard.conv2d.presets import Preset
from wizard.conv2d.words.request import WrongRequest

LABEL_CELLS = 14
KEYS = key_line(
    ("↑ ↓ row", ""),
    ("← → Space change", ""),
    ("Enter change or type", ""),
    ("Esc done", "screen.close"),
)
TYPING = key_line(("Enter takes it", "screen.take"), ("Esc leaves it", "screen.close"))


class Rows(MarkedList):
    """The options, each with its value: left and right, which scroll other lists, change it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "screen.turn(-1)", "Value before"),
        Binding("right,space", "screen.turn(1)", "Next value"),
    ]


class OptionsDialog(ModalScreen[SweepSetting]):
    """One row an option; closing it gives the setting."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,o,q", "close", "Done", key_display="Esc"),
    ]

    def __init__(self, setting: SweepSetting, layers_in: Callable[[str], Preset]) -> None:
        super().__init__()
        self._setting = setting
        self._options = options(layers_in)

    def compose(self) -> ComposeResult:
        """The rows, what the highlighted one means, and a line to type in."""
        with Vertical(classes="dialog", id="options-dialog") as dialog:
            dialog.border_title = Content("Options")
            dialog.border_subtitle = KEYS
            yield Rows(*map(self._text, self._options), id="options", compact=True)
            yield Static(id="option-hint", markup=False)
            yield PathInput(id="option-typed", compact=True)

    def on_mount(self) -> None:
        """Keys go to the rows."""
        self._list.focus()
        self._show_typing(False)

    @property
    def _list(self) -> OptionList:
        return self.query_one(OptionList)

    @property
    def _typed(self) -> Input:
        return self.query_one(Input)

    @property
    def _current(self) -> Option:
        return self._options[self._list.highlighted or 0]

    def _text(self, option: Option) -> Text:
        cells = max(20, min(self.app.size.width, 110) - LABEL_CELLS - 12)
        mark = "  " if option.turn is None else "< "
        value = cut(option.value(self._setting), cells)
        return Text(f"{option.label:<{LABEL_CELLS}}{mark}{value}{' >' if option.turn else ''}")

    def _show(self) -> None:
        for place, option in enumerate(self._options):
            self._list.replace_option_prompt_at_index(place, self._text(option))

    def on_resize(self) -> None:
        """Cuts the values to the new width."""
        self._show()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Says what the option means."""
        event.stop()
        self.query_one("#option-hint", Static).update(Content(self._current.hint))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Changes it, or asks for a text."""
        event.stop()
        if self._current.turn is not None:
            self.action_turn(1)
            return
        self._typed.value = self._current.typed(self._setting)
        self._typed.cursor_position = len(self._typed.value)
        self._show_typing(True)

    def action_turn(self, by: int) -> None:
        """Takes the next or the previous value."""
        if self._current.turn is not None:
            self._setting = self._current.turn(self._setting, by)
            self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes what was typed, or says what is wrong with it."""
        event.stop()
        self.action_take()

    def action_take(self) -> None:
        """Takes what stands in the line."""
        if self._current.take is None:
            return
        try:
            self._setting = self._current.take(self._setting, self._typed.value.strip())
        except WrongRequest as wrong:
            self.app.push_screen(Notice(self._current.label, str(wrong)))
        else:
            self._show_typing(False)
            self._show()

    def _show_typing(self, typing: bool) -> None:
        self._typed.display = typing
        self.query_one("#options-dialog").border_subtitle = TYPING if typing else KEYS
        self.set_focus(self._typed if typing else self._list)

    def action_close(self) -> None:
        """Leaves the line to type in first, then the window."""
        if self._typed.has_focus:
            self._show_typing(False)
        else:
            self.dismiss(self._setting)
