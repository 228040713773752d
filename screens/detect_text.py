"""What Detect says of the machine: a row a question, and a sentence or two to sum it up."""

from __future__ import annotations

from textual.content import Content

from screens.faults import fault, in_one_run
from screens.hanging import wrapped
from screens.services import DetectedPart
from screens.words import STATUS_STYLES, card_text, column, cut, main_card, shown
from wizard.diagnose.finding import Status
from wizard.machine.facts import Machine, Unknown
from wizard.run.lines import clean

TITLE_CELLS = 20
SOURCE_CELLS = 30
WIDE = 96
"""From this width on there is room for a column of sources."""


def row_text(part: DetectedPart, cells: int, status: Status | None) -> Content:
    """A row of the checklist: mark, question, answer, and its source where there is room.

    No answer is cut: a long one takes further lines. Of its source there is the beginning, as the
    whole stands with the details. While not all is read there is no mark.
    """
    mark = f"{status.mark} " if status else "  "
    style = STATUS_STYLES[status] if status else ""
    source_cells = SOURCE_CELLS if cells >= WIDE else 0
    answer_cells = cells - len(mark) - TITLE_CELLS - source_cells
    answers = wrapped(shown(part.summary), answer_cells - 1)
    answer, *further = answers or [""]
    indent = " " * (len(mark) + TITLE_CELLS)
    return Content.assemble(
        (mark, style),
        (column(shown(part.title), TITLE_CELLS), "bold"),
        f"{answer:<{answer_cells}}",
        (cut(shown(part.source), source_cells), "$text-muted"),
        *(f"\n{indent}{line}" for line in further),
    )


def summary(machine: Machine) -> str:
    """One or two sentences: the card, and how sure we are of it."""
    gpu = main_card(machine)
    count = len(machine.unread)
    missing = f" {count} source{'' if count == 1 else 's'} could not be read." if count else ""
    if gpu is None or not gpu.rdna1:
        found = f"Found: {card_text(machine)}." if gpu else "No graphics card was found."
        left = "Without an RDNA1 card the stack cpu is left; the others can be looked at."
        return f"{found} {left}{missing}"
    known = "the kernel says so" if gpu.gfx_source == "kfd" else "by its PCI id"
    sure = "target unknown" if isinstance(gpu.gfx, Unknown) else known
    return f"Your card: {card_text(machine)} ({sure}).{missing}"


def broken_text(error: OSError | ValueError, rows: int) -> str:
    """Why there is no machine, and what to do about it."""
    found = "What was found so far stands below" if rows else "Nothing was found so far"
    next_step = f"{found}; r reads again."
    return in_one_run(fault("This machine could not be read to its end", error, next_step))


def details_text(part: DetectedPart, status: Status | None) -> str:
    """Everything about one answer."""
    head = f"{status.word}: " if status not in (None, Status.OK) else ""
    found = "\n".join(clean(line) for line in part.details) or "Nothing more was found."
    return f"{head}{clean(part.summary)}\n\nSource: {clean(part.source)}\n\n{found}"
