"""On what the Conv2d panel would measure: never on a card that this PyTorch cannot reach."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from screens.app import SetupApp
from screens.conv2d.details import Answer
from screens.session import Session
from tests.conv2d.made import made
from tests.handmade import torch
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import go, press, reach, resolved, screen_text, until
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES
from tests.screens.test_sweep_asking import Runner
from wizard.conv2d.requests import Request, sweep_in
from wizard.conv2d.sweep import ShapeDone, SweepDone, SweepEvent
from wizard.conv2d.verdicts import Loaded
from wizard.machine.facts import Environment, Gpu, Machine
from wizard.machine.part import PartDone
from wizard.services import Services

ROCM = Environment("/home/sam/ai/venv", "venv", "3.12", torch("2.2.2+rocm5.7", rocm="5.7"))
CPU_ONLY = Environment("/home/sam/cpu", "venv", "3.12", torch("2.4.1+cpu", build="cpu"))
CUDA = Environment("/home/sam/nv", "venv", "3.12", torch("2.4.1+cu121", build="cuda"))
SIZE = (80, 24)
ON_CPU = ("o", "down", "down", "down", "right", "escape")
"""The keys that set the device to the CPU."""


async def passing(request: Request) -> AsyncGenerator[SweepEvent, None]:
    """All shapes pass on the processor, with a torch that has no ROCm."""
    loaded = Loaded("2.4.1+cpu", None, "cpu")
    results = tuple(made(row.shape, engine="cpu", loaded=loaded) for row in sweep_in(request).rows)
    for number, result in enumerate(results, 1):
        yield ShapeDone(number, len(results), result)
    yield SweepDone(results, None, 0.1)


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
    await resolved(pilot)


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
        assert "CPU only" in screen_text(pilot.app)
        assert "on the CPU, at most 60 s each" in screen_text(pilot.app)
        await press(pilot, "o", "down", "down", "down", "right")
        assert why[-20:] in screen_text(pilot.app)
        await press(pilot, "escape", "enter")
        await until(pilot, lambda: bool(runner.requests))
        await resolved(pilot)
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
        assert "on the GPU, at most" in screen_text(pilot.app)
        await press(pilot, *ON_CPU)
        assert "on the CPU, at most" in screen_text(pilot.app)


async def test_the_pythons_that_were_found_are_listed_with_what_each_can_reach() -> None:
    async with panel(LIVE_SERVICES, examples.MACHINE, CPU_ONLY, ROCM).run_test(size=SIZE) as pilot:
        await opened(pilot)
        first, second, other = (line for line in screen_text(pilot.app).split("\n")[5:8])
        assert all(word in first for word in ("> ~/ai/venv", "torch 2.2.2+rocm5.7", "GPU"))
        assert all(word in second for word in ("~/cpu", "torch 2.4.1+cpu", "CPU only"))
        assert "Another Python" in other


async def test_where_the_machine_was_not_read_yet_that_is_done_to_list_its_pythons() -> None:
    go_on = threading.Event()

    def detect(on_part: Callable[[PartDone], None]) -> Machine:
        go_on.wait()
        return replace(examples.MACHINE, environments=(ROCM, CPU_ONLY))

    app = SetupApp(but(LIVE_SERVICES, detect=detect), Session(), "conv2d")
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        assert "Looking for a Python that has PyTorch." in screen_text(app)
        go_on.set()
        await until(pilot, lambda: "Which Python do you want to measure with?" in screen_text(app))
        await resolved(pilot)
        assert "> ~/ai/venv" in screen_text(app)
        assert "~/cpu" in screen_text(app)


async def test_the_device_goes_with_the_python_that_is_chosen_or_typed() -> None:
    app = panel(LIVE_SERVICES, examples.MACHINE, ROCM, CPU_ONLY)
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot)
        assert "on the GPU" in screen_text(app)
        await press(pilot, "down")
        assert "on the CPU" in screen_text(app)
        await press(pilot, "up")
        assert "on the GPU" in screen_text(app)
        await press(pilot, "end", "enter", "ctrl+u", *"/home/sam/cpu/bin/python", "enter")
        assert "on the CPU" in screen_text(app)
        await press(pilot, "end", "enter", "ctrl+u", *"/home/sam/ai/venv/bin/python", "enter")
        assert "on the GPU" in screen_text(app)


async def test_a_dry_run_shows_no_command_for_a_card_that_cannot_be_reached() -> None:
    async with panel(DRY_SERVICES, examples.MACHINE, CPU_ONLY).run_test(size=SIZE) as pilot:
        await opened(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: "--device cpu" in screen_text(pilot.app))
        assert "hang" not in screen_text(pilot.app)


async def test_the_python_that_was_chosen_is_still_there_after_another_screen() -> None:
    other = "/home/sam/cpu/bin/python"
    app = panel(LIVE_SERVICES, examples.MACHINE, ROCM, CPU_ONLY)
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot)
        assert "> ~/ai/venv" in screen_text(app)
        await press(pilot, "end", "enter", "ctrl+u", *other, "enter", "escape")
        await reach(pilot, "choose")
        await go(pilot, "conv2d", app.screen.session)  # type: ignore[attr-defined]
        await resolved(pilot)
        assert "> ~/cpu" in screen_text(app)
        assert "on the CPU" in screen_text(app)


@pytest.mark.parametrize(
    ("gpus", "told"),
    [
        ((), "This machine has no graphics card, so there is nothing more to measure."),
        (examples.MACHINE.gpus, "This PyTorch cannot use a GPU"),
    ],
    ids=("no card", "a card"),
)
async def test_an_answer_of_the_processor_advises_a_card_only_where_there_is_one(
    gpus: tuple[Gpu, ...], told: str
) -> None:
    machine = replace(examples.MACHINE, gpus=gpus)
    services = but(LIVE_SERVICES, run=passing)
    async with panel(services, machine, CPU_ONLY).run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: "All 10 shapes are right." in screen_text(pilot.app))
        assert told in screen_text(pilot.app)
        await press(pilot, "a")
        await until(pilot, lambda: isinstance(pilot.app.screen, Answer))
        text = " ".join(screen_text(pilot.app).split())
        assert ("recommends a stack" in text) == bool(gpus)
