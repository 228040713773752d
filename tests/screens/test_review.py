"""Review: what can still be changed there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from textual.pilot import Pilot

from screens.app import SetupApp
from screens.review.screen import Review
from screens.session import Session
from screens.start import services_for
from screens.widgets.header import Conclusion
from tests.commands.running import MACHINE as RECORDED
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    press,
    reach,
    resolved,
    screen_text,
    session_at,
    status,
    step_name,
    until,
    usable_keys,
    walk_to,
    words_on,
)
from tests.screens.failing import fails
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES
from wizard.cli.options import parser
from wizard.core.journal import Kind
from wizard.core.trouble import NoRollback, Trouble
from wizard.machine.facts import Machine
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import UNRESOLVED, AptChange, MakeSnapshot
from wizard.operations.write_file import WriteFile
from wizard.plan.choice import Choice
from wizard.plan.form import with_id
from wizard.plan.snapshot import as_asked
from wizard.plan.steps import Plan
from wizard.plan.wheel_index import WheelsSought
from wizard.run.preflight import WheelsSize
from wizard.services import Services
from wizard.services.runs import Unfinished


def plan_beside_user_torch(machine: Machine, choice: Choice) -> Plan:
    """A plan for an environment that also sees a torch of the user's own packages."""
    seen = "aside" if choice.user_torch_aside else "left"
    return replace(
        examples.make_plan(machine, choice), notes=(f"[torch] is {seen}",), user_torch=seen
    )


async def test_a_torch_of_the_users_own_is_moved_away_by_a_key_and_left_by_it_again() -> None:
    services = but(LIVE_SERVICES, make=plan_beside_user_torch)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "[torch] is left" in screen_text(pilot.app))
        await press(pilot, "u")
        await until(pilot, lambda: "[torch] is aside" in screen_text(pilot.app))
        await press(pilot, "u")
        await until(pilot, lambda: "[torch] is left" in screen_text(pilot.app))


async def test_with_a_stack_too_what_could_not_be_put_back_goes_by_a_key_of_its_own() -> None:
    choices: list[bool] = []

    def make(machine: Machine, choice: Choice) -> Plan:
        step = AptChange("x", install=(("rocm-core", UNRESOLVED),))
        return replace(examples.make_plan(machine, choice), steps=(step,))

    def resolve(machine: Machine, choice: Choice) -> Plan:
        choices.append(choice.without_rollback)
        if not choice.without_rollback:
            raise NoRollback("No archive has comgr 1.0.", "Lost.", "Mend.")
        return replace(examples.make_plan(machine, choice), id="settled")

    services = but(LIVE_SERVICES, make=make, resolve=resolve)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "No archive has comgr 1.0." in screen_text(pilot.app))
        assert "w" in usable_keys(pilot.app)
        assert "enter" not in usable_keys(pilot.app)
        await press(pilot, "w")
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        session = pilot.app.screen.session  # type: ignore[attr-defined]
        assert session.choice.without_rollback
        assert session.plan.id == "settled"
        await press(pilot, "w")
        await until(pilot, lambda: "This plan cannot start" in status(pilot.app))
        assert choices == [False, True, False]


async def test_what_is_applied_is_the_plan_that_was_shown_last() -> None:
    services = but(LIVE_SERVICES, make=plan_beside_user_torch)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await press(pilot, "u")
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        session = pilot.app.screen.session  # type: ignore[attr-defined]
        assert session.plan.user_torch == "aside"


JOIN = AddToGroups("this permission.", "sam", ("render",))


def plan_that_joins(machine: Machine, choice: Choice) -> Plan:
    """A plan for a user who may not use the GPU yet."""
    plan = examples.make_plan(machine, choice)
    if choice.without_groups:
        return replace(plan, first="permission to open /dev/kfd")
    return replace(plan, steps=(JOIN, *plan.steps))


async def test_the_group_step_is_declined_by_a_key_and_taken_up_by_it_again() -> None:
    services = but(LIVE_SERVICES, make=plan_that_joins)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "Give you permission" in screen_text(pilot.app))
        told = words_on(pilot.app)
        assert "Press g to keep your groups unchanged." in told
        await press(pilot, "g")
        await until(pilot, lambda: "First: you need permission" in screen_text(pilot.app))
        assert "Give you permission" not in screen_text(pilot.app)
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        assert pilot.app.screen.session.choice.without_groups  # type: ignore[attr-defined]
        await press(pilot, "g")
        await until(pilot, lambda: "Give you permission" in screen_text(pilot.app))
        assert not pilot.app.screen.session.choice.without_groups  # type: ignore[attr-defined]


async def test_a_plan_without_that_step_has_no_such_key() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await resolved(pilot)
        assert "g" not in usable_keys(pilot.app)


async def test_without_such_a_torch_there_is_no_such_key() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await resolved(pilot)
        assert "u" not in usable_keys(pilot.app)


async def test_a_plan_that_was_begun_is_not_said_to_have_changed_nothing() -> None:
    waits = Unfinished("1", examples.PLAN.name, examples.PLAN.stack, examples.PLAN.venv, "venv")
    services = but(LIVE_SERVICES, unfinished=lambda: waits)
    for given, told in ((services, "continues it"), (LIVE_SERVICES, "Nothing has been changed")):
        async with app_with(given, "review").run_test(size=(80, 24)) as pilot:
            await reach(pilot, "review")
            await until(pilot, lambda told=told: told in status(pilot.app))  # type: ignore[misc]


async def test_while_it_is_looked_whether_it_can_begin_no_key_is_named_that_is_not_there() -> None:
    go_on = Event()

    def look(plan: Plan) -> None:
        go_on.wait(20)

    def resolve(machine: Machine, choice: Choice) -> Plan:
        return replace(examples.make_plan(machine, choice), id="settled")

    def unresolved(machine: Machine, choice: Choice) -> Plan:
        step = AptChange("x", install=(("rocm-core", UNRESOLVED),))
        return replace(examples.make_plan(machine, choice), steps=(step,))

    services = but(LIVE_SERVICES, obstacle=look, resolve=resolve, make=unresolved)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "Checking whether the plan can start" in status(pilot.app))
        assert "enter" not in usable_keys(pilot.app)
        go_on.set()
        await until(pilot, lambda: "Enter installs" in status(pilot.app))
        assert "enter" in usable_keys(pilot.app)


def plan_of_root(machine: Machine, choice: Choice) -> Plan:
    """A plan whose versions only the archive knows; it makes a snapshot where that was asked."""
    step = AptChange("x", install=(("rocm-core", UNRESOLVED),))
    plan = with_id(replace(examples.make_plan(machine, choice), id="", steps=(step,)))
    return as_asked(machine, plan, choice.snapshot)


def at_review_with_timeshift(services: Services) -> SetupApp:
    """Review, on a machine where Timeshift is set up."""
    seen = examples.MACHINE.surroundings._replace(snapshots=("timeshift",))
    machine = replace(examples.MACHINE, surroundings=seen)
    plan = services.plans.make(machine, examples.CHOICE)
    return SetupApp(services, Session(machine=machine, plan=plan, choice=examples.CHOICE), "review")


async def test_the_late_answer_to_an_older_choice_does_not_take_the_snapshot_away() -> None:
    go_on = Event()
    asked: list[Choice] = []

    def resolve(machine: Machine, choice: Choice) -> Plan:
        asked.append(choice)
        go_on.wait(20)
        plan = plan_of_root(machine, choice)
        known = (("rocm-core", "5.7.1"),)
        change = AptChange("x", install=known, expect_install=known)
        steps = tuple(change if isinstance(step, AptChange) else step for step in plan.steps)
        return with_id(replace(plan, id="", steps=steps))

    services = but(LIVE_SERVICES, make=plan_of_root, resolve=resolve)
    async with at_review_with_timeshift(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await until(pilot, lambda: len(asked) == 1)
        await press(pilot, "t")
        assert MakeSnapshot in map(type, session_of(pilot).plan.steps)
        go_on.set()
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        assert list(map(type, session_of(pilot).plan.steps)) == [MakeSnapshot, AptChange]
        assert session_of(pilot).choice.snapshot == "timeshift"


async def test_an_answer_to_an_older_choice_is_dropped_however_late_it_comes() -> None:
    late, ended = Event(), Event()

    def resolve(machine: Machine, choice: Choice) -> Plan:
        if not choice.user_torch_aside:
            late.wait(20)
            ended.set()
        known = (("rocm-core", "5.7.1"),)
        change = AptChange("x", install=known, expect_install=known)
        plan = plan_beside_user_torch(machine, choice)
        return with_id(replace(plan, id="", steps=(change,)))

    def make(machine: Machine, choice: Choice) -> Plan:
        return replace(
            plan_beside_user_torch(machine, choice), steps=plan_of_root(machine, choice).steps
        )

    services = but(LIVE_SERVICES, make=make, resolve=resolve)
    async with at_review_with_timeshift(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await press(pilot, "u")
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        late.set()
        await until(pilot, ended.is_set)
        await resolved(pilot)
        assert session_of(pilot).plan.user_torch == "aside"
        assert session_of(pilot).choice.user_torch_aside


def session_of(pilot: Pilot[int]) -> Any:
    """What the next step would be given."""
    return pilot.app.screen.session  # type: ignore[attr-defined]


def gone_or(found: WheelsSought) -> tuple[Services, list[Plan]]:
    """Services whose index says this, and the plans that it was asked about."""
    asked: list[Plan] = []

    async def seek(plan: Plan, _machine: Machine) -> WheelsSought:
        asked.append(plan)
        return found

    services = but(LIVE_SERVICES, make=plan_beside_user_torch, seek_wheels=seek)
    return services, asked


async def test_a_plan_whose_wheels_are_gone_cannot_be_applied() -> None:
    services, _ = gone_or(WheelsSought(Trouble("It has no torch.", "Nothing.", "Use another.")))
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "✗ It has no torch." in screen_text(pilot.app))
        assert "the reason is at the top" in status(pilot.app)
        assert "enter" not in usable_keys(pilot.app)


async def test_who_could_not_be_asked_is_named_and_refuses_nothing() -> None:
    services, _ = gone_or(WheelsSought(note="[index] could not be asked."))
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "[index] could not be asked." in screen_text(pilot.app))
        await until(pilot, lambda: "Enter installs" in status(pilot.app))
        assert "enter" in usable_keys(pilot.app)


async def test_what_pip_says_outranks_the_size_that_was_known_and_apply_need_not_wait() -> None:
    answer: asyncio.Future[WheelsSize] = asyncio.get_running_loop().create_future()
    asked: list[str] = []

    async def size(plan: Plan) -> WheelsSize:
        asked.append(plan.id)
        return await answer

    services = but(LIVE_SERVICES, make=plan_beside_user_torch, wheels_size=size)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "You do not have to wait" in words_on(pilot.app))
        assert "enter" in usable_keys(pilot.app)
        assert "1.6 GB download, up to 7.6 GB of disk, no root" in words_on(pilot.app)
        answer.set_result(WheelsSize(35, 2_700_000_000))
        await until(pilot, lambda: "35 wheels: 2.7 GB to download" in words_on(pilot.app))
        assert "2.7 GB download, up to 8.7 GB of disk, no root" in words_on(pilot.app)
        await press(pilot, "u")
        await until(pilot, lambda: "[torch] is aside" in screen_text(pilot.app))
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        assert len(asked) == 1


async def test_pip_is_not_asked_for_a_plan_that_is_refused() -> None:
    async def size(_plan: Plan) -> WheelsSize:
        raise AssertionError

    gone = WheelsSought(Trouble("It has no torch.", "Nothing.", "Use another."))
    services = but(gone_or(gone)[0], wheels_size=size)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "✗ It has no torch." in screen_text(pilot.app))
        await resolved(pilot)
        assert "pip how much it" not in screen_text(pilot.app)


async def test_what_is_still_asked_has_ended_before_apply_begins() -> None:
    ended: list[bool] = []

    async def size(_plan: Plan) -> WheelsSize:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.1)  # what was made for it is removed
            ended.append(isinstance(app.screen, Review))
        raise AssertionError

    app = app_with(but(LIVE_SERVICES, wheels_size=size))
    async with app.run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "You do not have to wait" in words_on(pilot.app))
        await press(pilot, "enter")
        await until(pilot, lambda: ended == [True])


async def test_the_index_is_asked_once() -> None:
    services, asked = gone_or(WheelsSought())
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        await press(pilot, "u")
        await until(pilot, lambda: "[torch] is aside" in screen_text(pilot.app))
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        assert len(asked) == 1


@pytest.mark.parametrize("options", [("--demo",), ("--dry-run",), ("--machine", RECORDED)])
async def test_a_dry_run_a_demo_and_a_recorded_machine_ask_nobody(options: tuple[str, ...]) -> None:
    ask = fails(AssertionError("somebody was asked"))
    real = services_for(parser().parse_args(options))
    services = but(real, resolve=ask, seek_wheels=ask, wheels_size=ask, obstacle=lambda _: None)
    session = replace(session_at("review"), choice=examples.CHOICE)
    async with SetupApp(services, session, "review").run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "changes nothing" in words_on(pilot.app))


async def test_a_removed_driver_asks_for_a_restart_before_it_begins() -> None:
    change = AptChange("x", remove=("amdgpu-dkms",), expect_remove=("amdgpu-dkms",))
    session = Session(plan=replace(examples.PLAN, steps=(change,)))
    async with SetupApp(LIVE_SERVICES, session, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await until(pilot, lambda: "Restart the machine afterwards." in screen_text(pilot.app))
        assert "Restart this machine, because the kernel" in screen_text(pilot.app)


async def test_a_key_that_was_typed_ahead_installs_nothing() -> None:
    services = but(LIVE_SERVICES, pause_s=60)
    async with app_with(services, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await until(pilot, lambda: pilot.app.screen.allowed is True)  # type: ignore[attr-defined]
        await press(pilot, "enter", "enter")
        assert step_name(pilot.app) == "review"
        assert "Enter installs" not in status(pilot.app)


async def test_enter_installs_once_the_plan_has_been_in_sight_also_right_after_a_window() -> None:
    services = but(LIVE_SERVICES, pause_s=0.05)
    async with app_with(services, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await until(pilot, lambda: "Enter installs" in status(pilot.app))
        await press(pilot, "question_mark", "escape", "enter")
        await reach(pilot, "apply")


async def test_a_dry_run_has_nothing_to_wait_for() -> None:
    services = but(DRY_SERVICES, pause_s=60)
    async with app_with(services, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await press(pilot, "enter")
        await reach(pilot, "apply")


async def test_the_first_sentence_says_what_the_plan_does_and_how_it_is_undone() -> None:
    async with app_with(LIVE_SERVICES, "review").run_test(size=(120, 40)) as pilot:
        await reach(pilot, "review")
        told = pilot.app.screen.query_one(Conclusion).says
        assert told == (
            "Install rocm52 into ~/rdna1/rocm52: 6 steps, 1.6 GB download, up to 7.6 GB of disk, "
            "no root. Undo: rdna1-setup rollback."
        )


async def test_a_stack_that_cannot_run_what_was_ticked_says_so_above_the_steps() -> None:
    ticked, cannot = next((app, bad[0]) for app, bad in examples.WORST.items())
    choice = replace(examples.CHOICE, stack=cannot, applications=(ticked,))
    session = Session(
        machine=examples.MACHINE,
        applications=(ticked,),
        plan=examples.make_plan(examples.MACHINE, choice),
        choice=choice,
    )
    async with SetupApp(LIVE_SERVICES, session, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        told = words_on(pilot.app)
        assert f"! {cannot} cannot run" in told
        assert "needs torch 2.7 or later" in told


async def test_space_unfolds_the_marked_step_and_folds_it_again() -> None:
    async with app_with(LIVE_SERVICES, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        assert ">  1  Install Python 3.10 with uv" in screen_text(pilot.app)
        await press(pilot, "down", "down", "space")
        text = screen_text(pilot.app)
        for told in ("resumable, and checked by hash", "lock.json", "remove the downloads"):
            assert told in text
        await press(pilot, "space")
        assert "resumable" not in screen_text(pilot.app)


async def test_the_whole_content_of_a_file_is_scrolled_through_before_the_mark_goes_on() -> None:
    content = "".join(f"line {number} of it\n" for number in range(1, 101))
    steps = (WriteFile("x", "/tmp", "/tmp/x", content, 0o644), *examples.PLAN.steps)
    session = Session(plan=replace(examples.PLAN, steps=steps))
    async with SetupApp(LIVE_SERVICES, session, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))  # the list's last height
        await press(pilot, "space")
        seen: set[str] = set()
        for _ in range(10):
            seen |= {line for line in content.splitlines() if f"| {line}" in screen_text(pilot.app)}
            await press(pilot, "pagedown")
        assert seen == set(content.splitlines())
        await press(pilot, "down")
        assert ">  1" not in screen_text(pilot.app)


async def test_pages_lead_on_from_a_step_that_is_longer_than_the_window_and_back() -> None:
    steps = (WriteFile("x", "/tmp", "/tmp/x", "a line\n" * 60, 0o644), *examples.PLAN.steps)
    session = Session(plan=replace(examples.PLAN, steps=steps))
    async with SetupApp(LIVE_SERVICES, session, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await press(pilot, "space", *["pagedown"] * 7)
        assert ">  7" in screen_text(pilot.app)
        await press(pilot, *["pageup"] * 4)
        assert ">  1" in screen_text(pilot.app)


async def test_j_and_k_move_the_mark_of_the_list() -> None:
    async with app_with(LIVE_SERVICES, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await press(pilot, "j", "j", "k")
        assert ">  2" in screen_text(pilot.app)


async def test_a_unfolds_every_step_and_folds_all_of_them_again() -> None:
    async with app_with(LIVE_SERVICES, "review").run_test(size=(80, 60)) as pilot:
        await reach(pilot, "review")
        await press(pilot, "a")
        for step in examples.PLAN.steps:
            assert step.reason in words_on(pilot.app)
        await press(pilot, "a")
        assert "Why" not in screen_text(pilot.app)


async def test_a_wide_screen_shows_the_marked_step_beside_the_list() -> None:
    async with app_with(LIVE_SERVICES, "review").run_test(size=(120, 40)) as pilot:
        await reach(pilot, "review")
        await press(pilot, "down", "down")
        text = screen_text(pilot.app)
        assert "─ 3  Download packages ─" in text
        assert "resumable, and checked by hash" in text


async def test_a_removal_takes_y_and_not_enter() -> None:
    clearing = (Kind.REMOVE, ("amd",))
    plan = examples.make_clearing(examples.MACHINE, *clearing)
    session = Session(machine=examples.MACHINE, plan=plan, clearing=clearing, clears=True)
    async with SetupApp(LIVE_SERVICES, session, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await until(pilot, lambda: "y" in usable_keys(pilot.app))
        assert "Remove ROCm from this system: 4 steps, 3 as root." in screen_text(pilot.app)
        await press(pilot, "enter")
        assert step_name(pilot.app) == "review"
        await press(pilot, "y")
        await reach(pilot, "apply")


async def test_a_removal_that_is_only_rehearsed_takes_enter() -> None:
    plan = examples.make_clearing(examples.MACHINE, Kind.REMOVE, ("amd",))
    session = Session(machine=examples.MACHINE, plan=plan, clears=True)
    async with SetupApp(DRY_SERVICES, session, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        assert "y" not in usable_keys(pilot.app)
        await press(pilot, "enter")
        await reach(pilot, "apply")


async def test_a_plan_of_72_steps_is_shown_at_once() -> None:
    steps = tuple(
        WriteFile("x", "/tmp", f"/tmp/{number}", "a line\n" * 20, 0o644) for number in range(72)
    )
    session = Session(plan=replace(examples.PLAN, steps=steps))
    async with SetupApp(LIVE_SERVICES, session, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        assert "72 steps" in screen_text(pilot.app)
        await press(pilot, "end")
        assert "> 72  Write a file" in screen_text(pilot.app)


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ((), "Space Expand a Expand all"),
        (("space",), "Space Collapse a Expand all"),
        (("space", "a"), "Space Collapse a Collapse all"),
        (("space", "a", "a"), "Space Expand a Expand all"),
    ],
)
async def test_the_keys_say_whether_they_expand_or_collapse(
    keys: tuple[str, ...], told: str
) -> None:
    async with app_with(LIVE_SERVICES, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await resolved(pilot)
        await press(pilot, "end", *keys)
        await until(pilot, lambda: told in screen_text(pilot.app).splitlines()[-1])
