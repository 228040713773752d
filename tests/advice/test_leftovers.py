"""What lies about on a machine and meets a stack."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import HOME, clean_jammy, torch
from wizard.advice.leftovers import leftovers, torch_here
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.machine.facts import ChangedLibrary, Environment, Setting

VENV = f"{HOME}/venv"


def stack_named(name: str) -> Stack:
    """One of our stacks."""
    return next(stack for stack in load_stacks() if stack.id == name)


def setting(within: str) -> Setting:
    """A setting that only something sees, or everything."""
    return Setting("HSA_XNACK", "1", f"{HOME}/x", 3, "", within)


def test_a_setting_that_everything_sees_reaches_a_new_stack() -> None:
    machine = replace(clean_jammy(), settings=(setting(""),))

    assert "~/x:3" in " ".join(leftovers(machine, stack_named("rocm52")))


@pytest.mark.parametrize("within", [VENV, "ollama.service"])
def test_a_setting_of_another_environment_or_service_does_not(within: str) -> None:
    machine = replace(clean_jammy(), settings=(setting(within),))

    assert leftovers(machine, stack_named("rocm52")) == ()


def test_a_torch_with_an_exchanged_library_is_not_the_torch_of_a_stack() -> None:
    stack = stack_named("rocm62")
    own = torch("2.5.1+rocm6.2")
    changed = replace(own, changed=(ChangedLibrary(f"{VENV}/libMIOpen.so", 9, 8, ""),))
    whole, exchanged = (
        replace(clean_jammy(), environments=(Environment(VENV, "venv", "3.12", one),))
        for one in (own, changed)
    )

    assert torch_here(whole, (), stack, "gfx1010") is not None
    assert torch_here(exchanged, (), stack, "gfx1010") is None
