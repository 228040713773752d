"""Which result of a run is meant: a list of them, the first that is no pass highlighted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from screens.clicks import key_line
from screens.widgets.marked_list import MarkedList
from screens.words import shown
from wizard.conv2d.verdicts import Result


class ResultChoice(ModalScreen[int]):
    """Dismissed with the place of a result, or with None."""

    DEFAULT_CSS = """
    ResultChoice OptionList { height: auto; max-height: 16; border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "leave", "Back")]
    AUTO_FOCUS = "#results"

    def __init__(self, title: str, results: Sequence[Result], place: int) -> None:
        super().__init__()
        self._title, self._results, self._place = title, results, place

    def compose(self) -> ComposeResult:
        """One line a result, in a frame."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(self._title)
            keys = (("Enter takes it", ""), ("Esc goes back", "screen.leave"))
            dialog.border_subtitle = key_line(*keys)
            options = (Option(_line(n, each)) for n, each in enumerate(self._results, 1))
            yield MarkedList(*options, id="results", markup=False, compact=True)

    def on_mount(self) -> None:
        """Highlights what is likely meant."""
        self.query_one(OptionList).highlighted = self._place

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Takes the highlighted one."""
        self.dismiss(event.option_index)

    def action_leave(self) -> None:
        """Goes back without one."""
        self.dismiss(None)


def _line(number: int, result: Result) -> str:
    return f"{number:>3}  {shown(result.label)}: {result.verdict.value}"
