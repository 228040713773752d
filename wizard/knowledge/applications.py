"""Applications: what people want to run, and what each asks of torch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Application:
    """Something to run, with its floors, each from a dated source."""

    id: str
    title: str
    """At most 12 characters, for a column head."""
    workload: str
    """What it asks of the card: ``convolution``, ``training``, ``transformer`` or ``any``."""
    torch_floor: str
    """Smallest torch version, ``""`` when none is known."""
    torch_ceiling: str
    """Largest torch version it ran with, ``""`` when none is known."""
    python_floor: str
    python_ceiling: str
    spoils: str
    """What its own installation does to an old stack, ``""`` when nothing is known."""
    source: str
    date: str


def load_applications() -> tuple[Application, ...]:
    """All applications, in the order of the file."""
    raise NotImplementedError
