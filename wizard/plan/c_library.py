"""The C library of the system, held against what a stack's wheels were built for."""

from __future__ import annotations

from packaging.version import InvalidVersion, Version

from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine, Unknown
from wizard.machine.glibc import refuses_executable_stacks
from wizard.plan.obstacle import Obstacle

CURE = "clear the executable-stack flag of libamdhip64.so and libhiprtc.so after installing"


def too_old(machine: Machine, stack: Stack) -> Obstacle | None:
    """Why the wheels cannot load, None where the C library is new enough or not known."""
    version = _version(machine)
    if version is None or not stack.glibc_floor or version >= Version(stack.glibc_floor):
        return None
    why = f"its wheels were built for glibc {stack.glibc_floor} or newer; this is {version}"
    mend = f"a newer release of this system, or a container with glibc {stack.glibc_floor} or newer"
    return Obstacle(why, mend)


def to_repair(machine: Machine, stack: Stack) -> bool:
    """True when its libraries are known to be refused as they come."""
    return stack.executable_stack and refuses_executable_stacks(machine.system.glibc) is True


def unsure(machine: Machine, stack: Stack) -> str:
    """What is to be done about the executable stack, and about a C library that is not known."""
    if to_repair(machine, stack):
        return f"{CURE}: glibc {_version(machine)} refuses them otherwise"
    if _version(machine) is not None:
        return ""
    told = _told(machine)
    if stack.executable_stack:
        return f"{told}; if it is 2.41 or newer: {CURE}"
    return f"glibc {stack.glibc_floor} or newer: {told}" if stack.glibc_floor else ""


def _told(machine: Machine) -> str:
    glibc = machine.system.glibc
    if isinstance(glibc, Unknown):
        return f"glibc is not known ({glibc.because})"
    return f"glibc calls itself {glibc}"


def _version(machine: Machine) -> Version | None:
    glibc = machine.system.glibc
    if isinstance(glibc, Unknown):
        return None
    try:
        return Version(glibc)
    except InvalidVersion:
        return None
