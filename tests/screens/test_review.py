"""Review: what can still be changed there."""

from __future__ import annotations

from dataclasses import replace

from tests.screens import examples
from tests.screens.driving import (
    app_with,
    press,
    screen_text,
    settled,
    status,
    until,
    usable_keys,
    walk_to,
)
from tests.screens.fakes import LIVE_SERVICES
from wizard.machine.facts import Machine
from wizard.plan.choice import Choice
from wizard.plan.steps import Plan


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


async def test_what_is_applied_is_the_plan_that_was_shown_last() -> None:
    services = replace(LIVE_SERVICES, make_plan=plan_beside_user_torch)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await press(pilot, "u")
        await until(pilot, lambda: "a" in usable_keys(pilot.app))
        session = pilot.app.screen.session  # type: ignore[attr-defined]
        assert session.plan.user_torch == "aside"


async def test_without_such_a_torch_there_is_no_such_key() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "review")
        await settled(pilot)
        assert "u" not in usable_keys(pilot.app)
