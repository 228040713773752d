"""Values as words for people: sizes, times, cards, facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from wizard.machine.facts import Unknown
from wizard.run.lines import clean
from wizard.sizes import memory_size_text

if TYPE_CHECKING:
    from wizard.machine.facts import Fact, Gpu, Machine


STATUS_STYLES = {
    "fault": "bold $text-error",
    "warning": "bold $text-warning",
    "not-tested": "bold",
    "ok": "$text-success",
}
"""Of each ``wizard.diagnose.finding.Status``, by its value."""


def shown(text: str) -> str:
    """Text from outside on one line, without control characters."""
    return " ".join(clean(text).split())


def cut(text: str, cells: int) -> str:
    """The text in at most so many cells; a cut is marked with an ellipsis."""
    if cells <= 0:
        return ""
    return text if cell_len(text) <= cells else set_cell_size(text, cells - 1).rstrip() + "…"


def column(text: str, cells: int) -> str:
    """The text in exactly so many cells, one of them a gap to the next column."""
    return set_cell_size(cut(text, cells - 1), cells)


def listed(texts: Sequence[str], most: int = 0) -> str:
    """The texts as one; of more than ``most``, where that is given, the rest is counted."""
    *start, last = texts
    if most and len(texts) > most:
        start, last = list(texts[: most - 1]), f"{len(texts) - most + 1} more"
    return f"{', '.join(start)} and {last}" if start else last


def short_time(seconds: float | None) -> str:
    """A measured time with the digits that matter; ``-`` when nothing was measured."""
    if seconds is None:
        return "-"
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def fact_text(fact: Fact[str]) -> str:
    """A fact on one line; an unknown one says so."""
    return "unknown" if isinstance(fact, Unknown) else shown(fact)


def main_card(machine: Machine) -> Gpu | None:
    """The card that all is about: the first RDNA1 card, else the first card."""
    return next((gpu for gpu in machine.gpus if gpu.rdna1), next(iter(machine.gpus), None))


def card_text(machine: Machine, *, memory: bool = True) -> str:
    """The main card with its target and its memory; in under 40 cells as a rule."""
    gpu = main_card(machine)
    if gpu is None:
        return "no graphics card found"
    size = gpu.vram_bytes
    room = () if isinstance(size, Unknown) or not memory else (memory_size_text(size),)
    relation = () if gpu.rdna1 else ("not RDNA1",)
    name = shown(gpu.name).removeprefix("AMD ").removeprefix("Radeon ")
    return f"{name} ({', '.join((fact_text(gpu.gfx), *room, *relation))})"


def system_text(machine: Machine) -> str:
    """Distribution and release, such as ``Ubuntu 24.04``."""
    pretty = machine.system.pretty_name
    if not isinstance(pretty, Unknown):
        words = shown(pretty).split()
        return " ".join(word for word in words if word not in ("LTS", "GNU/Linux"))
    return fact_text(machine.system.distribution)
