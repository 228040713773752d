"""Values as words for people: sizes, times, cards, facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from wizard.core.lines import shown as shown
from wizard.diagnose.outcomes import fact_text
from wizard.machine.facts import Unknown

if TYPE_CHECKING:
    from wizard.machine.facts import Machine

STATUS_STYLES = {
    "fault": "bold $text-error",
    "warning": "bold $text-warning",
    "not-tested": "bold",
    "ok": "$text-success",
}
"""Of each ``wizard.diagnose.finding.Status``, by its value."""


def cut(text: str, cells: int) -> str:
    """The text in at most so many cells; a cut is marked with an ellipsis."""
    if cells <= 0:
        return ""
    return text if cell_len(text) <= cells else set_cell_size(text, cells - 1).rstrip() + "…"


def column(text: str, cells: int) -> str:
    """The text in exactly so many cells, one of them a gap to the next column."""
    return set_cell_size(cut(text, cells - 1), cells)


def short_time(seconds: float | None) -> str:
    """A measured time with the digits that matter; ``-`` when nothing was measured."""
    if seconds is None:
        return "-"
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def system_text(machine: Machine) -> str:
    """Distribution and release, such as ``Ubuntu 24.04``."""
    pretty = machine.system.pretty_name
    if not isinstance(pretty, Unknown):
        words = shown(pretty).split()
        return " ".join(word for word in words if word not in ("LTS", "GNU/Linux"))
    return fact_text(machine.system.distribution)
