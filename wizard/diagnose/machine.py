"""Facts of a machine -> what is wrong with it, what is not, and what was not tested."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from wizard.diagnose import checks_card, checks_packages, checks_settings, checks_torch
from wizard.diagnose.consequences import joined, unexplained
from wizard.diagnose.finding import Finding, in_order
from wizard.diagnose.parallel import Look, run_each
from wizard.knowledge.causes import load_causes
from wizard.machine.facts import Machine

Check = Callable[[Machine], Iterator[Finding]]

FOR_ALL: tuple[Check, ...] = (
    checks_card.windows_below,
    checks_packages.work,
    checks_packages.room,
)
"""Checks that hold whatever card there is."""
FOR_RDNA1: tuple[Check, ...] = (
    checks_card.driver,
    checks_card.slot,
    checks_card.permission,
    checks_card.stuck_work,
    checks_torch.exchanged,
    checks_torch.executable_stack,
    checks_torch.build,
    checks_torch.numpy,
    checks_torch.code_for_card,
    checks_torch.spoofed_processor,
    checks_torch.library_path,
    checks_card.other_cards,
    checks_card.other_gpus,
    checks_settings.masks,
    checks_settings.families,
    checks_settings.searching,
    checks_packages.shadowing,
    checks_packages.sources,
    checks_packages.releases,
    checks_torch.own_rocm,
    checks_settings.idle,
)
"""Checks whose advice is for owners of RDNA1 cards: to others it would be wrong."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found on a machine."""

    rdna1: bool
    """False where no RDNA1 card was found: then only what holds for all was checked."""
    findings: tuple[Finding, ...]


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


def looks_of(machine: Machine) -> tuple[Look, ...]:
    """The checks whose advice is right for the owner of this machine."""
    # WSL shows no card at all, so that nothing can be said of its owner's.
    checks = (*FOR_ALL, *FOR_RDNA1) if _has_card(machine) else FOR_ALL
    load_causes()  # now, or all of them would read the table at the same time
    return tuple(Look(check.__name__.replace("_", " "), check) for check in checks)


def diagnose(
    machine: Machine,
    further: tuple[Look, ...] = (),
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Diagnosis:
    """Everything that can be told of this machine, each look told as it is waited for and ends.

    ``further``: what else is looked at, beside its facts.
    """
    looks = (*looks_of(machine), *further)
    ended = run_each(looks, machine)
    found: list[Finding] = []
    for number, look in enumerate(looks, 1):
        progress = Progress(look.name, number, len(looks))
        on_progress(progress)
        findings = next(ended)
        on_progress(replace(progress, findings=findings))
        found += findings
    return diagnosis_of(machine, found)


def diagnosis_of(machine: Machine, findings: Iterable[Finding]) -> Diagnosis:
    """What checks found, as a whole: root causes first, consequences left out."""
    return Diagnosis(_has_card(machine), in_order(joined(unexplained(tuple(findings)))))


def _has_card(machine: Machine) -> bool:
    return any(gpu.rdna1 for gpu in machine.gpus)
