"""What lies below torch, in few words: kept with each run, to tell later what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from wizard.host.host import Host
from wizard.machine.access import DRIVER
from wizard.machine.assignments import is_wanted
from wizard.machine.facts import Driver, Fact, Gpu, Machine, System
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
    release = filter(None, (_known(system.distribution), _known(system.release)))
    return StackFacts(
        kernel=_known(system.kernel),
        glibc=_known(system.glibc),
        distribution=" ".join(release) or None,
        driver=_driver(driver),
        firmware=str(firmware) if isinstance(firmware, int) else None,
        settings=tuple(sorted(session)),
    )


def stack_of(machine: Machine) -> StackFacts:
    """The stack of a machine that was looked at as a whole."""
    session = [(s.name, s.value) for s in machine.settings if not s.file and not s.within]
    return stack_facts(machine.gpus, machine.driver, machine.system, session)


def stack_now(host: Host) -> StackFacts:
    """What this machine's stack is now; no part is waited for long."""
    gpus, driver, system = Reading(GPUS, host), Reading(DRIVER, host), Reading(SYSTEM, host)
    return stack_facts(
        gpus.result(PATIENCE_S).value,
        driver.result(PATIENCE_S).value,
        system.result(PATIENCE_S).value,
        [(name, value) for name, value in host.environ.items() if is_wanted(name)],
    )


def stack_form(facts: StackFacts) -> dict[str, Any]:
    """Its JSON form."""
    known = {name: getattr(facts, name) for name in PARTS}
    form = {"schema": SCHEMA, **{name: value for name, value in known.items() if value}}
    return form if facts.settings is None else {**form, "settings": dict(facts.settings)}


def stack_of_form(form: object) -> StackFacts:
    """What was kept; nothing known of what is damaged, missing, or of a later version."""
    if not isinstance(form, Mapping) or form.get("schema") != SCHEMA:
        return StackFacts()
    named: dict[str, Any] = {name: _text(form.get(name)) for name in PARTS}
    return replace(StackFacts(settings=_settings(form.get("settings"))), **named)


def _text(value: object) -> str | None:
    return value[:LONGEST] if isinstance(value, str) and value else None


def _settings(form: object) -> tuple[tuple[str, str], ...] | None:
    if not isinstance(form, Mapping):
        return None
    texts = ((n, v) for n, v in form.items() if isinstance(n, str) and isinstance(v, str))
    return tuple(sorted(texts))


def _driver(driver: Driver) -> str | None:
    origin = _known(driver.origin)
    if not driver.loaded or origin is None:
        return None
    return f"{origin} {driver.version}".strip()


def _known(fact: Fact[str]) -> str | None:
    return fact if isinstance(fact, str) and fact else None
