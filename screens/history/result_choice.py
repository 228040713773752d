"""Which result of a run is meant: a list of them, the first that is no pass highlighted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.widget import Widget
from textual.widgets import OptionList

from screens.widgets.marked_list import MarkedList
from screens.windows.dialogs import Dialog
from screens.words import shown
from wizard.conv2d.verdicts import Result


class ResultChoice(Dialog[int]):
    """Dismissed with the place of a result, or with None."""

    DEFAULT_CSS = "ResultChoice OptionList { height: auto; max-height: 16; border: none; }"
    AUTO_FOCUS = "#results"
    KEYS = (("Enter Select", ""), ("Esc Back", "screen.close"))

    def __init__(self, title: str, results: Sequence[Result], place: int) -> None:
        super().__init__(title)
        self._results, self._place = results, place

    def body(self) -> Iterable[Widget]:
        """One line for each result."""
        lines = (_line(number, each) for number, each in enumerate(self._results, 1))
        yield MarkedList(*lines, id="results")

    def on_mount(self) -> None:
        """Highlights what is likely meant."""
        self.query_one(OptionList).highlighted = self._place

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Takes the highlighted one."""
        self.dismiss(event.option_index)


def _line(number: int, result: Result) -> str:
    return f"{number:>3}  {shown(result.label)}: {result.verdict.value}"
