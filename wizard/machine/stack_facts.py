"""What lies below torch, in few words: kept with each run, to tell later what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from wizard.machine.driver import DRIVER
from wizard.machine.facts import Driver, Fact, Gpu, System
from wizard.machine.gpus import GPUS
from wizard.machine.host import Host
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


def stack_facts(gpus: Iterable[Gpu], driver: Driver, system: System) -> StackFacts:
    """What is known of a machine's stack."""
    card = next((gpu for gpu in gpus if gpu.rdna1), None)
    firmware = None if card is None else card.mec_firmware
    release = filter(None, (_known(system.distribution), _known(system.release)))
    return StackFacts(
        kernel=_known(system.kernel),
        glibc=_known(system.glibc),
        distribution=" ".join(release) or None,
        driver=_driver(driver),
        firmware=str(firmware) if isinstance(firmware, int) else None,
    )


def stack_now(host: Host) -> StackFacts:
    """What this machine's stack is now; no part is waited for long."""
    gpus, driver, system = Reading(GPUS, host), Reading(DRIVER, host), Reading(SYSTEM, host)
    return stack_facts(
        gpus.result(PATIENCE_S).value,
        driver.result(PATIENCE_S).value,
        system.result(PATIENCE_S).value,
    )


def stack_form(facts: StackFacts) -> dict[str, Any]:
    """Its JSON form."""
    known = {each.name: getattr(facts, each.name) for each in fields(facts)}
    return {"schema": SCHEMA, **{name: value for name, value in known.items() if value}}


def stack_of_form(form: object) -> StackFacts:
    """What was kept; nothing known of what is damaged, missing, or of a later version."""
    if not isinstance(form, Mapping) or form.get("schema") != SCHEMA:
        return StackFacts()
    named = {each.name: form.get(each.name) for each in fields(StackFacts)}
    texts = {n: v[:LONGEST] for n, v in named.items() if isinstance(v, str) and v}
    return StackFacts(**texts)


def _driver(driver: Driver) -> str | None:
    origin = _known(driver.origin)
    if not driver.loaded or origin is None:
        return None
    return f"{origin} {driver.version}".strip()


def _known(fact: Fact[str]) -> str | None:
    return fact if isinstance(fact, str) and fact else None
