"""What MIOpen would choose from, in the window of a shape: asked when the window opens."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from screens.app import SetupApp
from screens.dialogs import Notice
from screens.session import Session
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import app_with, press, reach, until, words_on
from tests.screens.fakes import LIVE_SERVICES
from wizard.conv2d.candidates import Asked, Candidates, Choice, Library, NotAsked, Solver
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import Sweep

CANDIDATES = Candidates(
    (
        Choice(
            "forward",
            (
                Solver("GemmFwdRest", "gemm", 2_359_296),
                Solver("ConvDirectNaiveConvFwd", "direct", 0),
            ),
            ("ConvBinWinogradRxSf2x3g1",),
            "estimates",
        ),
    ),
    Library(version="3.5.1", device="gfx1010"),
)


class Asker:
    """Answers when it is let, and remembers what it was asked."""

    def __init__(self, answer: Asked) -> None:
        self.answer, self.let = answer, asyncio.Event()
        self.rows: list[tuple[Row, ...]] = []
        self.sweeps: list[Sweep] = []

    async def ask(self, sweep: Sweep, rows: Sequence[Row]) -> tuple[Asked, ...]:
        self.rows.append(tuple(rows))
        self.sweeps.append(sweep)
        await self.let.wait()
        return (self.answer,) * len(rows)


async def test_the_window_opens_at_once_and_gets_the_candidates_when_they_come() -> None:
    asker = Asker(CANDIDATES)
    app = app_with(but(LIVE_SERVICES, ask=asker.ask), "conv2d")
    async with app.run_test(size=(120, 40)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "space")
        await until(pilot, lambda: isinstance(app.screen, Notice))
        await until(pilot, lambda: "MIOpen would choose from: asking MIOpen" in words_on(app))
        asker.let.set()
        await until(
            pilot,
            lambda: (
                (
                    "GemmFwdRest (2.4 MB), ConvDirectNaiveConvFwd, ConvBinWinogradRxSf2x3g1 "
                    "(no estimate)"
                )
                in words_on(app)
            ),
        )
        assert "torch's search picks one of them by timing." in words_on(app)
        assert asker.sweeps[0].python.endswith("/bin/python")


async def test_all_shapes_are_asked_at_once_so_that_the_next_window_knows() -> None:
    asker = Asker(CANDIDATES)
    asker.let.set()
    app = app_with(but(LIVE_SERVICES, ask=asker.ask), "conv2d")
    async with app.run_test(size=(120, 40)) as pilot:
        await reach(pilot, "conv2d")
        for _ in range(2):
            await press(pilot, "space")
            await until(pilot, lambda: "GemmFwdRest" in words_on(app))
            await press(pilot, "escape")
        assert len(asker.rows) == 1
        assert len(set(asker.rows[0])) == len(asker.rows[0]) > 1


async def test_a_window_that_was_closed_meanwhile_does_no_harm() -> None:
    asker = Asker(CANDIDATES)
    app = app_with(but(LIVE_SERVICES, ask=asker.ask), "conv2d")
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "space")
        await until(pilot, lambda: "asking MIOpen" in words_on(app))
        await press(pilot, "escape")
        asker.let.set()
        await until(pilot, lambda: not isinstance(app.screen, Notice))
        await press(pilot, "space")
        await until(pilot, lambda: "GemmFwdRest" in words_on(app))


async def test_where_nobody_can_be_asked_the_window_says_why_and_it_is_tried_again() -> None:
    asker = Asker(NotAsked("This torch (2.9) is built for CUDA and has no MIOpen."))
    asker.let.set()
    app = app_with(but(LIVE_SERVICES, ask=asker.ask), "conv2d")
    async with app.run_test(size=(120, 40)) as pilot:
        await reach(pilot, "conv2d")
        for _ in range(2):
            await press(pilot, "space")
            await until(pilot, lambda: "is built for CUDA and has no MIOpen." in words_on(app))
            await press(pilot, "escape")
        assert len(asker.rows) == 2


async def test_without_a_python_nobody_is_asked() -> None:
    asker = Asker(CANDIDATES)
    session = Session(machine=replace(examples.MACHINE, environments=()))
    app = SetupApp(but(LIVE_SERVICES, ask=asker.ask), session, "conv2d")
    async with app.run_test(size=(120, 40)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "space")
        await until(pilot, lambda: "MIOpen would choose from: not known." in words_on(app))
        assert asker.rows == []
