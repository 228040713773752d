"""What stands in the way of PyTorch on a machine, in one or two sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wizard.diagnose.finding import Finding, Status
from wizard.machine.facts import Gpu, Machine, Unknown
from wizard.run.lines import one_line
from wizard.sizes import counted, memory_size_text

PERMISSION = "kfd-permission"
FIRST = "1 thing to set up first: permission to use the GPU. The plan can do it."


class Verdict(NamedTuple):
    """What a machine comes to, in one or two sentences with their marks."""

    text: str
    status: Status
    second: str = ""
    second_status: Status | None = None


def verdict(machine: Machine, findings: Iterable[Finding]) -> Verdict:
    """What stands in the way of PyTorch on this machine, by what was diagnosed."""
    gpu = main_card(machine)
    if gpu is None:
        return Verdict(
            "No graphics card was found.",
            Status.WARNING,
            "PyTorch would run on the processor: choose the stack cpu.",
        )
    if not gpu.rdna1:
        return Verdict(
            f"Your {one_line(gpu.name)} is not an RDNA1 card.",
            Status.WARNING,
            "Only the stack cpu suits this machine. You can still look at the others.",
        )
    counting = [each for each in findings if each.counts]
    faults = [each for each in counting if each.status is Status.FAULT]
    warnings = len(counting) - len(faults)
    joinable = any(_the_plan_joins(each) for each in faults)
    obstacles = [each for each in faults if not _the_plan_joins(each)]
    second = _unread(machine)
    if warnings:
        them = "it" if warnings == 1 else "them"
        second = f"{counted(warnings, 'warning')}: d explains {them}.", Status.WARNING
    if joinable:
        second = FIRST, Status.WARNING
    card = f"your {card_text(machine)}"
    if not obstacles:
        return Verdict(f"No obstacle to PyTorch found on {card}.", Status.OK, *second)
    problem = _problem(machine, obstacles[0])
    if len(obstacles) == 1:
        return Verdict(f"1 problem found with {card}: {problem}.", Status.FAULT, *second)
    text = f"{len(obstacles)} problems found with {card}. The first: {problem}."
    return Verdict(text, Status.FAULT, *second)


def _problem(machine: Machine, finding: Finding) -> str:
    """What is wrong, in a few words; a container has no driver of its own to look for."""
    container = machine.surroundings.container
    if finding.cause == "kfd-missing" and container:
        return f"{container} was started without the GPU's device /dev/kfd"
    return one_line(finding.title).rstrip(".")


def _the_plan_joins(finding: Finding) -> bool:
    """True for a missing right that a step of the plan gives."""
    return finding.cause == PERMISSION and finding.about is not None and bool(finding.about.groups)


def _unread(machine: Machine) -> tuple[str, Status | None]:
    if not machine.unread:
        return "", None
    return f"{counted(len(machine.unread), 'source')} could not be read.", Status.NOT_TESTED


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
    name = one_line(gpu.name).removeprefix("AMD ").removeprefix("Radeon ")
    gfx = "unknown" if isinstance(gpu.gfx, Unknown) else one_line(gpu.gfx)
    return f"{name} ({', '.join((gfx, *room, *relation))})"
