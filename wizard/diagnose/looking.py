"""All that is looked at on a machine, one thing after the other, each told as it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from wizard.diagnose.alone import alone
from wizard.diagnose.finding import Finding
from wizard.diagnose.kernel import kernel_findings
from wizard.diagnose.machine import Diagnosis, checks_of, concluded, name_of
from wizard.machine.facts import Machine
from wizard.machine.host import Host


@dataclass(frozen=True, slots=True)
class Look:
    """One thing that is looked at."""

    name: str
    number: int
    """From 1."""
    total: int
    findings: tuple[Finding, ...] | None = None
    """What it found; None while it runs."""


def look_at(
    host: Host, machine: Machine, on_look: Callable[[Look], None] = lambda _: None
) -> Diagnosis:
    """Everything that can be told of this machine."""
    looks = tuple(_looks(host, machine))
    every: list[Finding] = []
    for number, (name, look) in enumerate(looks, 1):
        begun = Look(name, number, len(looks))
        on_look(begun)
        found = alone(name, look)
        on_look(replace(begun, findings=found))
        every += found
    return concluded(machine, tuple(every))


def _looks(host: Host, machine: Machine) -> Iterator[tuple[str, Callable[[], Iterable[Finding]]]]:
    for check in checks_of(machine):
        yield name_of(check), partial(check, machine)
    if not host.name:  # a recorded machine has no log of its own
        yield "the kernel log", kernel_findings
