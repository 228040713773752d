"""Result cards of many machines in one table: the card, the torch, what became of its shapes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from wizard.conv2d.result_card import ResultCard
from wizard.conv2d.setting_answer import setting_text
from wizard.conv2d.verdicts import RIGHT, Verdict
from wizard.report.units import WIDTH
from wizard.run.lines import clean

COLUMNS = ("Machine", "Chip", "torch", "Shapes", "Right", "Hung", "Wrong", "Else")
UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class Entry:
    """One machine's card, under the name that its file gives it."""

    name: str
    card: ResultCard

    def count(self, *verdicts: Verdict) -> int:
        """How many of its shapes ended so."""
        return sum(result.verdict in verdicts for result in self.card.results)


def fleet_lines(entries: Sequence[Entry]) -> Iterator[str]:
    """The table, then the settings that were found, then what differs."""
    rows = [COLUMNS, *map(_cells, entries)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    for row in rows:
        words = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(words).rstrip()
    for each in entries:
        if each.card.found is not None:
            yield from textwrap.wrap(f"{each.name}: {_found_text(each.card)}", WIDTH)
    yield ""
    yield from textwrap.wrap(headline(entries), WIDTH)


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


def fleet_form(entries: Sequence[Entry]) -> dict[str, Any]:
    """The same as JSON."""
    return {"schema": 1, "machines": [_form(each) for each in entries]}


def _form(entry: Entry) -> dict[str, Any]:
    card, found = entry.card, entry.card.found
    return {
        "name": entry.name,
        "time": card.time,
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
