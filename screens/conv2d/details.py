"""Everything about one row of Measure, as a text to scroll through."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from screens.session import Session
from screens.words import shown
from wizard.conv2d.presets import Row
from wizard.conv2d.verdicts import Result
from wizard.diagnose.card_words import main_card
from wizard.machine.facts import Unknown
from wizard.report.conv2d_details import DRIVER_TITLE, Place, Titled, details

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
