"""Which settings reach an environment, and what they do to the release of its torch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wizard.knowledge.stacks import find_stack, rocm_of
from wizard.machine.facts import Environment, Machine, Setting

OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"
OVERRIDE_HANGS_SINCE = (5, 3)
"""The ROCm from which on users report hangs of RDNA1 cards with HSA_OVERRIDE_GFX_VERSION=10.3.0."""
OWN_FAMILY = re.compile(r"10\.1\.[0-3]$")


def reaching(machine: Machine, environment: Environment) -> tuple[Setting, ...]:
    """What programs of this environment get: what everything gets, and what is its own."""
    own = {environment.path}
    own |= {app.path for app in machine.applications if app.environment == environment.path}
    return tuple(one for one in machine.settings if not one.within or one.within in own)


def elsewhere(machine: Machine) -> tuple[Setting, ...]:
    """Settings of services, notebooks and the like: which Python these start is not known."""
    places = {e.path for e in machine.environments} | {a.path for a in machine.applications}
    return tuple(one for one in machine.settings if one.within and one.within not in places)


def leaves_out(machine: Machine, environment: Environment) -> bool:
    """True for an environment of ours that takes the override away before torch loads."""
    here = (run for run in machine.runs if run.folder == environment.path)
    stacks = (find_stack(run.stack) for run in here if run.state == "finished")
    return any(stack is not None and OVERRIDE in stack.unset for stack in stacks)


def overrides(settings: tuple[Setting, ...]) -> Iterator[Setting]:
    """Those that tell ROCm another chip, for all cards or for one."""
    return (one for one in settings if one.name.startswith(OVERRIDE) and one.value)


def is_foreign(value: str) -> bool:
    """True for a value that makes a card of RDNA1 pass for another one."""
    return bool(value) and not OWN_FAMILY.match(value)


def torch_before(version: str, limit: tuple[int, int]) -> bool:
    """True when this torch is older than a minor release; False for what is no version."""
    found = re.match(r"(\d{1,4})\.(\d{1,4})", version)
    return found is not None and (int(found[1]), int(found[2])) < limit


def override_hangs(version: str) -> bool:
    """True for a torch with whose ROCm, or a later one, an override is reported to hang."""
    return (rocm_of(version) or (0, 0)) >= OVERRIDE_HANGS_SINCE
