"""Facts of a machine -> what is wrong with it, what is not, and what was not tested."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wizard.diagnose import checks_card, checks_packages, checks_settings, checks_torch
from wizard.diagnose.checked import not_tested
from wizard.diagnose.finding import Finding, in_order
from wizard.diagnose.order import unexplained
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
    checks_card.other_gpus,
    checks_settings.masks,
    checks_settings.families,
    checks_packages.shadowing,
    checks_packages.sources,
    checks_packages.releases,
    checks_settings.idle,
)
"""Checks whose advice is for owners of RDNA1 cards: to others it would be wrong."""


def _alone(check: Check, machine: Machine) -> tuple[Finding, ...]:
    """What one check found; a mistake in it costs that check and not the report."""
    try:
        return tuple(check(machine))
    except Exception as error:
        name = check.__name__.replace("_", " ")
        why = f"a mistake in this program: {type(error).__name__}: {error}"
        return (not_tested("none", f"The check of {name} did not end", why),)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found on a machine."""

    rdna1: bool
    """False where no RDNA1 card was found: then only what holds for all was checked."""
    findings: tuple[Finding, ...]


def diagnose(machine: Machine, more: tuple[Finding, ...] = ()) -> Diagnosis:
    """Every check of this machine, with findings from elsewhere, root causes first."""
    rdna1 = any(gpu.rdna1 for gpu in machine.gpus)
    # WSL shows no card at all, so that nothing can be said of its owner's.
    checks = (*FOR_ALL, *FOR_RDNA1) if rdna1 else FOR_ALL
    findings = [finding for check in checks for finding in _alone(check, machine)]
    return Diagnosis(rdna1, in_order(unexplained((*findings, *more))))
