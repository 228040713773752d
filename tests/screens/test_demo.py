"""The demo as users start it: the recorded machine through the real core."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

from screens.app import SetupApp
from screens.dialogs import Notice
from screens.session import Session
from screens.start import services_for
from tests.screens.collaborators import but
from tests.screens.driving import go, press, reach, resolved, screen_text, until, walk_to
from wizard.cli.options import parser
from wizard.conv2d.requests import Request
from wizard.conv2d.runs.example import replayed
from wizard.conv2d.sweep import SweepEvent
from wizard.knowledge.stacks import load_stacks


async def test_the_demo_walks_every_step_and_changes_nothing() -> None:
    app = SetupApp(services_for(parser().parse_args(["--demo"])))
    async with app.run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "apply")
        await resolved(pilot)
        assert "nothing was changed" in screen_text(app)
        await press(pilot, "enter")
        await reach(pilot, "conv2d")
        assert "example" in screen_text(app)
        await press(pilot, "n")
        await reach(pilot, "done")
        assert "This was a demo, so nothing was changed" in screen_text(app)


async def test_all_that_the_card_says_of_each_stack_is_in_sight_on_80x24() -> None:
    services = services_for(parser().parse_args(["--demo"]))
    async with SetupApp(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "choose")
        found = pilot.app.screen.session  # type: ignore[attr-defined]
        programs = tuple(each.id for each in services.knowledge.applications())
        for ticked in ((), programs[:1], programs[:3], programs[7:10]):
            await go(pilot, "choose", replace(found, applications=ticked))
            for rank, _ in enumerate(load_stacks(), 1):
                await press(pilot, str(rank))
                await resolved(pilot)
                text = screen_text(pilot.app)
                assert all(label in text for label in ("Verdict", "Cost", "Changes")), text
                assert pilot.app.screen.query_one("#card").max_scroll_y == 0, text


async def test_a_recorded_run_is_played_without_a_question_to_the_setting_that_fixes_it() -> None:
    async def played(request: Request) -> AsyncGenerator[SweepEvent, None]:
        async def at_once(seconds: float) -> None:
            pass

        async for event in replayed(request, at_once):
            yield event

    services = but(
        services_for(parser().parse_args(["--demo"])),
        run=played,
    )
    app = SetupApp(services, Session(), "conv2d")
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        assert "Enter plays an example: recorded on" in screen_text(app)
        await press(pilot, "enter")
        hang = "16->32 hangs from 44x44 on; the rest is right."
        await until(pilot, lambda: hang in screen_text(app))
        assert "Example: a recorded run. Nothing is running on this machine." in screen_text(app)
        await press(pilot, "enter")
        fixed = "MIOPEN_DEBUG_CONV_WINOGRAD=0 fixes 16->32 at 44x44, three of three times."
        await until(pilot, lambda: fixed in " ".join(screen_text(app).split()))


async def test_the_demo_says_that_it_has_only_the_first_set_of_shapes_and_how_to_go_back() -> None:
    app = SetupApp(services_for(parser().parse_args(["--demo"])), Session(), "conv2d")
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await resolved(pilot)
        await press(pilot, "o", "down", "right", "escape")
        text = " ".join(screen_text(app).split())
        assert "The demo has only the first set of shapes" in text
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, Notice))
        text = " ".join(screen_text(app).split())
        assert "choose the first set in the row Shapes to go back to it." in text
        assert "stopped" not in text
        assert "✗" not in text
        await press(pilot, "escape", "o", "down", "left", "escape")
        assert "Enter plays an example: recorded on" in screen_text(app)
