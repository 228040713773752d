"""What Detect says of the machine: a row for each question."""

from __future__ import annotations

from textual.content import Content

from screens.faults import fault, in_one_run
from screens.hanging import wrapped
from screens.words import STATUS_STYLES, column, shown
from wizard.core.amounts import counted
from wizard.core.lines import clean
from wizard.diagnose.finding import Status
from wizard.machine.part import PartDone

TITLE_CELLS = 20


def row_text(part: PartDone, cells: int, status: Status | None) -> Content:
    """A row: mark, question, answer. A long answer takes further lines; none is cut.

    While not all is read there is no mark.
    """
    mark = f"{status.mark} " if status else "  "
    style = STATUS_STYLES[status] if status else ""
    answer, *further = wrapped(shown(part.summary), cells - len(mark) - TITLE_CELLS)
    indent = " " * (len(mark) + TITLE_CELLS)
    return Content.assemble(
        (mark, style),
        (column(shown(part.title), TITLE_CELLS), "bold"),
        answer,
        *(f"\n{indent}{line}" for line in further),
    )


def fold_text(count: int, *, unfolded: bool) -> str:
    """The row that all rows without anything to note fold into."""
    return f"{'▾' if unfolded else '▸'} {counted(count, 'more check')}, all fine"


def broken_text(error: OSError | ValueError, rows: int) -> str:
    """Why there is no machine, and what to do about it."""
    found = "The findings so far are below" if rows else "Nothing was found so far"
    return in_one_run(
        fault(
            "This machine could not be inspected completely",
            error,
            f"{found}. Press r to read again.",
        )
    )


def details_text(part: PartDone, status: Status | None) -> str:
    """Everything about one answer."""
    head = f"{status.word}: " if status not in (None, Status.OK) else ""
    found = "\n".join(clean(line) for line in part.details) or "Nothing more was found."
    return f"{head}{clean(part.summary)}\n\nSource: {clean(part.source)}\n\n{found}"
