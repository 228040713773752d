"""Looks at a whole machine: every part at once, each with its own deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from wizard.core.fact import Unknown
from wizard.host.deadline import ReachableHost
from wizard.host.host import Host
from wizard.machine.access import ACCESS, DRIVER, PROCESSES
from wizard.machine.applications import applications_part
from wizard.machine.environments import environments_part
from wizard.machine.facts import Machine
from wizard.machine.gpus import GPUS
from wizard.machine.own_runs import OWN_RUNS
from wizard.machine.packages import APT_SOURCES, PACKAGES
from wizard.machine.part import PATIENCE_S, Once, PartDone, Reading
from wizard.machine.pythons import INTERPRETERS, UV, survey
from wizard.machine.rocm import MIOPEN, ROCM_TREES, SYSTEM_FILES
from wizard.machine.settings import SETTINGS, near_settings_part
from wizard.machine.surroundings import SURROUNDINGS
from wizard.machine.system import DISKS, MOUNTED, SYSTEM

T = TypeVar("T")
OnPart = Callable[[PartDone], None]


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
        host = ReachableHost(host, silent)
    packages = Reading(PACKAGES, host)  # started first: it waits for a program
    surveyed = Once(lambda: survey(host))
    gpus, environments = Reading(GPUS, host), Reading(environments_part(surveyed), host)
    system, access, disks = Reading(SYSTEM, host), Reading(ACCESS, host), Reading(DISKS, host)
    driver, surroundings = Reading(DRIVER, host), Reading(SURROUNDINGS, host)
    processes = Reading(PROCESSES, host)
    interpreters, uv = Reading(INTERPRETERS, host), Reading(UV, host)
    sources, files = Reading(APT_SOURCES, host), Reading(SYSTEM_FILES, host)
    trees, settings = Reading(ROCM_TREES, host), Reading(SETTINGS, host)
    near, miopen = Reading(near_settings_part(surveyed), host), Reading(MIOPEN, host)
    applications, runs = Reading(applications_part(surveyed), host), Reading(OWN_RUNS, host)
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
