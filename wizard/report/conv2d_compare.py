"""Two runs side by side, as lines that fit 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from wizard.conv2d.cards.comparison import Change, Comparison, chip_of, same_chip
from wizard.conv2d.cards.result_card import ResultCard
from wizard.conv2d.manner import Manner
from wizard.conv2d.shapes import Shape
from wizard.conv2d.words.meaning import counted
from wizard.core.amounts import memory_size_text
from wizard.core.lines import clean
from wizard.report.conv2d import NOT_YOUR_CHIP, table_lines
from wizard.report.units import WIDTH

TOLD = 8
"""Rows in one run alone that are named before the rest is counted."""
COLUMNS = ("A", "B", "Cold", "Warm")
LEGEND = (
    "Cold and Warm are the times for the first call and a later call in B, each divided by the "
    "time in A."
)


def compare_lines(found: Comparison, here: str | None = None) -> Iterator[str]:
    """Both runs, then what changed; ``here`` is the chip of this machine, where it is known."""
    yield from _run_lines("A", found.before, here)
    yield from _run_lines("B", found.after, here)
    yield ""
    yield from _chips(found)
    if found.changes:
        yield from _table(found.changes)
        yield from textwrap.wrap(LEGEND, WIDTH)
    yield from _alone("A", found.only_before)
    yield from _alone("B", found.only_after)
    yield ""
    yield from textwrap.wrap(headline(found), WIDTH)


def card_lines(card: ResultCard, here: str | None = None) -> Iterator[str]:
    """One card: whose results they are, then the results."""
    yield from _run_lines("Card", card, here)
    yield ""
    if card.results:
        yield from table_lines(card.results, engines=True)


def holds_text(card: ResultCard) -> str:
    """What leaves the machine with it, and what does not."""
    count = len(card.results)
    results = f"{count} result{'' if count == 1 else 's'}"
    return f"{results}. Your name, your folders and the name of your machine are not included."


def headline(found: Comparison) -> str:
    """What changed, in one sentence."""
    count, total = len(found.differing), len(found.changes)
    if not total:
        return "There is nothing to compare: no shape was measured the same way in both runs."
    shapes = f"{total} shape{'s' if total > 1 else ''} measured in both"
    return f"{count or 'None'} of {shapes} {'have' if count > 1 else 'has'} a different verdict."


def _run_lines(letter: str, card: ResultCard, here: str | None) -> Iterator[str]:
    chip, stack = card.chip, card.stack
    memory = memory_size_text(chip.vram_bytes) if chip.vram_bytes else None
    parts = (chip.name, chip.gfx, memory, f"torch {stack.torch}" if stack.torch else None)
    rest = (f"driver {stack.driver}" if stack.driver else None, stack.kernel, stack.distribution)
    about = ", ".join(clean(part) for part in (*parts, *rest) if part)
    other = here is not None and chip_of(card) not in (here, None)
    label = f" ({NOT_YOUR_CHIP})" if other else ""
    text = f"{letter}: {clean(card.time)}{label}: {about or 'device not stated'}. "
    finished = "" if card.finished else " Not finished."
    yield from textwrap.wrap(
        f"{text}{counted(card.results)}.{finished}", WIDTH, subsequent_indent="   "
    )


def _chips(found: Comparison) -> Iterator[str]:
    if same_chip(found.before, found.after) is False:
        yield from textwrap.wrap(
            f"The chips differ: {clean(chip_of(found.before) or '')} and "
            f"{clean(chip_of(found.after) or '')}. That alone may explain any differences in the "
            "results.",
            WIDTH,
        )
        yield ""


def _table(changes: Sequence[Change]) -> Iterator[str]:
    """One row a shape; a label that leaves no room stands on a line of its own."""
    rows = [("Shape", *COLUMNS), *map(_cells, changes)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    room = WIDTH - sum(widths[1:]) - 2 * len(COLUMNS)
    widths[0] = max(len(row[0]) for row in rows if len(row[0]) <= room)
    for row in rows:
        label = row[0]
        if len(label) > room:
            yield from textwrap.wrap(label, WIDTH)
            label = ""
        cells = (label, *row[1:])
        yield "  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip()


def _cells(change: Change) -> tuple[str, ...]:
    mark = "* " if change.differs else ""
    return (
        f"{mark}{clean(change.manner.named(change.shape))}",
        change.before.words,
        change.after.words,
        _ratio(change.cold_ratio),
        _ratio(change.warm_ratio),
    )


def _ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"x{ratio:.3g}"


def _alone(letter: str, rows: Sequence[tuple[Shape, Manner]]) -> Iterator[str]:
    if not rows:
        return
    named = ", ".join(clean(manner.named(shape)) for shape, manner in rows[:TOLD])
    rest = f" and {len(rows) - TOLD} more" if len(rows) > TOLD else ""
    yield from textwrap.wrap(f"Only in {letter}: {named}{rest}.", WIDTH, subsequent_indent="  ")
