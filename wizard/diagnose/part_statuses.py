"""How each part of a machine stands: by its own facts, and by what the checks say of them."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.diagnose.finding import Finding, Status, worst
from wizard.diagnose.machine import diagnose
from wizard.knowledge.causes import load_parts
from wizard.machine.access import ACCESS, may_compute
from wizard.machine.disks import DISKS
from wizard.machine.driver import DRIVER
from wizard.machine.facts import Machine, Unknown
from wizard.machine.gpus import GPUS
from wizard.machine.miopen import MIOPEN
from wizard.machine.own_runs import OWN_RUNS
from wizard.machine.packages import APT_SOURCES, PACKAGES
from wizard.machine.part import was_late
from wizard.machine.processes import PROCESSES
from wizard.machine.pythons import INTERPRETERS
from wizard.machine.rocm import ROCM_TREES
from wizard.machine.settings import SETTINGS
from wizard.machine.silent_mounts import MOUNTED
from wizard.machine.surroundings import SURROUNDINGS, warnings
from wizard.machine.system import SYSTEM
from wizard.machine.system_files import SYSTEM_FILES
from wizard.machine.uv import UV

ENVIRONMENTS = "Python environments"
TITLES = (
    *(GPUS.title, DRIVER.title, SYSTEM.title, SURROUNDINGS.title, ACCESS.title, PROCESSES.title),
    *(DISKS.title, MOUNTED.title, INTERPRETERS.title, UV.title, ENVIRONMENTS, ROCM_TREES.title),
    *(PACKAGES.title, APT_SOURCES.title, SYSTEM_FILES.title, SETTINGS.title, "App settings"),
    *("Applications", MIOPEN.title, OWN_RUNS.title),
)
"""Of all parts, in the order in which detection tells them."""


def part_statuses(
    machine: Machine, findings: tuple[Finding, ...] | None = None
) -> dict[str, Status]:
    """By the title of each part: the worst of its own facts and of the findings about it.

    ``findings``: those of ``diagnose``, where they are known already.
    """
    own = dict.fromkeys(TITLES, Status.OK) | dict(_own(machine))
    # What did not answer in time was looked at by nobody, whatever stands in its place.
    own |= dict.fromkeys((t for t in TITLES if was_late(t, machine.unread)), Status.NOT_TESTED)
    found = diagnose(machine).findings if findings is None else findings
    return {title: worst((status, *_of(title, found))) for title, status in own.items()}


def _of(title: str, findings: tuple[Finding, ...]) -> Iterator[Status]:
    return (each.status for each in findings if load_parts().get(each.cause) == title)


def _own(machine: Machine) -> Iterator[tuple[str, Status]]:
    """What the facts of a part say by themselves, whoever owns the machine."""
    warns = {
        GPUS.title: not any(gpu.rdna1 for gpu in machine.gpus),
        DRIVER.title: not machine.driver.loaded,
        ACCESS.title: not may_compute(machine.access),
        INTERPRETERS.title: not any(one.makes_venvs for one in machine.interpreters),
        MOUNTED.title: bool(machine.silent),
        SURROUNDINGS.title: bool(warnings(machine.surroundings)),
    }
    system, driver = machine.system, machine.driver
    unknown = {
        DRIVER.title: driver.loaded and isinstance(driver.origin, Unknown),
        SYSTEM.title: isinstance(system.kernel, Unknown) or isinstance(system.glibc, Unknown),
        PROCESSES.title: isinstance(machine.processes, Unknown),
        PACKAGES.title: isinstance(machine.rocm_packages, Unknown),
        DISKS.title: not machine.disks,
    }
    yield from ((title, Status.WARNING) for title, is_so in warns.items() if is_so)
    yield from ((title, Status.NOT_TESTED) for title, is_so in unknown.items() if is_so)
