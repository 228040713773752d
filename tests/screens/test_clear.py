"""The way that only takes away: by keys alone, at 80x24, from Welcome to the end and back."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from screens.app import SetupApp
from screens.clear import ways_of
from screens.dialogs import Notice
from screens.session import Session, following, preceding
from tests.plan.system_machines import amd, with_packages
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import (
    as_agreed,
    press,
    reach,
    resolved,
    screen_text,
    status,
    until,
    usable_keys,
    words_on,
)
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES
from tests.screens.test_goldens import Compare
from wizard.apt.packages import Package
from wizard.core.journal import Kind
from wizard.core.trouble import NoRollback, Trouble
from wizard.machine.facts import Machine
from wizard.operations.packages import KeepDebs
from wizard.plan.amd_packages import AMD, DRIVER, going
from wizard.plan.form import plan_of
from wizard.plan.steps import Plan
from wizard.services import Services
from wizard.services.runs import Unfinished

SMALL = (80, 24)
PLAN = examples.make_clearing(examples.MACHINE, Kind.REMOVE, ("amd",))
PLAN_FOR_GOOD = examples.make_clearing(examples.MACHINE, Kind.REMOVE, ("amd",), True)


@pytest.mark.parametrize("services", [LIVE_SERVICES, DRY_SERVICES], ids=("live", "dry run"))
async def test_keys_alone_lead_from_welcome_over_review_and_apply_to_the_end(
    services: Services, same_as_golden: Compare
) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def make(machine: Machine, kind: Kind, scopes: tuple[str, ...], for_good: bool) -> Plan:
        asked.append((kind, scopes))
        return examples.make_clearing(machine, kind, scopes, for_good)

    async with SetupApp(but(services, make_clearing=make)).run_test(size=SMALL) as pilot:
        await to_clear(pilot)
        if services.mode == LIVE_SERVICES.mode:
            await as_agreed(pilot, same_as_golden, "clear")
        await press(pilot, "end", "enter")
        await reach(pilot, "review")
        key = "enter" if services.rehearses else "y"
        await until(pilot, lambda: key in usable_keys(pilot.app))
        await resolved(pilot)
        assert asked == [(Kind.CLEAN_UP, ())]
        await press(pilot, "space")
        assert "| line 12: export HSA_OVERRIDE_GFX_VERSION=10.3.0" in screen_text(pilot.app)
        assert " into " not in screen_text(pilot.app).splitlines()[2]
        await press(pilot, key)
        await reach(pilot, "apply")
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        await press(pilot, "enter")
        await reach(pilot, "done")
        assert "/bin/python" not in screen_text(pilot.app)


async def to_clear(pilot: Pilot[int]) -> None:
    await reach(pilot, "welcome")
    await press(pilot, "x")
    await reach(pilot, "detect")
    await until(pilot, lambda: "n" in usable_keys(pilot.app))
    await press(pilot, "n")
    await reach(pilot, "choose")
    await resolved(pilot)


async def test_where_nothing_is_to_be_taken_away_why_is_told_and_one_stays() -> None:
    async with SetupApp(LIVE_SERVICES).run_test(size=SMALL) as pilot:
        await to_clear(pilot)
        await press(pilot, "down", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "no ROCm package is installed" in screen_text(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "choose")
        assert "No plan" in status(pilot.app)


@pytest.mark.parametrize(
    ("packages", "rows"),
    [
        (
            (amd("rocm-core"), amd("amdgpu-dkms")),
            {
                "its packages, apt sources and folders": ["rocm-core"],
                "also amdgpu-dkms": ["rocm-core", "amdgpu-dkms"],
            },
        ),
        (
            (amd("rocm-core"), amd("amdgpu-dkms", state="half-configured")),
            {"packages, sources, folders, amdgpu-dkms": ["rocm-core", "amdgpu-dkms"]},
        ),
        ((amd("rocm-core"),), {"its packages, apt sources and folders": ["rocm-core"]}),
    ],
    ids=("driver that works", "driver that is half installed", "no driver"),
)
def test_a_row_names_the_driver_package_where_it_removes_it_and_only_there(
    packages: tuple[Package, ...], rows: dict[str, list[str]]
) -> None:
    machine = with_packages(*packages)
    ways = [way for way in ways_of(machine) if set(way.scopes) <= {AMD, DRIVER} and way.scopes]
    assert {way.what: list(going(machine, way.scopes).names) for way in ways} == rows


async def test_why_a_half_installed_driver_cannot_stay_is_told_before_anything_is_chosen() -> None:
    machine = with_packages(amd("rocm-core"), amd("amdgpu-dkms", state="half-configured"))
    session = Session(machine=machine, clears=True)
    async with SetupApp(LIVE_SERVICES, session, "clear").run_test(size=SMALL) as pilot:
        await resolved(pilot)
        assert "amdgpu-dkms is half installed, and apt will fail until it is gone" in words_on(
            pilot.app
        )
        assert "The kernel's own driver stays installed." in words_on(pilot.app)


def no_way_back(plan: Plan) -> Trouble | None:
    """Refuses a plan that keeps a package file of rocm-core, for nobody has one."""
    kept = [pair for step in plan.steps if isinstance(step, KeepDebs) for pair in step.packages]
    if "rocm-core" not in dict(kept):
        return None
    return NoRollback("No archive has rocm-core 5.7.1.50701-98.", "Lost.", "w on Review.")


async def test_what_could_not_be_put_back_goes_only_by_a_key_of_its_own() -> None:
    asked: list[bool] = []

    def make(machine: Machine, kind: Kind, scopes: tuple[str, ...], for_good: bool) -> Plan:
        asked.append(for_good)
        return examples.make_clearing(machine, kind, scopes, for_good)

    services = but(LIVE_SERVICES, make_clearing=make, obstacle=no_way_back)
    async with SetupApp(services).run_test(size=SMALL) as pilot:
        await to_clear(pilot)
        await press(pilot, "enter")
        await reach(pilot, "review")
        await until(pilot, lambda: "w to permanently remove" in words_on(pilot.app))
        assert "w" in usable_keys(pilot.app)
        text = words_on(pilot.app)
        assert "No archive has rocm-core 5.7.1.50701-98." in text
        assert "w to permanently remove packages" in text
        assert "y" not in usable_keys(pilot.app)
        await press(pilot, "w")
        await until(pilot, lambda: "y" in usable_keys(pilot.app))
        await resolved(pilot)
        text = words_on(pilot.app)
        assert "Some packages will be removed permanently: rollback cannot restore them." in text
        assert "✗" not in text
        session = pilot.app.screen.session  # type: ignore[attr-defined]
        assert session.plan == PLAN_FOR_GOOD
        await press(pilot, "w")
        await until(pilot, lambda: "This plan cannot start" in status(pilot.app))
        assert "y" not in usable_keys(pilot.app)
        assert asked == [False, True, False]


async def test_a_refusal_for_another_reason_is_lifted_by_no_key() -> None:
    def refuse(plan: Plan) -> Trouble:
        return Trouble("dpkg was interrupted.", "Nothing works.", "Fix it.")

    services = but(LIVE_SERVICES, obstacle=refuse)
    async with SetupApp(services).run_test(size=SMALL) as pilot:
        await to_clear(pilot)
        await press(pilot, "enter")
        await reach(pilot, "review")
        await until(pilot, lambda: "This plan cannot start" in status(pilot.app))
        assert "w" not in usable_keys(pilot.app)


async def test_what_cannot_be_made_anew_leaves_the_plan_as_it_is() -> None:
    def make(machine: Machine, kind: Kind, scopes: tuple[str, ...], for_good: bool) -> Plan:
        if for_good:
            raise Trouble("apt-cache is not there.", "Nothing was changed.", "Fix it.")
        return examples.make_clearing(machine, kind, scopes, for_good)

    services = but(LIVE_SERVICES, make_clearing=make, obstacle=no_way_back)
    async with SetupApp(services).run_test(size=SMALL) as pilot:
        await to_clear(pilot)
        await press(pilot, "enter")
        await reach(pilot, "review")
        await until(pilot, lambda: "w" in usable_keys(pilot.app))
        await press(pilot, "w")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "apt-cache is not there." in screen_text(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "review")
        await resolved(pilot)
        assert "y" not in usable_keys(pilot.app)
        assert "w" in usable_keys(pilot.app)


async def test_escape_leads_back_step_by_step() -> None:
    async with SetupApp(LIVE_SERVICES).run_test(size=SMALL) as pilot:
        await to_clear(pilot)
        await press(pilot, "enter")
        await reach(pilot, "review")
        await press(pilot, "escape")
        await reach(pilot, "choose")
        assert "What do you want to remove?" in screen_text(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "detect")
        await press(pilot, "escape")
        await reach(pilot, "welcome")
        await press(pilot, "enter")
        await reach(pilot, "detect")
        await press(pilot, "n")
        await reach(pilot, "ask")
        assert "What do you want to remove?" not in screen_text(pilot.app)


async def test_a_removal_that_stopped_is_gone_on_with_by_its_own_plan() -> None:
    waits = Unfinished("20260101-000000-aaaaaa", "remove", "", "", "system", lambda: PLAN)
    services = but(LIVE_SERVICES, unfinished=lambda: waits)
    async with SetupApp(services).run_test(size=SMALL) as pilot:
        await reach(pilot, "welcome")
        assert "Not finished: remove. Continue" in " ".join(screen_text(pilot.app).split())
        await press(pilot, "o")
        await reach(pilot, "review")
        assert pilot.app.screen.session.plan == PLAN  # type: ignore[attr-defined]
        await press(pilot, "escape")
        await reach(pilot, "welcome")


async def test_a_plan_of_another_version_is_refused_in_words() -> None:
    waits = Unfinished("1", "remove", "", "", "system", lambda: plan_of({"id": "of tomorrow"}))
    services = but(LIVE_SERVICES, unfinished=lambda: waits)
    async with SetupApp(services).run_test(size=SMALL) as pilot:
        await reach(pilot, "welcome")
        await press(pilot, "o")
        await reach(pilot, "welcome")
        assert "Cannot continue: this plan is not from this version" in screen_text(pilot.app)


def test_the_order_of_this_way() -> None:
    session = Session(machine=examples.MACHINE, plan=PLAN, clears=True)
    assert following("detect", session) == "clear"
    assert following("choose", session) == "review"
    assert following("apply", session) == "done"
    assert preceding("review", session) == "clear"
    assert preceding("choose", session) == "detect"
