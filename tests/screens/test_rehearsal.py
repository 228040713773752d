"""Rehearsing on Review: by a key, watched, then every file that changes, kept with the plan."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from screens.app import SetupApp
from screens.windows.dialogs import Notice
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    as_agreed,
    press,
    reach,
    screen_text,
    session_at,
    settled,
    status,
    until,
    usable_keys,
    walk_to,
    words_on,
)
from tests.screens.examples import NASTY
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES
from wizard.core.events import Event, Output, PlanFinished, StepFailed, StepFinished, StepStarted
from wizard.machine.facts import Machine
from wizard.overlay.changes import Counts
from wizard.overlay.rehearsed import Rehearsed
from wizard.overlay.rehearsing import rehearsable
from wizard.plan.choice import Choice
from wizard.plan.identity import with_id
from wizard.plan.root_steps import AddToGroups
from wizard.plan.steps import Plan
from wizard.services import Services

PATHS = tuple(f"/opt/rocm-5.2.0/lib/library-{number}.so" for number in range(3000))


def plan_with_root(machine: Machine, choice: Choice) -> Plan:
    """The example plan, with something for root to do."""
    plan = examples.make_plan(machine, choice)
    step = AddToGroups("The device files belong to it.", "sam", ("render",))
    return with_id(replace(plan, id="", steps=(step, *plan.steps)))


class FakeRehearsal:
    """A rehearsal whose outcome is known; it goes on when it is told to."""

    def __init__(self, outcome: Rehearsed | None, *more: Event) -> None:
        self.outcome: Rehearsed | None = None
        self.go_on = asyncio.Event()
        self.cancelled = False
        self._outcome = outcome
        self._more = more

    async def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """All steps, and the way back."""
        shown = rehearsable(plan)
        for number, step in enumerate(shown.steps, 1):
            yield StepStarted(number, len(shown.steps), str(step), step.reason)
            yield Output((f"line of {number} {NASTY}",))
            yield StepFinished(number, 1.0, False, "fine")
        await self.go_on.wait()
        for event in self._more:
            yield event
        self.outcome = self._outcome
        yield PlanFinished(self._outcome is not None, self.cancelled, False, False, "", "")

    def cancel(self) -> None:
        """Stops it."""
        self.cancelled = True
        self.go_on.set()


def record(path: str, how: str = "created") -> dict[str, Any]:
    seen = {"kind": "file", "mode": 0o644, "owner": 0, "group": 0, "size": 1_000, "target": ""}
    names = {"created": ("after",), "gone": ("before",), "changed": ("before", "after")}[how]
    return {"path": path, "how": how, **dict.fromkeys(names, seen)}


def outcome_in(folder: Path) -> Rehearsed:
    """What a rehearsal came to that brought 3000 files and left two."""
    there = [record(path) for path in PATHS]
    there += [record(f"/opt/{NASTY}", "gone"), record("/etc/group", "changed")]
    back = [record("/var/log/dpkg.log", "changed"), record("/etc/rocm.conf")]
    files = []
    for name, records in (("there", there), ("back", back)):
        path = folder / f"changes-{name}.jsonl"
        path.write_text("".join(f"{json.dumps(each)}\n" for each in records))
        files.append(str(path))
    counts = (Counts(3000, 1, 1, files[0]), Counts(1, 1, 0, files[1]))
    return Rehearsed("rehearsal-1", *counts, 0, 0, (), 5)


def services_with(rehearsal: FakeRehearsal) -> Services:
    """A live wizard whose plans have something for root to do."""
    return but(
        LIVE_SERVICES,
        make=plan_with_root,
        rehearsal=lambda: rehearsal,
        rehearsed=lambda plan: rehearsal.outcome,
    )


async def test_a_plan_is_rehearsed_by_a_key_and_every_file_is_shown(tmp_path: Path) -> None:
    rehearsal = FakeRehearsal(outcome_in(tmp_path))
    async with app_with(services_with(rehearsal)).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "r" in usable_keys(pilot.app))
        assert "d" not in usable_keys(pilot.app)
        await press(pilot, "r")
        await until(pilot, lambda: "line of 2" in screen_text(pilot.app))
        assert "Trying the plan on a copy of this system" in screen_text(pilot.app)
        assert "enter" not in usable_keys(pilot.app)
        await press(pilot, "escape", "q")
        assert "c to stop" in status(pilot.app)
        rehearsal.go_on.set()
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        await press(pilot, "enter")
        await until(pilot, lambda: "3,002 of 3,002" in status(pilot.app))
        words = "! The rollback restores everything except 1 file. Press t for details."
        await until(pilot, lambda: words in " ".join(screen_text(pilot.app).split()))
        await settled(pilot)
        text = " ".join(screen_text(pilot.app).split())
        assert "The plan would change 3,002 files: 3,000 new, 1 changed, 1 gone." in text
        assert f"+ {PATHS[0]} (file, 1 kB)" in screen_text(pilot.app)
        await press(pilot, "end")
        await until(pilot, lambda: "~ /etc/group" in screen_text(pilot.app))
        await press(pilot, "t")
        await until(pilot, lambda: "/etc/rocm.conf" in screen_text(pilot.app))
        rows = screen_text(pilot.app).splitlines()
        assert any("/etc/rocm.conf" in row and "NOT RESTORED" in row for row in rows)
        assert any("/var/log/dpkg.log" in row and "logs, which" in row for row in rows)
        await press(pilot, "escape")
        await reach(pilot, "review")
        await until(pilot, lambda: "Rehearsed" in screen_text(pilot.app))
        assert "3,000 new, 1 changed, 1 gone" in words_on(pilot.app)
        assert "d" in usable_keys(pilot.app)


async def test_the_list_is_filtered_by_what_is_typed(tmp_path: Path) -> None:
    rehearsal = FakeRehearsal(None)
    rehearsal.outcome = outcome_in(tmp_path)
    async with app_with(services_with(rehearsal)).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "d" in usable_keys(pilot.app))
        await press(pilot, "d")
        await until(pilot, lambda: "3,002 of 3,002" in status(pilot.app))
        await press(pilot, "slash", *"library-299")
        await until(pilot, lambda: "11 of 3,002" in status(pilot.app))
        assert PATHS[2990] in screen_text(pilot.app)
        assert PATHS[0] not in screen_text(pilot.app)
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen.focused, Input)
        await press(pilot, "escape")
        await reach(pilot, "review")


@pytest.mark.parametrize("keys", [("t",), ("slash", "x"), ("slash", "x", "backspace")])
async def test_what_was_not_read_is_not_told_as_nothing(keys: tuple[str, ...]) -> None:
    there, back = Counts(3000, 1, 1, "/not/there"), Counts(1, 1, 0, "/not/there/either")
    session = replace(
        session_at("review"), rehearsed=Rehearsed("rehearsal-1", there, back, 0, 0, (), 5)
    )
    async with SetupApp(LIVE_SERVICES, session, "changes").run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        await press(pilot, "escape", *keys)
        await settled(pilot)
        assert "Nothing" not in screen_text(pilot.app)
        assert "The list of changes cannot be read" in status(pilot.app)


async def test_a_filter_before_the_list_is_read_tells_nothing_and_holds_for_it(
    tmp_path: Path,
) -> None:
    outcome = outcome_in(tmp_path)
    slow = tmp_path / "slow.jsonl"
    os.mkfifo(slow)  # whoever opens it waits for somebody who writes
    there = replace(outcome.there, file=str(slow))
    session = replace(session_at("review"), rehearsed=replace(outcome, there=there))
    async with SetupApp(LIVE_SERVICES, session, "changes").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        try:
            await press(pilot, "slash", *"library-299", "enter", "t", "t")
            text = screen_text(pilot.app)
        finally:
            await asyncio.to_thread(slow.write_bytes, Path(outcome.there.file).read_bytes())
        await until(pilot, lambda: "11 of 3,002" in status(pilot.app))
        assert not [told for told in ("Nothing:", "No line", "0 of 0") if told in text]


async def test_it_is_stopped_by_a_key(tmp_path: Path) -> None:
    rehearsal = FakeRehearsal(None)
    async with app_with(services_with(rehearsal)).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "r" in usable_keys(pilot.app))
        await press(pilot, "r")
        await until(pilot, lambda: "c" in usable_keys(pilot.app))
        await press(pilot, "c")
        await until(pilot, lambda: "Stopped as you asked" in screen_text(pilot.app))
        assert rehearsal.cancelled
        await press(pilot, "escape")
        await reach(pilot, "review")
        await settled(pilot)
        assert "Rehearsed" not in screen_text(pilot.app)


async def test_why_it_cannot_be_done_stands_on_the_screen() -> None:
    failure = StepFailed(
        0, "A trial run needs 9 GB.", "Nothing was started.", "Free up some space."
    )
    rehearsal = FakeRehearsal(None, failure)
    rehearsal.go_on.set()
    async with app_with(services_with(rehearsal)).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "r" in usable_keys(pilot.app))
        await press(pilot, "r")
        await until(pilot, lambda: "A trial run needs 9 GB." in screen_text(pilot.app))
        assert "Free up some space." in screen_text(pilot.app)


@pytest.mark.parametrize("services", [LIVE_SERVICES, but(DRY_SERVICES, make=plan_with_root)])
async def test_without_root_and_in_a_dry_run_there_is_no_such_key(services: Services) -> None:
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await settled(pilot)
        assert not {"r", "d", "t"} & usable_keys(pilot.app)


async def test_a_snapshot_is_an_offer_where_a_tool_is_set_up() -> None:
    around = examples.MACHINE.surroundings._replace(snapshots=("timeshift",))
    machine = replace(examples.MACHINE, surroundings=around)
    services = but(services_with(FakeRehearsal(None)), detect=lambda _: machine)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "t" in usable_keys(pilot.app))
        assert "Make a snapshot with Timeshift" not in screen_text(pilot.app)
        await press(pilot, "t")
        await until(pilot, lambda: "Make a snapshot with Timeshift" in screen_text(pilot.app))
        session = pilot.app.screen.session  # type: ignore[attr-defined]
        assert session.choice.snapshot == "timeshift"
        await press(pilot, "t")
        await until(pilot, lambda: "Make a snapshot with Timeshift" not in screen_text(pilot.app))
        assert pilot.app.screen.session.choice.snapshot == ""  # type: ignore[attr-defined]


async def test_its_end_looks_as_agreed(
    same_as_golden: Callable[[str, str], None], tmp_path: Path
) -> None:
    rehearsal = FakeRehearsal(outcome_in(tmp_path))
    rehearsal.go_on.set()
    plan = plan_with_root(examples.MACHINE, examples.CHOICE)
    app = SetupApp(services_with(rehearsal), replace(session_at("review"), plan=plan), "review")
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await settled(pilot)
        await until(pilot, lambda: "r" in usable_keys(pilot.app))
        await press(pilot, "r")
        await until(pilot, lambda: "tried on a copy" in screen_text(pilot.app))
        await settled(pilot)
        await as_agreed(pilot, same_as_golden, "rehearse")
