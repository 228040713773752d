"""The demo as users start it: the recorded machine through the real core."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

from screens.app import SetupApp
from screens.session import Session
from screens.start import services_for
from tests.screens.driving import press, reach, screen_text, settled, until, walk_to
from wizard.__main__ import parser
from wizard.conv2d.asked import Request
from wizard.conv2d.runs.example import example, replayed
from wizard.conv2d.sweep import SweepEvent


async def test_the_demo_walks_every_step_and_changes_nothing() -> None:
    app = SetupApp(services_for(parser().parse_args(["--demo"])))
    async with app.run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "apply")
        await settled(pilot)
        assert "nothing was changed" in screen_text(app)
        await press(pilot, "enter")
        await reach(pilot, "conv2d")
        assert "example" in screen_text(app)
        await press(pilot, "n")
        await reach(pilot, "done")
        assert "This was a demo: nothing was changed" in screen_text(app)


async def test_all_that_is_said_of_a_road_is_on_one_80x24_screen() -> None:
    app = SetupApp(services_for(parser().parse_args(["--demo"])))
    async with app.run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "choose")
        for ticks in (0, 3, 4):
            await settled(pilot)
            await press(pilot, *("space", "right") * ticks, *("up",) * 4)
            for row in range(1, 6):
                await settled(pilot)
                text = screen_text(app)
                assert f"> {row} " in text, text
                labels = ("Verdict", "Marked", "Mind")
                assert all(f"\n {label} " in text for label in labels), text
                aspects = ("Large Conv2d", "Half (fp16)", "Age of torch", "Download", "Undo")
                assert all(f" {aspect} " in text for aspect in aspects), text
                await press(pilot, "down")


async def test_a_recorded_run_is_played_without_a_question_to_the_setting_that_fixes_it() -> None:
    async def played(request: Request) -> AsyncGenerator[SweepEvent, None]:
        async def at_once(seconds: float) -> None:
            pass

        async for event in replayed(request, at_once):
            yield event

    services = replace(
        services_for(parser().parse_args(["--demo"])),
        run_sweep=played,
        replayed=example().told,
    )
    app = SetupApp(services, Session(), "conv2d")
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        assert "Enter plays an example, recorded on" in screen_text(app)
        await press(pilot, "enter")
        hang = "16->32 hangs from 44x44 on; the rest is right."
        await until(pilot, lambda: hang in screen_text(app))
        assert "Example: a recorded run. Nothing runs on this machine." in screen_text(app)
        await press(pilot, "enter")
        fixed = "MIOPEN_DEBUG_CONV_WINOGRAD=0 fixes 16->32 at 44x44, three of three times."
        await until(pilot, lambda: fixed in " ".join(screen_text(app).split()))
