"""The rows of the Conv2d table: verdicts as mark and word, times, published figures."""

from __future__ import annotations

from rich.text import Text

from screens.sweep import ShapeMeasured, SweepShape
from screens.words import short_time, shown

COLUMNS = (
    ("Size", "size", 8),
    ("Channels", "channels", 8),
    ("Verdict", "verdict", 11),
    ("Cold", "cold", 8),
    ("Warm", "warm", 8),
    ("Error", "error", 9),
    ("Published", "published", 11),
)
"""Head, key and width; fixed widths, so that nothing jumps when a verdict arrives."""
GROWING = ("error", "published")
NARROW = 80
NOT_RUN = "· not run"
EXAMPLE = "example"
RUNNING = "> running"
MARKS = {
    "pass": ("✓", "green"),
    "slow": ("✓", "yellow"),
    "flaky": ("?", "yellow"),
    "wrong": ("✗", "red"),
    "error": ("✗", "red"),
    "hung": ("✗", "red"),
    "crashed": ("✗", "red"),
    "out of memory": ("✗", "red"),
}


def columns(cells: int) -> tuple[tuple[str, str, int], ...]:
    """The columns for a screen width: what is more than 80 goes to the texts."""
    more = max(0, cells - NARROW) // len(GROWING)
    return tuple((head, key, width + more * (key in GROWING)) for head, key, width in COLUMNS)


def row_text(shape: SweepShape, measured: ShapeMeasured | None) -> str:
    """Everything about one row, uncut."""
    lines = [f"{shape.channels} channels at {shape.size}"]
    if measured is None:
        lines.append("Not measured.")
    else:
        cold, warm = short_time(measured.cold_s), short_time(measured.warm_s)
        lines.append(
            f"{measured.verdict}; cold {cold}, warm {warm}; {measured.error or 'no error'}"
        )
    lines.append(f"Published: {shape.published or 'nothing for this shape'}")
    return "\n".join(shown(line) for line in lines)


def blank_row(shape: SweepShape, verdict: str) -> tuple[Text, ...]:
    """A row before its shape was measured."""
    cells = (shape.size, shape.channels, verdict, "", "", "", shape.published)
    return tuple(Text(shown(cell)) for cell in cells)


def measured_cells(update: ShapeMeasured) -> tuple[tuple[str, Text], ...]:
    """Column keys and cells of a verdict."""
    mark, colour = MARKS.get(update.verdict, ("?", ""))
    return (
        ("verdict", Text(f"{mark} {shown(update.verdict)}", style=colour)),
        ("cold", Text(short_time(update.cold_s))),
        ("warm", Text(short_time(update.warm_s))),
        ("error", Text(shown(update.error))),
    )


def tally(verdicts: tuple[str, ...]) -> str:
    """How often each verdict came, in the order of first appearance."""
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
