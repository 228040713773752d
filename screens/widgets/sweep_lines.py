"""The two lines of the Conv2d panel around its table: what is set, and how far it is."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.widgets import Static

from screens.run_text import bar
from screens.sweep_rows import tally
from screens.words import cut
from wizard.conv2d.verdicts import Verdict


class OneLine(Static):
    """A text on one line, cut with a mark when it is too long."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, classes="pad", markup=False)
        self._text = ""

    def show(self, text: str) -> None:
        """Shows a text."""
        self._text = text
        self.refresh(layout=False)

    def render(self) -> Content:
        """The text in the width that there is."""
        return Content(cut(self._text, self.content_size.width))


def progress_text(verdicts: Iterable[Verdict], total: int, now: str = "") -> str:
    """How many shapes are through, which one runs, and what came out."""
    known = tuple(verdicts)
    counts = f"  {tally(known)}" if known else ""
    return f"{bar(len(known) / max(1, total))} {len(known)} of {total}{now}{counts}"


def search_text(verdicts: Iterable[Verdict], now: str = "") -> str:
    """How much a search has measured: nobody knows how much is to come."""
    known = tuple(verdicts)
    counts = f"  {tally(known)}" if known else ""
    return f"{len(known)} measured{now}{counts}"


def tabs_text(operations: bool, asked: str) -> str:
    """Both tabs, the one that is open marked, and what is asked there."""
    first, second = ("  ", "> ") if operations else ("> ", "  ")
    return f"{first}Conv2d {second}Operations (x)  {asked}"
