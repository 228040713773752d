"""Result cards of many machines in one table: the card, the torch, what became of its shapes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.cells import cell_len, set_cell_size

from wizard import __version__
from wizard.conv2d.cards.result_card import ResultCard
from wizard.conv2d.search.setting_answer import setting_text
from wizard.conv2d.verdicts import RIGHT, Verdict
from wizard.report.units import WIDTH
from wizard.run.lines import clean

SHORTEST = 12
"""Columns that a name keeps, however long the others are."""
NAMED = 5
"""Machines that a note names, before it counts the rest."""
COLUMNS = ("Machine", "Chip", "torch", "Shapes", "Right", "Hung", "Wrong", "Else")
TORCH = COLUMNS.index("torch")
GAP = "  "
UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class Entry:
    """One machine's card, under the name that its file gives it."""

    name: str
    card: ResultCard

    def count(self, *verdicts: Verdict) -> int:
        """How many of its shapes ended so."""
        return sum(result.verdict in verdicts for result in self.card.results)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is no card, or cannot be read."""

    file: str
    why: str


def fleet_lines(entries: Sequence[Entry]) -> Iterator[str]:
    """The table, then the settings that were found, then what differs."""
    rows = [COLUMNS, *map(_cells, entries)]
    widths = [max(cell_len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    for place in (0, TORCH):  # the name gives way first, then torch's
        too_wide = sum(widths) + len(GAP) * (len(widths) - 1) - WIDTH
        widths[place] = max(min(widths[place], SHORTEST), widths[place] - max(0, too_wide))
    for row in rows:
        words = (_fitted(cell, width) for cell, width in zip(row, widths, strict=True))
        yield GAP.join(words).rstrip()
    for each in entries:
        if each.card.found is not None:
            yield from textwrap.wrap(f"{each.name}: {_found_text(each.card)}", WIDTH)
    yield ""
    for text in (headline(entries), *_notes(entries)):
        yield from textwrap.wrap(text, WIDTH)


def _fitted(text: str, cells: int) -> str:
    """In exactly so many columns; cut in the middle, since machines are told apart at the end."""
    if (wide := cell_len(text)) <= cells:
        return text + " " * (cells - wide)
    last = text[-(cells // 2) :]
    while cell_len(last) > cells // 2:
        last = last[1:]
    first = set_cell_size(text, cells - 1 - cell_len(last)).rstrip()
    return set_cell_size(f"{first}…{last}", cells)


def _notes(entries: Sequence[Entry]) -> Iterator[str]:
    """What makes some of them less fit to be compared."""
    if unfinished := [each.name for each in entries if not each.card.finished]:
        yield f"Not measured to the end: {_named(unfinished)}."
    others = [each for each in entries if each.card.version != __version__]
    if others:
        told = [f"{each.name} ({clean(each.card.version)})" for each in others]
        yield (
            f"Measured with another version of this program than {__version__}, which may judge "
            f"otherwise: {_named(told)}."
        )


def _named(names: Sequence[str]) -> str:
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


def headline(entries: Sequence[Entry]) -> str:
    """How many machines have every shape right, and how many chips and torches there are."""
    right = sum(_all_right(each.card) for each in entries)
    chips = {each.card.chip.gfx for each in entries}
    torches = {each.card.stack.torch for each in entries}
    kinds = f"{_counted(len(chips), 'chip')} and {_counted(len(torches), 'torch', 'torches')}"
    return (
        f"{right} of {_counted(len(entries), 'machine')} with every shape right; {kinds}. "
        "Only the same shapes on the same chip can be compared: conv2d --compare A B."
    )


def fleet_form(entries: Sequence[Entry], left_out: Sequence[LeftOut] = ()) -> dict[str, Any]:
    """The same as JSON."""
    machines, others = [_form(each) for each in entries], [asdict(each) for each in left_out]
    return {"schema": 1, "machines": machines, "left_out": others}


def _form(entry: Entry) -> dict[str, Any]:
    card, found = entry.card, entry.card.found
    return {
        "name": entry.name,
        "time": card.time,
        "version": card.version,
        "finished": card.finished,
        "chip": card.chip.name,
        "gfx": card.chip.gfx,
        "torch": card.stack.torch,
        "driver": card.stack.driver,
        "kernel": card.stack.kernel,
        "shapes": len(card.results),
        "verdicts": {v.value: n for v in Verdict if (n := entry.count(v))},
        "all_right": _all_right(card),
        "setting": None if found is None else dict(found.setting),
    }


def _cells(entry: Entry) -> tuple[str, ...]:
    right, hung, wrong = (
        entry.count(*RIGHT),
        entry.count(Verdict.HUNG),
        entry.count(Verdict.WRONG),
    )
    total = len(entry.card.results)
    counts = (total, right, hung, wrong, total - right - hung - wrong)
    about = (entry.card.chip.gfx or entry.card.chip.name, entry.card.stack.torch)
    return (entry.name, *(clean(text or UNKNOWN) for text in about), *map(str, counts))


def _all_right(card: ResultCard) -> bool:
    return bool(card.results) and all(result.verdict in RIGHT for result in card.results)


def _found_text(card: ResultCard) -> str:
    assert card.found is not None  # noqa: S101 - looked at before
    return clean(f"{card.found.shape.label} right under {setting_text(card.found.setting)}")


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
