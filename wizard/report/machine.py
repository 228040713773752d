"""What detection found, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from wizard.core.lines import shown, wrapped
from wizard.diagnose.finding import Status, worst
from wizard.diagnose.machine import part_statuses
from wizard.machine.detect import PARTS
from wizard.machine.environments import ENVIRONMENTS
from wizard.machine.facts import Machine
from wizard.machine.part import PartDone
from wizard.machine.settings import NEAR_SETTINGS, SETTINGS
from wizard.machine.torch import Verified, distribution_torch


def machine_lines(machine: Machine) -> Iterator[str]:
    """Everything that detection found; a line is a line, whatever a name or a value holds."""
    for line in recorded_lines(machine):
        yield from (line, "")
    statuses = part_statuses(machine)
    for part in told_parts(machine):
        yield heading(part.title, statuses)
        yield from part_lines(part)


def recorded_lines(machine: Machine) -> Iterator[str]:
    """That this is a record, where it is one."""
    if machine.recorded:
        yield f"RECORDED MACHINE {shown(machine.recorded)}: not this computer"


def told_parts(machine: Machine) -> Iterator[PartDone]:
    """Each part in words; settings of environments and applications are among the settings."""
    for part, value in PARTS:
        if part is ENVIRONMENTS:
            done = part.told(value(machine))
            yield replace(done, details=(*done.details, *_of_distribution(machine)))
        elif part is not NEAR_SETTINGS:
            yield part.told(value(machine))


def heading(title: str, statuses: Mapping[str, Status]) -> str:
    """The title of a part; it says where not all is fine."""
    titles = (title, NEAR_SETTINGS.title) if title == SETTINGS.title else (title,)
    status = worst(statuses[each] for each in titles)
    return title if status is Status.OK else f"{title}: {status.word}"


def part_lines(part: PartDone) -> Iterator[str]:
    """The summary of a part, then its details."""
    yield from wrapped(part.summary, head="  ")
    for detail in part.details:
        if detail != part.summary:
            text = detail.lstrip(" ")
            margin = "  " + " " * (len(detail) - len(text))
            yield from wrapped(text, head=margin, indent=f"{margin}  ")


def _of_distribution(machine: Machine) -> Iterator[str]:
    for each in machine.environments:
        if own := distribution_torch(machine, each):
            yield from (f"{each.path}: {line}" for line in own.lines)


def verified_lines(verified: tuple[Verified, ...] | None) -> Iterator[str]:
    """How the libraries of wheels compare with what their wheels brought; None: nobody asked."""
    if verified is None:
        return
    yield "ROCm libraries of torch, checked by hash"
    for library in verified:
        yield f"  {shown(library.path)}: {library.outcome}"
    if not verified:
        yield "  none"
