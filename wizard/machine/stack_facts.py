"""What lies below torch, in few words: kept with each run, to tell later what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wizard.core.fact import known
from wizard.host.host import Host
from wizard.machine.access import DRIVER
from wizard.machine.assignments import is_wanted
from wizard.machine.facts import Driver, Gpu, Machine, System
from wizard.machine.gpus import GPUS
from wizard.machine.part import Reading
from wizard.machine.system import SYSTEM

SCHEMA = 1
PATIENCE_S = 2.0
"""A card that is stuck may answer nobody: what is kept is worth no longer wait."""
LONGEST = 200


@dataclass(frozen=True, slots=True)
class StackFacts:
    """Everything that may change below an environment; None for what was not recorded."""

    kernel: str | None = None
    glibc: str | None = None
    distribution: str | None = None
    driver: str | None = None
    """``in-tree``, or ``dkms`` with its version."""
    firmware: str | None = None
    """The compute firmware (MEC) of the card."""
    settings: tuple[tuple[str, str], ...] | None = None
    """Variables that steer ROCm in the session, sorted."""


PARTS = ("kernel", "glibc", "distribution", "driver", "firmware")
"""Its fields that are plain words, in the order in which they are told."""


def stack_facts(
    gpus: Iterable[Gpu],
    driver: Driver,
    system: System,
    session: Iterable[tuple[str, str]],
) -> StackFacts:
    """What is known of a machine's stack, and what the session sets on top of it."""
    card = next((gpu for gpu in gpus if gpu.rdna1), None)
    firmware = None if card is None else card.mec_firmware
    release = filter(None, (known(system.distribution, ""), known(system.release, "")))
    origin = known(driver.origin, "")
    return StackFacts(
        kernel=known(system.kernel, "") or None,
        glibc=known(system.glibc, "") or None,
        distribution=" ".join(release) or None,
        driver=f"{origin} {driver.version}".strip() if driver.loaded and origin else None,
        firmware=str(firmware) if isinstance(firmware, int) else None,
        settings=tuple(sorted(session)),
    )


def stack_of(machine: Machine) -> StackFacts:
    """The stack of a machine that was looked at as a whole."""
    session = [(s.name, s.value) for s in machine.settings if not s.file and not s.within]
    return stack_facts(machine.gpus, machine.driver, machine.system, session)


def parts_below(host: Host, patience_s: float) -> tuple[tuple[Gpu, ...], Driver, System]:
    """Cards, driver and system, read side by side; each is waited for so long."""
    gpus, driver, system = Reading(GPUS, host), Reading(DRIVER, host), Reading(SYSTEM, host)
    return (
        gpus.result(patience_s).value,
        driver.result(patience_s).value,
        system.result(patience_s).value,
    )


def stack_now(host: Host) -> StackFacts:
    """What this machine's stack is now; no part is waited for long."""
    session = [(name, value) for name, value in host.environ.items() if is_wanted(name)]
    return stack_facts(*parts_below(host, PATIENCE_S), session)


def stack_form(facts: StackFacts) -> dict[str, Any]:
    """Its JSON form."""
    told = {name: getattr(facts, name) for name in PARTS}
    form = {"schema": SCHEMA, **{name: value for name, value in told.items() if value}}
    return form if facts.settings is None else {**form, "settings": dict(facts.settings)}


def stack_of_form(form: object) -> StackFacts:
    """What was kept; nothing known of what is damaged, missing, or of a later version."""
    if not isinstance(form, Mapping) or form.get("schema") != SCHEMA:
        return StackFacts()
    named: dict[str, Any] = {
        name: value[:LONGEST]
        for name in PARTS
        if isinstance(value := form.get(name), str) and value
    }
    settings = form.get("settings")
    if isinstance(settings, Mapping):
        texts = (pair for pair in settings.items() if all(isinstance(one, str) for one in pair))
        named["settings"] = tuple(sorted(texts))
    return StackFacts(**named)
