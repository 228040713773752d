"""Root's part of an earlier start: named on Welcome, watched to its end, left at any time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

from textual.widgets import OptionList

from screens.widgets.log_pane import RunLog
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    as_agreed,
    press,
    reach,
    resolved,
    screen_text,
    status,
    step_name,
    until,
    usable_keys,
)
from tests.screens.examples import NASTY
from tests.screens.fakes import LIVE_SERVICES
from tests.screens.test_goldens import SIZES
from tests.screens.test_runs import WAITING
from wizard.core.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.run.at_work import AtWork
from wizard.services import Services

SAVED = "/var/lib/rdna1-setup/runs/20260101-120000-3f9a1c/events.jsonl"
ENDED = PlanFinished(True, False, True, False, "20260101-120000-3f9a1c", "")


class Helper:
    """Root at work: it goes on when it is told to."""

    def __init__(self, *last: Event, text: str = "apt is still working, 63 %") -> None:
        self.go_on = asyncio.Event()
        self.watched = 0
        self._last = last
        self._text = text

    @property
    def services(self) -> Services:
        work = AtWork(self._text, SAVED, self._watch)
        return but(LIVE_SERVICES, at_work=lambda: work)

    async def _watch(self) -> AsyncGenerator[Event, None]:
        self.watched += 1
        try:
            yield StepStarted(3, 3, "step 3 of root's part", "step 3 of root's part")
            yield Output(("Get:1 rocm-dev", self._text))
            yield Progress(100, 100, "percent", "Retrieving file 7 of 7", None)
            yield Progress(26, 100, "percent", "Unpacking libssl3 (amd64)", None)
            await self.go_on.wait()
            for event in self._last:
                yield event
        finally:
            self.watched -= 1


async def test_welcome_says_what_is_at_work_and_w_watches_it_to_its_end(
    same_as_golden: Callable[[str, str], None],
) -> None:
    helper = Helper(StepFinished(3, 0.0, False, "3 packages installed"), ENDED)
    async with app_with(helper.services).run_test(size=SIZES[0]) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)
        await as_agreed(pilot, same_as_golden, "state-welcome-at-work")
        await press(pilot, "w")
        await until(pilot, lambda: "Unpacking libssl3" in screen_text(pilot.app))
        await as_agreed(pilot, same_as_golden, "watch")
        helper.go_on.set()
        await resolved(pilot)
        await until(pilot, lambda: "100%" in screen_text(pilot.app))
        assert "✓ The root step has finished." in screen_text(pilot.app)
        assert "Press Enter to go back to the start." in " ".join(screen_text(pilot.app).split())
        await press(pilot, "enter")
        await reach(pilot, "welcome")


async def test_with_all_ways_on_there_the_menu_is_whole_at_the_smallest_size() -> None:
    services = but(Helper().services, unfinished=lambda: WAITING, undoable=lambda: True)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)
        menu = pilot.app.screen.query_one(OptionList)
        assert menu.max_scroll_y == 0
        keys = pilot.app.screen.query("FooterKey")
        assert max(key.region.right for key in keys) <= 80


async def test_watching_can_be_left_at_any_time() -> None:
    for key, left in (("escape", "welcome"), ("q", "")):
        helper = Helper()
        async with app_with(helper.services).run_test(size=(80, 24)) as pilot:
            await reach(pilot, "welcome")
            await press(pilot, "enter")  # the first way on in the menu
            await until(pilot, lambda: "Unpacking libssl3" in screen_text(pilot.app))
            assert not {"c", "o", "d"} & usable_keys(pilot.app)
            assert "The step continues even if you" in status(pilot.app)
            await press(pilot, key)
            if left:
                await reach(pilot, left)
            else:
                await until(pilot, lambda: not pilot.app.is_running)
            await until(pilot, lambda helper=helper: helper.watched == 0)  # type: ignore[misc]


async def test_an_end_that_is_not_well_is_told() -> None:
    failure = StepFailed(3, "dpkg failed.", "It means something.", "Do that.")
    helper = Helper(failure, replace(ENDED, ok=False))
    async with app_with(helper.services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await press(pilot, "w")
        helper.go_on.set()
        await until(pilot, lambda: "dpkg failed." in screen_text(pilot.app))
        await until(pilot, lambda: "✗ Step 3 failed" in screen_text(pilot.app))


async def test_the_log_of_what_is_watched_is_searched_and_copied_too() -> None:
    helper = Helper()
    async with app_with(helper.services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await press(pilot, "w")
        await until(pilot, lambda: SAVED in screen_text(pilot.app))
        await press(pilot, "slash", *"get:1", "enter", "y")
        assert pilot.app.clipboard == "Get:1 rocm-dev"
        assert isinstance(pilot.app.screen.focused, RunLog)


async def test_nasty_words_of_root_are_shown_and_obeyed_by_nobody() -> None:
    helper = Helper(text=NASTY)
    async with app_with(helper.services).run_test(size=(120, 40), notifications=True) as pilot:
        await reach(pilot, "welcome")
        assert "[/opt/rocm] [bold]x [gfx1010]" in screen_text(pilot.app)
        await press(pilot, "w")
        await until(pilot, lambda: "[/opt/rocm] [bold]x [gfx1010]" in screen_text(pilot.app))
        assert "\x1b" not in screen_text(pilot.app)


async def test_without_such_work_welcome_says_nothing_of_it() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        assert "Watch" not in screen_text(pilot.app)
        await press(pilot, "w")
        assert step_name(pilot.app) == "welcome"
