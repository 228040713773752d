"""The report for others: shown whole first, written where its owner says, never over anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Event

import pytest
from textual.pilot import Pilot

from screens.dialogs import Notice, PathQuestion
from screens.report_preview import LOOKING, ReportPreview
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    as_agreed,
    go,
    press,
    reach,
    resolve,
    screen_text,
    status,
    until,
    usable_keys,
)
from tests.screens.examples import NASTY
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, REPORT
from wizard.core.trouble import Trouble
from wizard.services import Services
from wizard.services.machine import ReportDraft

Compare = Callable[[str, str], None]


def is_there(app: object) -> bool:
    screen = getattr(app, "screen", None)
    return isinstance(screen, ReportPreview) and screen.draft is not None


async def opened(pilot: Pilot[int]) -> None:
    """From Done, by its key."""
    await reach(pilot, "done")
    await press(pilot, "p")
    await until(pilot, lambda: is_there(pilot.app))


async def asked(pilot: Pilot[int]) -> None:
    """Where it is to be written."""
    await opened(pilot)
    await press(pilot, "w")
    await until(pilot, lambda: isinstance(pilot.app.screen, PathQuestion))


@pytest.mark.parametrize(
    ("services", "name"), [(LIVE_SERVICES, "state-report"), (DRY_SERVICES, "report-dry-run")]
)
async def test_it_looks_as_agreed(services: Services, name: str, same_as_golden: Compare) -> None:
    async with app_with(services, "done").run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await as_agreed(pilot, same_as_golden, name)


@pytest.mark.parametrize("step", ["welcome", "done"])
async def test_a_key_leads_to_it_and_escape_back(step: str) -> None:
    async with app_with(LIVE_SERVICES, step).run_test(size=(80, 24)) as pilot:
        await reach(pilot, step)
        await press(pilot, "p")
        await until(pilot, lambda: is_there(pilot.app))
        await press(pilot, "escape")
        await reach(pilot, step)


async def test_the_history_of_conv2d_leads_to_it() -> None:
    async with app_with(LIVE_SERVICES, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "h")
        await reach(pilot, "history")
        await press(pilot, "p")
        await until(pilot, lambda: is_there(pilot.app))
        await press(pilot, "escape")
        await reach(pilot, "history")


async def test_the_menu_of_the_first_step_leads_to_it() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await press(pilot, "down", "down", "down", "down", "enter")
        await until(pilot, lambda: is_there(pilot.app))


async def test_it_is_written_where_its_owner_says_and_only_then() -> None:
    written: list[str] = []

    def write(path: str) -> str:
        written.append(path)
        return path

    services = but(LIVE_SERVICES, draft=lambda: replace(REPORT, write=write))
    async with app_with(services, "done").run_test(size=(80, 24)) as pilot:
        await asked(pilot)
        assert written == []
        await press(pilot, "x", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert written == [f"{REPORT.path}x"]
        await press(pilot, "escape")
        assert f"Written to {REPORT.path}x" in status(pilot.app)


async def test_escape_at_the_question_writes_nothing() -> None:
    def write(path: str) -> str:
        raise AssertionError(path)

    services = but(LIVE_SERVICES, draft=lambda: replace(REPORT, write=write))
    async with app_with(services, "done").run_test(size=(80, 24)) as pilot:
        await asked(pilot)
        await press(pilot, "escape")
        await until(pilot, lambda: is_there(pilot.app))
        assert status(pilot.app) == "Nothing was written."


async def test_what_cannot_be_written_says_why_and_asks_again() -> None:
    def write(path: str) -> str:
        raise Trouble(f"{path} was not written: it is there.", "Nothing was changed.", "Another.")

    services = but(LIVE_SERVICES, draft=lambda: replace(REPORT, write=write))
    async with app_with(services, "done").run_test(size=(80, 24)) as pilot:
        await asked(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "it is there." in screen_text(pilot.app)
        await press(pilot, "escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, PathQuestion))


async def test_a_dry_run_offers_no_key_to_write() -> None:
    async with app_with(DRY_SERVICES, "done").run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        assert "w" not in usable_keys(pilot.app)
        assert REPORT.command in status(pilot.app)


async def test_text_from_outside_is_shown_as_it_is() -> None:
    services = but(LIVE_SERVICES, draft=lambda: replace(REPORT, lines=(NASTY,), about=(NASTY,)))
    async with app_with(services, "done").run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        assert "[/opt/rocm]" in screen_text(pilot.app)
        await press(pilot, "w")
        await until(pilot, lambda: isinstance(pilot.app.screen, PathQuestion))
        assert "[/opt/rocm]" in screen_text(pilot.app)


async def test_it_can_be_left_while_it_still_looks() -> None:
    go_on = Event()

    def slow() -> ReportDraft:
        go_on.wait(20)
        return REPORT

    services = but(LIVE_SERVICES, draft=slow)
    async with app_with(services, "done").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "done")
        await press(pilot, "p")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReportPreview))
        assert status(pilot.app) == LOOKING
        await press(pilot, "escape")
        await reach(pilot, "done")
        go_on.set()
        await resolve(pilot.app)
        await go(pilot, "welcome")
