"""Texts of Measure in windows: a row, what is asked before a run, what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from textual.content import Content
from textual.widgets import Static

from screens.dialogs import Notice, Question
from screens.session import Session
from wizard.conv2d.candidates import Asked
from wizard.conv2d.caution import IN_USE, Circumstances, caution_texts
from wizard.conv2d.requests import Request
from wizard.conv2d.shapes import Row
from wizard.conv2d.verdicts import Result
from wizard.core.fact import Unknown
from wizard.core.lines import shown
from wizard.machine.summary import main_card
from wizard.report.conv2d_row import DRIVER_TITLE, Place, Titled, details

TITLE = "Before a run on the GPU"
WITHOUT_RISK = "Measuring on the CPU (o, Device) cannot hang the GPU."
EVEN_SO = "press e"
OTHER = "press o to change this"
TITLE_STYLE = "bold"


def details_text(row: Row, result: Result | None, place: Place, *more: Titled) -> Content:
    """What is known of a row, most important first, then what else is to be told."""
    return titled_text(Titled("", (row.label,)), *details(row, result, place), *more)


def all_but_commands(row: Row, result: Result | None, place: Place) -> Content:
    """What is known of a row, without what one would type to repeat it."""
    told = (each for each in details(row, result, place) if each.title != DRIVER_TITLE)
    return titled_text(*told)


def titled_text(*texts: Titled) -> Content:
    """Texts with an empty line between them."""
    return Content("\n\n").join(map(_text, texts))


def chip_here(session: Session) -> str | None:
    """The chip of this machine's main card, where it is known."""
    card = None if session.machine is None else main_card(session.machine)
    return None if card is None or isinstance(card.gfx, Unknown) else card.gfx


def _text(titled: Titled) -> Content:
    """Title and text on one line, several lines below their title; all of it as it is."""
    return Content.assemble(*_parts(titled))


def _parts(titled: Titled) -> Iterator[Content]:
    lines = [shown(line) for line in titled.lines]
    if titled.title:
        between = ":\n" if titled.is_command or len(lines) > 1 else ": "
        yield Content.styled(titled.title, TITLE_STYLE)
        yield Content(between)
    yield Content("\n".join(lines))


class Details(Notice):
    """Everything about one row; what MIOpen would choose from comes once it has answered."""

    def __init__(
        self, row: Row, result: Result | None, place: Place, more: tuple[Titled, ...]
    ) -> None:
        super().__init__("This shape", details_text(row, result, place, *more))
        self.row, self.place = row, place
        self._result, self._more = result, more

    def tell(self, asked: Asked | None) -> None:
        """Shows what MIOpen said; None while it is asked."""
        place = replace(self.place, asked=asked, asking=asked is None)
        self._text = details_text(self.row, self._result, place, *self._more)
        self._show()

    def on_mount(self) -> None:
        """Shows what was told before there was anything to show it in."""
        self._show()

    def _show(self) -> None:
        for text in self.query(Static):  # none before it is shown, and once it is closed
            text.update(self._text)
            self.call_after_refresh(self._name_keys)


def caution(request: Request, around: Circumstances, hangs: int) -> Question:
    """The question: as the terminal's, affirmed by a key; another one where the seat is in use."""
    texts = (*caution_texts(request, around, hangs, OTHER), WITHOUT_RISK)
    if around.is_someones_desktop:
        text = "\n\n".join((IN_USE.format(EVEN_SO), *texts))
        return Question(f"{TITLE}: its screen is in use", text, "e", "Run it anyway")
    return Question(TITLE, "\n\n".join(texts), "y", "I saved my work")


class Answer(Notice):
    """All that a request came to, in lines as wide as the smallest screen."""
