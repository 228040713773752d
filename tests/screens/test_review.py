"""Review: what can still be changed there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from textual.pilot import Pilot

from screens.app import SetupApp
from screens.review.text import review_text
from screens.services import Services, Unfinished
from screens.session import Session
from screens.start import services_for
from tests.commands.running import MACHINE as RECORDED
from tests.screens import examples
from tests.screens.driving import (
    app_with,
    press,
    reach,
    screen_text,
    settled,
    status,
    until,
    usable_keys,
    walk_to,
)
from tests.screens.fakes import LIVE_SERVICES
from wizard.__main__ import parser
from wizard.machine.facts import Machine
from wizard.plan.choice import Choice
from wizard.plan.identity import with_id
from wizard.plan.root_steps import UNSETTLED, AddToGroups, AptChange, MakeSnapshot
from wizard.plan.snapshot import as_asked
from wizard.plan.steps import Plan
from wizard.preflight.refusal import Refusal, Refused
from wizard.preflight.wheels import WheelsSought
from wizard.run.wheels_size import WheelsSize


def plan_beside_user_torch(machine: Machine, choice: Choice) -> Plan:
    """A plan for an environment that also sees a torch of the user's own packages."""
    seen = "aside" if choice.user_torch_aside else "left"
    return replace(
        examples.make_plan(machine, choice), notes=(f"[torch] is {seen}",), user_torch=seen
    )


async def test_a_torch_of_the_users_own_is_moved_away_by_a_key_and_left_by_it_again() -> None:
    services = replace(LIVE_SERVICES, make_plan=plan_beside_user_torch)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "[torch] is left" in screen_text(pilot.app))
        await press(pilot, "u")
        await until(pilot, lambda: "[torch] is aside" in screen_text(pilot.app))
        assert "u leaves it" in status(pilot.app)
        await press(pilot, "u")
        await until(pilot, lambda: "[torch] is left" in screen_text(pilot.app))


async def test_with_a_stack_too_what_could_not_be_put_back_goes_by_a_key_of_its_own() -> None:
    choices: list[bool] = []

    def make(machine: Machine, choice: Choice) -> Plan:
        step = AptChange("x", "y", install=(("rocm-core", UNSETTLED),))
        return replace(examples.make_plan(machine, choice), steps=(step,))

    def settle(machine: Machine, choice: Choice) -> Plan:
        choices.append(choice.without_rollback)
        if not choice.without_rollback:
            raise Refused(Refusal("No archive has comgr 1.0.", "Lost.", "Mend.", waivable=True))
        return replace(examples.make_plan(machine, choice), id="settled")

    services = replace(LIVE_SERVICES, make_plan=make, settle=settle)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "No archive has comgr 1.0." in screen_text(pilot.app))
        assert "w" in usable_keys(pilot.app)
        assert "a" not in usable_keys(pilot.app)
        await press(pilot, "w")
        await until(pilot, lambda: "a" in usable_keys(pilot.app))
        session = pilot.app.screen.session  # type: ignore[attr-defined]
        assert session.choice.without_rollback
        assert session.plan.id == "settled"
        await press(pilot, "w")
        await until(pilot, lambda: "This plan cannot be applied" in status(pilot.app))
        assert choices == [False, True, False]


async def test_what_is_applied_is_the_plan_that_was_shown_last() -> None:
    services = replace(LIVE_SERVICES, make_plan=plan_beside_user_torch)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await press(pilot, "u")
        await until(pilot, lambda: "a" in usable_keys(pilot.app))
        session = pilot.app.screen.session  # type: ignore[attr-defined]
        assert session.plan.user_torch == "aside"


JOIN = AddToGroups("Gives you permission.", "sam", ("render",), "taken out of it")


def plan_that_joins(machine: Machine, choice: Choice) -> Plan:
    """A plan for a user who may not use the GPU yet."""
    plan = examples.make_plan(machine, choice)
    if choice.without_groups:
        return replace(plan, first="the right to open /dev/kfd")
    return replace(plan, steps=(JOIN, *plan.steps), relogin_needed=True)


async def test_the_group_step_is_declined_by_a_key_and_taken_up_by_it_again() -> None:
    services = replace(LIVE_SERVICES, make_plan=plan_that_joins)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "as root, add sam to render" in screen_text(pilot.app))
        told = " ".join(screen_text(pilot.app).split())
        assert "g leaves your groups as they are." in told
        await press(pilot, "g")
        await until(pilot, lambda: "First   you need the right" in screen_text(pilot.app))
        assert "add sam to render" not in screen_text(pilot.app)
        await until(pilot, lambda: "a" in usable_keys(pilot.app))
        assert pilot.app.screen.session.choice.without_groups  # type: ignore[attr-defined]
        await press(pilot, "g")
        await until(pilot, lambda: "as root, add sam to render" in screen_text(pilot.app))
        assert not pilot.app.screen.session.choice.without_groups  # type: ignore[attr-defined]


async def test_a_plan_without_that_step_has_no_such_key() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await settled(pilot)
        assert "g" not in usable_keys(pilot.app)
        assert "Groups" not in screen_text(pilot.app)


async def test_without_such_a_torch_there_is_no_such_key() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await settled(pilot)
        assert "u" not in usable_keys(pilot.app)


async def test_a_plan_that_was_begun_is_not_said_to_have_changed_nothing() -> None:
    waits = Unfinished("1", examples.PLAN.name, examples.PLAN.stack, examples.PLAN.venv, "venv")
    services = replace(LIVE_SERVICES, unfinished=lambda: waits)
    for given, told in ((services, "goes on with it"), (LIVE_SERVICES, "Nothing has been changed")):
        async with app_with(given, "review").run_test(size=(80, 24)) as pilot:
            await reach(pilot, "review")
            await settled(pilot)
            assert told in status(pilot.app)


async def test_while_it_is_looked_whether_it_can_begin_no_key_is_named_that_is_not_there() -> None:
    go_on = Event()

    def look(plan: Plan) -> None:
        go_on.wait(20)

    def settle(machine: Machine, choice: Choice) -> Plan:
        return replace(examples.make_plan(machine, choice), id="settled")

    def unsettled(machine: Machine, choice: Choice) -> Plan:
        step = AptChange("x", "y", install=(("rocm-core", UNSETTLED),))
        return replace(examples.make_plan(machine, choice), steps=(step,))

    services = replace(LIVE_SERVICES, obstacle=look, settle=settle, make_plan=unsettled)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "Looking whether it can begin" in status(pilot.app))
        assert "a" not in usable_keys(pilot.app)
        go_on.set()
        await until(pilot, lambda: "a applies this plan" in status(pilot.app))
        assert "a" in usable_keys(pilot.app)


def plan_of_root(machine: Machine, choice: Choice) -> Plan:
    """A plan whose versions only the archive knows; it makes a snapshot where that was asked."""
    step = AptChange("x", "y", install=(("rocm-core", UNSETTLED),))
    plan = with_id(replace(examples.make_plan(machine, choice), id="", steps=(step,)))
    return as_asked(machine, plan, choice.snapshot)


def at_review_with_timeshift(services: Services) -> SetupApp:
    """Review, on a machine where Timeshift is set up."""
    seen = examples.MACHINE.surroundings._replace(snapshots=("timeshift",))
    machine = replace(examples.MACHINE, surroundings=seen)
    plan = services.make_plan(machine, examples.CHOICE)
    return SetupApp(services, Session(machine=machine, plan=plan, choice=examples.CHOICE), "review")


async def test_the_late_answer_to_an_older_choice_does_not_take_the_snapshot_away() -> None:
    go_on = Event()
    asked: list[Choice] = []

    def settle(machine: Machine, choice: Choice) -> Plan:
        asked.append(choice)
        go_on.wait(20)
        plan = plan_of_root(machine, choice)
        known = (("rocm-core", "5.7.1"),)
        change = AptChange("x", "y", install=known, expect_install=known)
        steps = tuple(change if isinstance(step, AptChange) else step for step in plan.steps)
        return with_id(replace(plan, id="", steps=steps))

    services = replace(LIVE_SERVICES, make_plan=plan_of_root, settle=settle)
    async with at_review_with_timeshift(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await until(pilot, lambda: len(asked) == 1)
        await press(pilot, "t")
        assert MakeSnapshot in map(type, session_of(pilot).plan.steps)
        go_on.set()
        await until(pilot, lambda: KEY in usable_keys(pilot.app))
        assert list(map(type, session_of(pilot).plan.steps)) == [MakeSnapshot, AptChange]
        assert session_of(pilot).choice.snapshot == "timeshift"


async def test_an_answer_to_an_older_choice_is_dropped_however_late_it_comes() -> None:
    late, ended = Event(), Event()

    def settle(machine: Machine, choice: Choice) -> Plan:
        if not choice.user_torch_aside:
            late.wait(20)
            ended.set()
        known = (("rocm-core", "5.7.1"),)
        change = AptChange("x", "y", install=known, expect_install=known)
        plan = plan_beside_user_torch(machine, choice)
        return with_id(replace(plan, id="", steps=(change,)))

    def make(machine: Machine, choice: Choice) -> Plan:
        return replace(
            plan_beside_user_torch(machine, choice), steps=plan_of_root(machine, choice).steps
        )

    services = replace(LIVE_SERVICES, make_plan=make, settle=settle)
    async with at_review_with_timeshift(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await press(pilot, "u")
        await until(pilot, lambda: KEY in usable_keys(pilot.app))
        late.set()
        await until(pilot, ended.is_set)
        await settled(pilot)
        assert session_of(pilot).plan.user_torch == "aside"
        assert session_of(pilot).choice.user_torch_aside


def session_of(pilot: Pilot[int]) -> Any:
    """What the next step would be given."""
    return pilot.app.screen.session  # type: ignore[attr-defined]


KEY = "a"


def gone_or(found: WheelsSought) -> tuple[Services, list[Plan]]:
    """Services whose index says this, and the plans that it was asked about."""
    asked: list[Plan] = []

    async def seek(plan: Plan, _machine: Machine) -> WheelsSought:
        asked.append(plan)
        return found

    services = replace(LIVE_SERVICES, make_plan=plan_beside_user_torch, seek_wheels=seek)
    return services, asked


async def test_a_plan_whose_wheels_are_gone_cannot_be_applied() -> None:
    services, _ = gone_or(WheelsSought(Refusal("It has no torch.", "Nothing.", "Take another.")))
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "Refused  It has no torch." in screen_text(pilot.app))
        assert "the reason is at the top" in status(pilot.app)
        assert "a" not in usable_keys(pilot.app)


async def test_who_could_not_be_asked_is_named_and_refuses_nothing() -> None:
    services, _ = gone_or(WheelsSought(note="[index] could not be asked."))
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "[index] could not be asked." in screen_text(pilot.app))
        await until(pilot, lambda: "a applies this plan" in status(pilot.app))
        assert "a" in usable_keys(pilot.app)


async def test_what_pip_says_outranks_the_size_that_was_known_and_apply_need_not_wait() -> None:
    answer: asyncio.Future[WheelsSize] = asyncio.get_running_loop().create_future()
    asked: list[str] = []

    async def size(plan: Plan) -> WheelsSize:
        asked.append(plan.id)
        return await answer

    services = replace(LIVE_SERVICES, make_plan=plan_beside_user_torch, wheels_size=size)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "a need not wait for that" in screen_text(pilot.app))
        assert "a" in usable_keys(pilot.app)
        assert "download 1.6 GB" in screen_text(pilot.app)
        answer.set_result(WheelsSize(35, 2_700_000_000))
        await until(pilot, lambda: "35 wheels now: 2.7 GB to fetch" in screen_text(pilot.app))
        assert "download 2.7 GB" in screen_text(pilot.app)
        await press(pilot, "u")
        await until(pilot, lambda: "[torch] is aside" in screen_text(pilot.app))
        await until(pilot, lambda: "a" in usable_keys(pilot.app))
        assert len(asked) == 1


async def test_pip_is_not_asked_for_a_plan_that_is_refused() -> None:
    async def size(_plan: Plan) -> WheelsSize:
        raise AssertionError

    gone = WheelsSought(Refusal("It has no torch.", "Nothing.", "Take another."))
    services = replace(gone_or(gone)[0], wheels_size=size)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "Refused  It has no torch." in screen_text(pilot.app))
        await settled(pilot)
        assert "pip is asked" not in screen_text(pilot.app)


async def test_what_is_still_asked_ends_where_apply_begins() -> None:
    ended: list[bool] = []

    async def size(_plan: Plan) -> WheelsSize:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)
        raise AssertionError

    services = replace(LIVE_SERVICES, wheels_size=size)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "a need not wait for that" in screen_text(pilot.app))
        await press(pilot, "a")
        await until(pilot, lambda: ended == [True])


async def test_the_index_is_asked_once() -> None:
    services, asked = gone_or(WheelsSought())
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "a" in usable_keys(pilot.app))
        await press(pilot, "u")
        await until(pilot, lambda: "[torch] is aside" in screen_text(pilot.app))
        await until(pilot, lambda: "a" in usable_keys(pilot.app))
        assert len(asked) == 1


@pytest.mark.parametrize("options", [("--demo",), ("--dry-run",), ("--machine", RECORDED)])
def test_a_dry_run_a_demo_and_a_recorded_machine_ask_nobody(options: tuple[str, ...]) -> None:
    services = services_for(parser().parse_args(options))
    assert services.seek_wheels is None
    assert services.wheels_size is None


def test_a_removed_driver_makes_the_restart_the_last_word() -> None:
    change = AptChange("x", "y", remove=("amdgpu-dkms",), expect_remove=("amdgpu-dkms",))
    plan = replace(examples.PLAN, steps=(change,))
    lines = review_text(plan, 200).plain.rstrip().splitlines()
    assert lines[1].endswith("; a restart afterwards")
    assert lines[-1].startswith("Last    Restart this machine: until then")
