"""The Pythons to choose from, and a field for the path of another one."""

from __future__ import annotations

from dataclasses import dataclass

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList

from screens.conv2d.pythons import Python
from screens.widgets.cut_marks import PathInput
from screens.widgets.marked_list import MarkedList

ANOTHER = "Another Python: type its path"


class PythonList(Vertical):
    """One line each, and a last one that opens the field."""

    @dataclass
    class Taken(Message):
        """A Python is the one to measure now; one that was typed has still to be looked at."""

        path: str
        typed: bool = False

    _list = getters.query_one(OptionList)
    _field = getters.query_one(Input)

    def __init__(self, path: str) -> None:
        super().__init__(id="question", classes="panel")
        self.border_title = "Python"
        self._typed_first = path
        self._pythons: tuple[Python, ...] = ()

    def compose(self) -> ComposeResult:
        """List, field."""
        yield MarkedList(id="pythons")
        field = PathInput(self._typed_first, id="python", compact=True, placeholder="/…/python")
        field.display = False
        yield field

    def show(self, pythons: tuple[Python, ...], chosen: Python) -> None:
        """Shows these, with the mark on the chosen one; on the last line where that is none."""
        self._pythons = pythons
        cells = min(self.app.size.width, 100) - 10
        with self.prevent(OptionList.OptionHighlighted):
            lines = [Content(each.line(cells)) for each in pythons]
            self._list.set_options([*lines, Content(ANOTHER)])
            at = pythons.index(chosen) if chosen in pythons else len(pythons)
            self._list.highlighted = at

    @property
    def typing(self) -> bool:
        """True while keys go to the field."""
        return self.is_mounted and self._field.has_focus

    @property
    def wants_another(self) -> bool:
        """True on the last line."""
        return self._list.highlighted == len(self._pythons)

    def open_field(self) -> None:
        """Lets one type a path."""
        self._field.display = True
        self.screen.set_focus(self._field)

    def take_keys(self) -> None:
        """Lets keys go to the list."""
        self.screen.set_focus(self._list)
        self._field.display = False

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Takes the Python."""
        event.stop()
        if event.option_index < len(self._pythons):
            self.post_message(self.Taken(self._pythons[event.option_index].path))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click chooses; Enter, which begins, never comes here."""
        event.stop()
        if self.wants_another:
            self.open_field()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes the path that was typed."""
        event.stop()
        self.post_message(self.Taken(event.value.strip(), typed=True))
