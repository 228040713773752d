"""Looks at a whole machine: every part at once, each with its own deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from wizard.core.fact import Unknown
from wizard.host.deadline import WaryHost
from wizard.host.host import Host
from wizard.machine.access import ACCESS, DRIVER, PROCESSES
from wizard.machine.applications import APPLICATIONS
from wizard.machine.environments import ENVIRONMENTS
from wizard.machine.facts import Machine
from wizard.machine.gpus import GPUS
from wizard.machine.own_runs import OWN_RUNS
from wizard.machine.packages import APT_SOURCES, PACKAGES, PackageFacts
from wizard.machine.part import PATIENCE_S, Once, Part, PartDone, Reading
from wizard.machine.pythons import INTERPRETERS, UV, survey
from wizard.machine.rocm import MIOPEN, ROCM_TREES, SYSTEM_FILES
from wizard.machine.settings import NEAR_SETTINGS, SETTINGS
from wizard.machine.surroundings import SURROUNDINGS
from wizard.machine.system import DISKS, MOUNTED, SYSTEM

T = TypeVar("T")
OnPart = Callable[[PartDone], None]
PARTS: tuple[tuple[Part[Any], Callable[[Machine], Any]], ...] = (
    (GPUS, lambda machine: machine.gpus),
    (DRIVER, lambda machine: machine.driver),
    (SYSTEM, lambda machine: machine.system),
    (SURROUNDINGS, lambda machine: machine.surroundings),
    (ACCESS, lambda machine: machine.access),
    (PROCESSES, lambda machine: machine.processes),
    (DISKS, lambda machine: machine.disks),
    (MOUNTED, lambda machine: machine.silent),
    (INTERPRETERS, lambda machine: machine.interpreters),
    (UV, lambda machine: machine.uv),
    (ENVIRONMENTS, lambda machine: machine.environments),
    (ROCM_TREES, lambda machine: machine.rocm_trees),
    (PACKAGES, lambda machine: PackageFacts(machine.rocm_packages, machine.package_work)),
    (APT_SOURCES, lambda machine: machine.apt_sources),
    (SYSTEM_FILES, lambda machine: machine.system_files),
    (SETTINGS, lambda machine: machine.settings),
    (NEAR_SETTINGS, lambda machine: ()),  # among the settings of a machine
    (APPLICATIONS, lambda machine: machine.applications),
    (MIOPEN, lambda machine: machine.miopen),
    (OWN_RUNS, lambda machine: machine.runs),
)
"""Every part, in the order in which they are told, and its value in a machine."""


def detect(host: Host, on_part: OnPart | None = None, patience_s: float = PATIENCE_S) -> Machine:
    """All facts of a machine; ``on_part`` hears of each part, always in the same order."""
    limit = time.monotonic() + patience_s
    unread: list[Unknown] = []

    def done(reading: Reading[T]) -> T:
        found = reading.result(limit - time.monotonic())
        unread.extend(found.unread)
        if on_part is not None:
            on_part(reading.told(found))
        return found.value

    mounted = Reading(MOUNTED, host)
    if silent := mounted.result(patience_s).value:
        host = WaryHost(host, silent)
    packages = Reading(PACKAGES, host)  # started first: it waits for a program
    surveyed = Once(lambda: survey(host))
    gpus, environments = Reading(GPUS, host), Reading(ENVIRONMENTS, host, surveyed)
    system, access, disks = Reading(SYSTEM, host), Reading(ACCESS, host), Reading(DISKS, host)
    driver, surroundings = Reading(DRIVER, host), Reading(SURROUNDINGS, host)
    processes = Reading(PROCESSES, host)
    interpreters, uv = Reading(INTERPRETERS, host), Reading(UV, host)
    sources, files = Reading(APT_SOURCES, host), Reading(SYSTEM_FILES, host)
    trees, settings = Reading(ROCM_TREES, host), Reading(SETTINGS, host)
    near, miopen = Reading(NEAR_SETTINGS, host, surveyed), Reading(MIOPEN, host)
    applications, runs = Reading(APPLICATIONS, host, surveyed), Reading(OWN_RUNS, host)
    return Machine(
        recorded=host.name,
        gpus=done(gpus),
        driver=done(driver),
        system=done(system),
        surroundings=done(surroundings),
        access=done(access),
        processes=done(processes),
        disks=done(disks),
        silent=done(mounted),
        interpreters=done(interpreters),
        uv=done(uv),
        environments=done(environments),
        rocm_trees=done(trees),
        rocm_packages=(listed := done(packages)).rocm,
        package_work=listed.work,
        apt_sources=done(sources),
        system_files=done(files),
        settings=(*done(settings), *done(near)),
        applications=done(applications),
        miopen=done(miopen),
        runs=done(runs),
        unread=tuple(unread),
    )
