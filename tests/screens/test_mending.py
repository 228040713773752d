"""A finding becomes a plan: reviewed, carried out, and looked for again, all by keys."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from screens.app import SetupApp
from screens.dialogs import Notice
from screens.session import Session, fix_made_at, following
from screens.start import services_for
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.diagnose_fakes import DIAGNOSING, FINDINGS, FINE, GROUPS, OVERRIDE, fixes
from tests.screens.driving import as_agreed, press, reach, resolved, screen_text, until
from tests.screens.driving import usable_keys as usable
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, fail_at_three
from tests.screens.test_diagnose import KNOWN, app_at, looked, text_of
from wizard.cli.options import parser
from wizard.core.events import Event, PlanFinished
from wizard.diagnose.finding import About, Evidence, Finding
from wizard.diagnose.machine import Diagnosis, Progress
from wizard.diagnose.outcomes import SESSION
from wizard.machine.facts import Machine, Setting
from wizard.plan.impossible import NothingToDo
from wizard.plan.steps import Plan
from wizard.services import DEMO, Services

SMALL = (80, 24)
Compare = Callable[[str, str], None]
NAME, VALUE = "HSA_OVERRIDE_GFX_VERSION", "10.3.0"
HERE = replace(
    OVERRIDE,
    evidence=(Evidence(f"{NAME}={VALUE}", SESSION),),
    about=About(settings=(Setting(NAME, VALUE, file="", line=0, effect=""),)),
)
"""Set in this terminal alone."""


def services_where(*afterwards: Finding, of: Services = LIVE_SERVICES) -> Services:
    """Services that find the usual at first, and these once all is looked at again."""
    looks: list[int] = []

    def look(machine: Machine, on_progress: Callable[[Progress], None]) -> Diagnosis:
        looks.append(1)
        return Diagnosis(True, FINDINGS if len(looks) == 1 else afterwards)

    return but(of, diagnostics=but(DIAGNOSING, look=look))


async def to_review(pilot: Pilot[int], key: str = "enter") -> None:
    await looked(pilot)
    await press(pilot, key)
    await reach(pilot, "review")
    await resolved(pilot)


async def carried_out(pilot: Pilot[int]) -> None:
    await until(pilot, lambda: "enter" in usable(pilot.app))
    await press(pilot, "enter")
    await reach(pilot, "apply")
    await until(pilot, lambda: "enter" in usable(pilot.app))
    await press(pilot, "enter")


async def test_a_finding_leads_to_review_and_escape_comes_back_to_it() -> None:
    async with app_at().run_test(size=SMALL) as pilot:
        await looked(pilot)
        await press(pilot, "down", "down")
        await to_review(pilot)
        assert "Remove leftovers from other scripts" in screen_text(pilot.app)
        await press(pilot, "escape")
        await looked(pilot)
        assert "> ! A variable is set" in text_of(pilot), "the same row"
        await press(pilot, "escape")
        await reach(pilot, "welcome")


@pytest.mark.parametrize(
    ("afterwards", "told"),
    [
        (FINE, "stale-override is fixed. To undo it: rdna1-setup rollback 20260101-120000"),
        (
            (HERE, *FINE),
            "stale-override is fixed in the settings files, but this terminal still has",
        ),
        (FINDINGS, "stale-override is not fixed yet."),
    ],
    ids=("gone", "next terminal", "still there"),
)
async def test_after_the_plan_all_is_looked_at_again_and_what_became_of_it_is_told(
    afterwards: tuple[Finding, ...], told: str
) -> None:
    async with app_at(services_where(*afterwards)).run_test(size=SMALL) as pilot:
        await to_review(pilot)
        await carried_out(pilot)
        await looked(pilot)
        assert f"Checked again: {told}" in text_of(pilot)


async def test_a_group_that_is_joined_waits_for_the_next_login() -> None:
    async def carry_out(plan: Plan) -> AsyncGenerator[Event, None]:
        yield PlanFinished(True, False, True, True, "run", "")

    services = services_where(GROUPS, *FINE)
    approaches = but(services.diagnostics, fixes=fixes(GROUPS.cause))
    services = but(services, diagnostics=approaches, carry_out=carry_out)
    async with app_at(services).run_test(size=SMALL) as pilot:
        await looked(pilot)
        await press(pilot, "down")
        await to_review(pilot)
        await carried_out(pilot)
        await looked(pilot)
        assert "kfd-permission will be fixed at your next login" in text_of(pilot)


async def test_the_machine_is_read_afresh_after_a_fix() -> None:
    reads: list[int] = []

    def detect(on_part: object) -> Machine:
        reads.append(1)
        return replace(examples.MACHINE, settings=())

    async with app_at(but(services_where(*FINE), detect=detect)).run_test(size=SMALL) as pilot:
        await to_review(pilot)
        assert not reads
        await carried_out(pilot)
        await looked(pilot)
        assert len(reads) == 1


@pytest.mark.parametrize("mode", ["dry run", DEMO])
async def test_where_nothing_may_change_the_plan_is_rehearsed_and_that_is_said(mode: str) -> None:
    services = services_where(*FINDINGS, of=but(DRY_SERVICES, mode=mode))
    async with app_at(services).run_test(size=SMALL) as pilot:
        await to_review(pilot)
        assert "Rehearse" in screen_text(pilot.app)
        await carried_out(pilot)
        await looked(pilot)
        assert f"This was a {mode}, so nothing was changed: {OVERRIDE.title}" in text_of(pilot)


async def test_a_fix_that_fails_is_told_at_the_end_from_where_a_key_leads_to_diagnose() -> None:
    services = but(services_where(*FINDINGS), carry_out=fail_at_three)
    async with app_at(services).run_test(size=SMALL) as pilot:
        await to_review(pilot)
        await until(pilot, lambda: "enter" in usable(pilot.app))
        await press(pilot, "enter")
        await reach(pilot, "apply")
        await until(pilot, lambda: "d" in usable(pilot.app))
        assert "✗ Step 3 failed" in screen_text(pilot.app)
        await press(pilot, "d")
        await looked(pilot)
        assert "Checked again" not in text_of(pilot)
        await press(pilot, "escape")
        await reach(pilot, "review")
    assert pilot.app.return_code in (0, None)


async def test_what_cannot_be_planned_is_told_with_its_reason() -> None:
    def nothing(machine: Machine, finding: Finding) -> Plan:
        raise NothingToDo("No file of yours sets [bold]it.")

    approaches = but(DIAGNOSING, make_fix=nothing)
    async with app_at(but(LIVE_SERVICES, diagnostics=approaches)).run_test(size=SMALL) as pilot:
        await looked(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "No file of yours sets [bold]it." in text_of(pilot)
        await press(pilot, "escape")
        await reach(pilot, "diagnose")


async def test_what_became_of_it_looks_as_agreed(same_as_golden: Compare) -> None:
    async with app_at(services_where(*FINE)).run_test(size=SMALL) as pilot:
        await to_review(pilot)
        await carried_out(pilot)
        await looked(pilot)
        await resolved(pilot)
        await as_agreed(pilot, same_as_golden, "diagnose-mended")


def test_the_order_of_this_way() -> None:
    fix = replace(KNOWN, plan=examples.PLAN, fix=OVERRIDE, before=KNOWN)
    assert fix_made_at(fix) == "diagnose"
    assert fix_made_at(replace(fix, fix=None)) == "conv2d"
    assert following("apply", fix) == "diagnose"
    assert following("apply", replace(fix, fix=None)) == "done"
    stopped = PlanFinished(False, True, True, False, "run", "")
    assert following("apply", replace(fix, finished=stopped)) == "done"


async def test_a_fix_leaves_the_way_on_from_welcome_as_it_was() -> None:
    async with SetupApp(services_where(*FINE), Session()).run_test(size=SMALL) as pilot:
        await reach(pilot, "welcome")
        await press(pilot, "d")
        await to_review(pilot)
        await carried_out(pilot)
        await looked(pilot)
        await press(pilot, "escape")
        await reach(pilot, "welcome")
        await press(pilot, "enter")
        await reach(pilot, "detect")
        await until(pilot, lambda: "enter" in usable(pilot.app))
        await press(pilot, "enter")
        await reach(pilot, "ask")


async def test_the_demo_leads_from_a_finding_over_its_plan_and_back_and_changes_nothing() -> None:
    app = SetupApp(services_for(parser().parse_args(["--demo"])))
    async with app.run_test(size=SMALL) as pilot:
        await reach(pilot, "welcome")
        await press(pilot, "d")
        await looked(pilot)
        await press(pilot, "down", "down")
        await until(pilot, lambda: "> ! A variable is set" in text_of(pilot))
        await to_review(pilot)
        await carried_out(pilot)
        await looked(pilot)
        assert "This was a demo, so nothing was changed" in text_of(pilot)
        assert "> ! A variable is set" in text_of(pilot), "the same row"


async def test_the_details_name_the_very_plan_that_enter_opens() -> None:
    app = SetupApp(services_for(parser().parse_args(["--demo"])), Session(), "diagnose")
    async with app.run_test(size=(200, 50)) as pilot:
        await looked(pilot)
        told = text_of(pilot)
        assert "Opens a plan: remove 1 line from rocm-rdna1-57.sh, then remove 2 lines" in told
        assert "(2 steps, 1 as root)." in told
        await to_review(pilot)
        text = screen_text(app)
        assert "1  Remove 1 line from rocm-rdna1-57.sh" in text
        assert "2  Remove 2 lines from /home/owner/.bashrc" in text
        assert "| line 5:     export HSA_OVERRIDE_GFX_VERSION=10.3.0" in text
        assert "umask" not in text, "the rest of the file stays"
