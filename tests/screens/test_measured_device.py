"""On what the Conv2d panel would measure: never on a card that this PyTorch cannot reach."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from screens.app import SetupApp
from screens.services import Services
from screens.session import Session
from tests.handmade import torch
from tests.screens import examples
from tests.screens.driving import go, press, reach, screen_text, settled, status, until
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES
from tests.screens.test_sweep_asking import Runner
from wizard.machine.facts import Environment, Machine

ROCM = Environment("/home/sam/ai/venv", "venv", "3.12", torch("2.2.2+rocm5.7", rocm="5.7"))
CPU_ONLY = Environment("/home/sam/cpu", "venv", "3.12", torch("2.4.1+cpu", build="cpu"))
CUDA = Environment("/home/sam/nv", "venv", "3.12", torch("2.4.1+cu121", build="cuda"))
SIZE = (80, 24)


def below_windows(machine: Machine, *, kfd: bool) -> Machine:
    """The same machine as a WSL, with or without AMD's device."""
    around = machine.surroundings._replace(wsl=True)
    access = replace(machine.access, kfd=machine.access.kfd._replace(present=kfd))
    return replace(machine, surroundings=around, access=access)


def panel(services: Services, machine: Machine, *environments: Environment) -> SetupApp:
    """The panel on a machine with these environments and no plan."""
    machine = replace(machine, environments=environments)
    return SetupApp(services, Session(machine=machine, aside=True), "conv2d")


async def opened(pilot: Pilot[int]) -> None:
    """Waits until the panel has looked around."""
    await reach(pilot, "conv2d")
    await settled(pilot)


@pytest.mark.parametrize(
    ("machine", "environment", "why"),
    [
        (examples.MACHINE, CPU_ONLY, "This PyTorch was built for the CPU only."),
        (below_windows(examples.MACHINE, kfd=False), ROCM, "there is no /dev/kfd"),
    ],
    ids=("torch for the CPU", "WSL without kfd"),
)
async def test_where_no_card_can_be_reached_the_processor_is_measured_without_a_warning(
    machine: Machine, environment: Environment, why: str
) -> None:
    runner = Runner()
    async with panel(runner.services(), machine, environment).run_test(size=SIZE) as pilot:
        await opened(pilot)
        assert "g Device CPU" in screen_text(pilot.app)
        assert why in status(pilot.app)
        await press(pilot, "g")
        assert "g Device CPU" in screen_text(pilot.app)
        assert why in status(pilot.app)
        await press(pilot, "o", "end", "up", "right")
        assert why[-20:] in screen_text(pilot.app)
        await press(pilot, "escape", "s")
        await until(pilot, lambda: bool(runner.requests))
        await settled(pilot)
    assert [request.device for request in runner.requests] == ["cpu"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("machine", "environment"),
    [
        (examples.MACHINE, ROCM),
        (below_windows(examples.MACHINE, kfd=True), ROCM),
        (below_windows(examples.MACHINE, kfd=False), CUDA),
    ],
    ids=("Linux", "WSL with kfd", "WSL with torch for another maker's cards"),
)
async def test_a_card_that_may_be_reached_is_measured(
    machine: Machine, environment: Environment
) -> None:
    async with panel(LIVE_SERVICES, machine, environment).run_test(size=SIZE) as pilot:
        await opened(pilot)
        assert "g Device GPU" in screen_text(pilot.app)
        await press(pilot, "g")
        assert "g Device CPU" in screen_text(pilot.app)


async def test_the_device_goes_with_the_python_that_is_typed() -> None:
    app = panel(LIVE_SERVICES, examples.MACHINE, ROCM, CPU_ONLY)
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot)
        assert "g Device GPU" in screen_text(app)
        await press(pilot, "tab", "ctrl+u", *"/home/sam/cpu/bin/python", "enter")
        assert "g Device CPU" in screen_text(app)
        assert "This PyTorch was built for the CPU only." in status(app)
        await press(pilot, "tab", "ctrl+u", *"/home/sam/ai/venv/bin/python", "enter")
        assert "g Device GPU" in screen_text(app)


async def test_a_dry_run_shows_no_command_for_a_card_that_cannot_be_reached() -> None:
    async with panel(DRY_SERVICES, examples.MACHINE, CPU_ONLY).run_test(size=SIZE) as pilot:
        await opened(pilot)
        await press(pilot, "s")
        await until(pilot, lambda: "--device cpu" in screen_text(pilot.app))
        assert "hang" not in screen_text(pilot.app)


async def test_the_python_that_was_chosen_is_still_there_after_another_screen() -> None:
    other = "/home/sam/cpu/bin/python"
    app = panel(LIVE_SERVICES, examples.MACHINE, ROCM, CPU_ONLY)
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot)
        assert app.screen.query_one(Input).value == "/home/sam/ai/venv/bin/python"
        await press(pilot, "tab", "ctrl+u", *other, "enter", "escape")
        await reach(pilot, "choose")
        await go(pilot, "conv2d", app.screen.session)  # type: ignore[attr-defined]
        await settled(pilot)
        assert app.screen.query_one(Input).value == other
        assert "g Device CPU" in screen_text(app)
