"""Measurements made by hand, and the machine that they were made on."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.conv2d.made import CARD, made
from tests.handmade import HOME, clean_jammy, torch
from wizard.conv2d.verdicts import Result, Verdict
from wizard.diagnose.measurements import Measured
from wizard.machine.facts import Environment, Machine, Setting
from wizard.machine.stack_facts import stack_of

VENV = f"{HOME}/ai/rocm57"
FIRST = datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc)
OVERRIDE = ("HSA_OVERRIDE_GFX_VERSION", "10.3.0")
LOADED = replace(CARD, setting=(OVERRIDE,))


def machine(version: str = "2.2.2+rocm5.7", *settings: Setting) -> Machine:
    """A machine with one torch."""
    environment = Environment(VENV, "venv", "3.10", torch(version))
    return replace(clean_jammy(), environments=(environment,), settings=settings)


def with_kernel(kernel: str, glibc: str = "2.35") -> Machine:
    """The same with another kernel."""
    plain = machine()
    return replace(plain, system=replace(plain.system, kernel=kernel, glibc=glibc))


def measured(*results: Result, day: int = 0, **fields: Any) -> Measured:
    """A finished sweep of that day, on that machine as it is."""
    plain = Measured(
        FIRST + timedelta(days=day),
        results or (made(loaded=LOADED),),
        finished=True,
        python=f"{VENV}/bin/python",
        stack=stack_of(machine()),
    )
    return replace(plain, **fields)


def hung(**fields: Any) -> Result:
    """A shape that hung in a kernel on the card."""
    because = "the card was 99 % busy and nothing new came"
    usual = {"hang_class": "spinning kernel", "because": because, "phase": "cold"}
    return made(verdict=Verdict.HUNG, **{"loaded": LOADED, **usual, **fields})
