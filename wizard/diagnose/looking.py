"""All looks at a machine, each told as it is waited for and as it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wizard.diagnose.alone import Look, run_each
from wizard.diagnose.finding import Finding
from wizard.diagnose.machine import Diagnosis, diagnosis_of, looks_of
from wizard.machine.facts import Machine


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is: one look, waited for or ended."""

    name: str
    """What is looked at."""
    number: int
    """From 1."""
    total: int
    findings: tuple[Finding, ...] | None = None
    """What it found; None while it is waited for."""


def look_at(
    machine: Machine,
    further: tuple[Look, ...] = (),
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Diagnosis:
    """Everything that can be told of this machine.

    ``further``: what else is looked at, beside the facts of the machine.
    """
    looks = (*looks_of(machine), *further)
    waited_for = [Progress(look.name, n, len(looks)) for n, look in enumerate(looks, 1)]
    on_progress(waited_for[0])
    found: list[Finding] = []
    for each, checked in enumerate(run_each(looks, machine)):
        on_progress(replace(waited_for[each], findings=checked.findings))
        for following in waited_for[each + 1 : each + 2]:
            on_progress(following)
        found += checked.findings
    return diagnosis_of(machine, found)
