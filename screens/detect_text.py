"""What Detect says of the machine: a row a question, and a sentence or two to sum it up."""

from __future__ import annotations

from textual.content import Content

from screens.services import DetectedPart
from screens.words import card_text, column, cut, main_card, shown
from wizard.machine.facts import Machine, Unknown
from wizard.run.lines import clean

TITLE_CELLS = 20
SOURCE_CELLS = 18
WIDE = 100


def row_text(part: DetectedPart, cells: int) -> Content:
    """A row of the checklist: state, question, answer, and its source where there is room."""
    unknown = part.summary.strip().lower().startswith("unknown")
    if part.warns:
        mark, style = "! ", "bold $text-warning"
    else:
        mark, style = ("? ", "$text-warning") if unknown else ("✓ ", "$text-success")
    source_cells = SOURCE_CELLS + max(0, cells - WIDE) // 2
    answer_cells = cells - len(mark) - TITLE_CELLS - source_cells
    return Content.assemble(
        (mark, style),
        (column(shown(part.title), TITLE_CELLS), "bold"),
        column(shown(part.summary), answer_cells),
        (cut(shown(part.source), source_cells), "$text-muted"),
    )


def summary(machine: Machine) -> str:
    """One or two sentences: the card, and how sure we are of it."""
    gpu = main_card(machine)
    missing = f" {len(machine.unread)} sources could not be read." if machine.unread else ""
    if gpu is None or not gpu.rdna1:
        found = f"Found: {card_text(machine)}." if gpu else "No graphics card was found."
        left = "No RDNA1 card here: the CPU road is left, and every other to look at."
        return f"{found} {left}{missing}"
    known = "the kernel says so" if gpu.gfx_source == "kfd" else "by its PCI id"
    sure = "target unknown" if isinstance(gpu.gfx, Unknown) else known
    return f"Your card: {card_text(machine)} ({sure}).{missing}"


def details_text(part: DetectedPart) -> str:
    """Everything about one answer."""
    found = "\n".join(clean(line) for line in part.details) or "Nothing more was found."
    return f"{clean(part.summary)}\n\nSource: {clean(part.source)}\n\n{found}"
