"""The two lines of the Conv2d panel around its table: what is set, and how far it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import Static

from screens.conv2d.rows import tally
from screens.run.text import bar
from screens.words import cut
from wizard.conv2d.models import model_of
from wizard.conv2d.presets import Preset, Row
from wizard.conv2d.verdicts import Result, Verdict
from wizard.report.conv2d_models import so_far_line


class OneLine(Static):
    """A text on one line, cut with a mark when it is too long."""

    @dataclass
    class Clicked(Message):
        """A place of the line was clicked on."""

        line: str
        text: str
        x: int

    def on_click(self, event: Click) -> None:
        """Tells where."""
        self.post_message(self.Clicked(self.id or "", self._text, event.x - 1))

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


class ModelLine(OneLine):
    """The verdict of the model whose layers the rows are, so far; hidden where they are none's."""

    def __init__(self, presets: Sequence[Preset]) -> None:
        super().__init__("model-line")
        self._presets = presets
        self._model: Preset | None = None

    def look_at(self, rows: tuple[Row, ...]) -> None:
        """Finds out whose rows these are."""
        self._model = model_of(rows, self._presets)
        self.display = self._model is not None

    def tell(self, results: Iterable[Result]) -> None:
        """Says how many of its layers are right."""
        if self._model is not None:
            self.show(so_far_line(self._model, tuple(results)))


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
