"""Applications: what people want to run, and what each asks of torch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from wizard.knowledge.rows import read_rows


@dataclass(frozen=True, slots=True)
class Application:
    """Something to run, with its floors, each from a dated source."""

    id: str
    title: str
    """At most 12 characters, for a column head."""
    workload: str
    """What it asks of the card: ``convolution``, ``training``, ``small training``,
    ``transformer`` or ``any``."""
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


@cache
def load_applications() -> tuple[Application, ...]:
    """All applications, in the order of the file."""
    unless_said = {
        "torch_floor": "",
        "torch_ceiling": "",
        "python_floor": "",
        "python_ceiling": "",
        "spoils": "",
    }
    return read_rows("applications.toml", "application", Application, unless_said)


def applications_named(ids: tuple[str, ...]) -> tuple[Application, ...]:
    """The applications with these ids, in that order; KeyError names the known ids."""
    known = {application.id: application for application in load_applications()}
    unknown = [each for each in ids if each not in known]
    if unknown:
        raise KeyError(f"no application {unknown[0]!r}; known are {', '.join(known)}")
    return tuple(known[each] for each in ids)
