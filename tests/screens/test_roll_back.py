"""Rolling back: both parts are shown first, then done as one run, and the outcome is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest
from textual.widgets import OptionList

from screens.app import SetupApp
from screens.session import Session
from screens.start import services_for
from tests.run.earlier_runs import OLDER, leave_older_run
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
    words_on,
)
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, WOULD_GO
from tests.screens.test_goldens import SIZES
from wizard.cli.options import parser
from wizard.core.events import (
    CHECKED,
    REMOVED,
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.journal import Kind
from wizard.core.trouble import Trouble
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import AptChange
from wizard.operations.system_files import PutSystemPathBack
from wizard.plan.removal import system_plan
from wizard.plan.steps import Plan
from wizard.services import Services
from wizard.services.runs import Rollback

PROFILE = "/etc/profile.d/rocm-rdna1-57.sh"
CAME = ("hsa-rocr", "rocm-core", "rocminfo")
SYSTEM = system_plan(
    Kind.ROLLBACK,
    (
        AptChange(
            "Removes 3 packages that the plan installed.",
            remove=CAME,
            purge=True,
            expect_remove=CAME,
        ),
        PutSystemPathBack(f"Restores {PROFILE}.", PROFILE),
    ),
    ("This undoes what plan 0123456789ab changed on the system, last step first.",),
    takes_back="0123456789ab",
)


class Back:
    """A way back that waits after its first step until it is told how it goes on."""

    def __init__(self, plan: Plan | None = SYSTEM, *last: Event) -> None:
        self.did: list[str] = []
        self.go_on = asyncio.Event()
        self._plan = plan
        self._last = last

    @property
    def services(self) -> Services:
        return but(LIVE_SERVICES, undoable=lambda: True, find_rollback=self._read)

    def _read(self) -> Rollback:
        self.did.append("read")
        return Rollback(WOULD_GO, self._plan, self._take, lambda: self.did.append("stop"))

    async def _take(self) -> AsyncGenerator[Event, None]:
        self.did.append("take")
        yield StepStarted(
            1, 3, "as root, purge 3 packages", "Removes 3 packages that the plan installed."
        )
        yield Output(("Removing rocm-core (5.2.0) ...",))
        await self.go_on.wait()
        for event in self._last:
            yield event


WELL = (
    StepFinished(1, 1.0, False, "3 packages are gone"),
    StepStarted(2, 3, "as root, move back", "This restores the state from before the run."),
    StepFinished(2, 1.0, False, "it is back in its place"),
    StepStarted(3, 3, "undo run", "The folder."),
    StepFinished(3, 1.0, False, "undone"),
    PlanFinished(True, False, True, False, "", "/log"),
)


async def test_both_parts_are_shown_before_anything_is_done(
    same_as_golden: Callable[[str, str], None],
) -> None:
    back = Back()
    async with app_with(back.services).run_test(size=SIZES[0]) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)
        await press(pilot, "r")
        await reach(pilot, "roll_back")
        await until(pilot, lambda: "y rolls back" in status(pilot.app))
        await as_agreed(pilot, same_as_golden, "roll-back")
        text = screen_text(pilot.app)
        assert "Remove 3 system packages" in text
        assert "keep 2 files (4096 bytes) that are yours" in text
        await press(pilot, "a")
        text = words_on(pilot.app)
        assert "purge" in text
        assert "hsa-rocr" in text
        await press(pilot, "end")
        assert "remove 12 files that rdna1-setup made" in words_on(pilot.app)
        assert back.did == ["read"]
        await press(pilot, "escape")
        await reach(pilot, "welcome")
        assert back.did == ["read"]


async def test_it_is_taken_back_on_y_and_the_outcome_is_told(
    same_as_golden: Callable[[str, str], None],
) -> None:
    back = Back(SYSTEM, *WELL)
    async with app_with(back.services).run_test(size=SIZES[0]) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)
        await press(pilot, "r")
        await until(pilot, lambda: "y" in usable_keys(pilot.app))
        await press(pilot, "y")
        await reach(pilot, "take_back")
        await until(pilot, lambda: "Removing rocm-core" in screen_text(pilot.app))
        assert "enter" not in usable_keys(pilot.app)
        assert "c" in usable_keys(pilot.app)
        await as_agreed(pilot, same_as_golden, "take-back")
        back.go_on.set()
        await resolved(pilot)
        await until(pilot, lambda: "3 of 3 steps done" in screen_text(pilot.app))
        assert "✓ Rolled back. Press Enter to go back to the start." in screen_text(pilot.app)
        assert back.did == ["read", "take"]
        await press(pilot, "enter")
        await reach(pilot, "welcome")
        assert pilot.app.outcome == 0  # type: ignore[attr-defined]


async def test_of_a_run_of_an_older_version_it_is_told_how_to_undo_it_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    leave_older_run(tmp_path, AddToGroups("x", "owner", ("render",)))
    services = but(LIVE_SERVICES, runs=services_for(parser().parse_args([])).runs)
    async with app_with(services).run_test(size=SIZES[0]) as pilot:
        await reach(pilot, "welcome")
        assert not {"o"} & usable_keys(pilot.app)
        await press(pilot, "r")
        await reach(pilot, "roll_back")
        await until(pilot, lambda: "UNDO.sh" in screen_text(pilot.app))
        text = words_on(pilot.app)
        assert f"Run {OLDER} was recorded by an older version of this program." in text
        assert f"/var/lib/rdna1-setup/runs/{OLDER}/UNDO.sh" in text
        assert "y" not in usable_keys(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "welcome")


async def test_a_stop_is_asked_for_once_it_was_affirmed() -> None:
    stopped = PlanFinished(False, True, True, False, "", "/log")
    back = Back(SYSTEM, StepFinished(1, 1.0, False, "gone"), stopped)
    async with app_with(back.services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)
        await press(pilot, "r")
        await until(pilot, lambda: "y" in usable_keys(pilot.app))
        await press(pilot, "y")
        await until(pilot, lambda: "Removing rocm-core" in screen_text(pilot.app))
        await press(pilot, "c")
        await until(pilot, lambda: "The rollback stops after this step" in screen_text(pilot.app))
        await press(pilot, "y")
        assert back.did == ["read", "take", "stop"]
        back.go_on.set()
        await resolved(pilot)
        assert "Stopped as you asked. Press Enter to continue." in screen_text(pilot.app)
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        await press(pilot, "enter")
        await reach(pilot, "roll_back")  # what is left is shown, and asked for with y
        assert back.did == ["read", "take", "stop", "read"]
        assert pilot.app.outcome == 130  # type: ignore[attr-defined]


async def test_the_files_of_a_rollback_are_counted_and_move_the_bar() -> None:
    waits = asyncio.Event()

    async def take() -> AsyncGenerator[Event, None]:
        yield StepStarted(1, 1, "undo run", "The folder.")
        yield Progress(21_000, 21_000, CHECKED, "", None)
        yield Progress(4_200, 21_000, REMOVED, "", None)
        await waits.wait()

    way = Rollback(WOULD_GO, None, take, lambda: None)
    app = SetupApp(LIVE_SERVICES, Session(rollback=way), "take_back")
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "take_back")
        await until(pilot, lambda: "4,200 of 21,000 files removed" in screen_text(pilot.app))
        await until(pilot, lambda: "60%" in screen_text(pilot.app))


async def test_rights_that_are_refused_leave_all_as_it_is_and_are_told() -> None:
    failure = StepFailed(1, "sudo did not give root rights.", "Nothing was changed.", "Again.")
    back = Back(SYSTEM, failure, PlanFinished(False, False, True, False, "", "/log"))
    async with app_with(back.services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)
        await press(pilot, "r")
        await until(pilot, lambda: "y" in usable_keys(pilot.app))
        await press(pilot, "y")
        back.go_on.set()
        await until(pilot, lambda: "sudo did not give root rights." in screen_text(pilot.app))
        await resolved(pilot)
        assert "✗ Step 1 failed" in screen_text(pilot.app)
        assert "d" not in usable_keys(pilot.app)
        await press(pilot, "q")
        await until(pilot, lambda: not pilot.app.is_running)
    assert pilot.app.outcome == 1  # type: ignore[attr-defined]


async def test_a_run_without_a_part_in_the_system_shows_its_folder_alone() -> None:
    back = Back(None)
    async with app_with(back.services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)
        await press(pilot, "r")
        await until(pilot, lambda: "1 step, no root" in screen_text(pilot.app))
        assert "1  Restore the run's folder" in screen_text(pilot.app)
        await press(pilot, "y")
        await until(pilot, lambda: "Removing rocm-core" in screen_text(pilot.app))
        assert "of the system" not in screen_text(pilot.app)


async def test_why_there_is_no_way_back_is_told_and_nothing_is_offered() -> None:
    def refuse() -> Rollback:
        raise Trouble("3 [/letters] changed", "It is not safe.", "Read it again.")

    services = but(LIVE_SERVICES, undoable=lambda: True, find_rollback=refuse)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)
        await press(pilot, "r")
        await until(pilot, lambda: "Read it again." in screen_text(pilot.app))
        assert "3 [/letters] changed" in screen_text(pilot.app)
        assert "y" not in usable_keys(pilot.app)
        assert "Nothing was changed" in status(pilot.app)


async def test_a_way_back_that_was_cut_off_is_the_first_thing_that_is_offered() -> None:
    services = but(Back().services, half_undone=lambda: "20260101-120000-3f9a1c")
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        assert "The rollback of run 20260101-120000-3f9a1c is not finished" in screen_text(
            pilot.app
        )
        menu = pilot.app.screen.query_one(OptionList)
        assert [option.id for option in menu.options].count("roll_back") == 1
        await press(pilot, "enter")
        await reach(pilot, "roll_back")


async def test_a_dry_run_shows_the_way_back_and_takes_nothing() -> None:
    services = but(DRY_SERVICES, undoable=lambda: True)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)
        await press(pilot, "r")
        await until(pilot, lambda: "Restore the run's folder" in screen_text(pilot.app))
        assert "y" not in usable_keys(pilot.app)


async def test_a_y_that_was_typed_ahead_rolls_nothing_back() -> None:
    back = Back()
    async with app_with(but(back.services, pause_s=60)).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await press(pilot, "r", "y", "y")
        await until(pilot, lambda: "Restore the run's folder" in screen_text(pilot.app))
        await press(pilot, "y")
        assert step_name(pilot.app) == "roll_back"
        assert back.did == ["read"]


async def test_why_nothing_can_be_rolled_back_has_the_whole_width() -> None:
    def refuse() -> Rollback:
        raise Trouble("There is no run that could be undone.", "", "")

    services = but(LIVE_SERVICES, find_rollback=refuse)
    async with SetupApp(services, Session(), "roll_back").run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "There is no run" in screen_text(pilot.app))
        assert pilot.app.screen.query_one("#plan").outer_size.width > 110
