"""A setting that was found becomes a plan: reviewed, carried out, taken back, all by keys."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from screens.app import SetupApp
from screens.dialogs import Question
from screens.session import Session
from screens.start import services_for
from tests.commands.running import wizard
from tests.conv2d.planting_runs import plant
from tests.conv2d.test_settings_command import ANSWER, SET
from tests.plan.test_keep_setting import files_of, module_of, venv
from tests.run.places import places_below
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    press,
    reach,
    screen_text,
    session_at,
    step_name,
    until,
    usable_keys,
)
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES
from wizard.cli.options import parser
from wizard.conv2d.measure_options import MeasureOptions
from wizard.conv2d.requests import Request
from wizard.conv2d.runs.events import EventFile
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.limit import Known, Limit
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import SettingAnswer, Sweep, SweepDone, SweepEvent, found_by, setting_text
from wizard.plan.impossible import NothingToDo
from wizard.plan.steps import Plan
from wizard.report.conv2d_conclusion import Measured
from wizard.services import DEMO, Services

__all__ = ["venv"]
SIZE = (80, 24)


def services_that_find(answer: SettingAnswer, of: Services = LIVE_SERVICES) -> Services:
    async def run(request: Request) -> AsyncGenerator[SweepEvent, None]:
        yield SweepDone((), None, 0.5, setting=answer)

    return but(of, run=run)


SEARCH = ("o", *("right",) * 3, *("down",) * 3, "right", "escape", "enter")
"""The keys that have the smallest setting searched for, on the CPU: no question comes before."""


async def find(pilot: Pilot[int]) -> None:
    """Has the smallest setting searched for."""
    await reach(pilot, "conv2d")
    await press(pilot, *SEARCH)
    asked = ("Which Python", "Looking for")
    await until(pilot, lambda: not any(words in screen_text(pilot.app) for words in asked))


async def measure(pilot: Pilot[int]) -> None:
    """Measures the default table on the GPU: something hangs."""
    await reach(pilot, "conv2d")
    await press(pilot, "enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, Question))
    await press(pilot, "y")


async def test_after_a_hang_enter_finds_a_setting_and_then_opens_review_to_keep_it() -> None:
    async def run(request: Request) -> AsyncGenerator[SweepEvent, None]:
        if isinstance(request, SettingRequest):
            answer = replace(ANSWER, shape=request.row.shape)
            yield SweepDone((), None, 0.5, setting=answer)
            return
        async for event in LIVE_SERVICES.experiments.run(request):
            yield event

    app = app_with(but(LIVE_SERVICES, run=run), "conv2d")
    async with app.run_test(size=SIZE) as pilot:
        await measure(pilot)
        hang = "✗ 16->32 and 32->64 hang at 224x224; the rest is right."
        await until(pilot, lambda: hang in screen_text(app))
        assert "Enter looks for a setting that fixes it" in screen_text(app)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, Question))  # it may hang once more
        await press(pilot, "y")
        await until(pilot, lambda: "Enter opens Review to save this setting." in screen_text(app))
        assert hang in screen_text(app)
        told = " ".join(screen_text(app).split())
        fixed = f"{setting_text(SET)} fixes 16->32 at 224x224, three of three times."
        assert f"✓ {fixed}" in told
        await press(pilot, "enter")
        await reach(pilot, "review")


async def test_enter_makes_the_plan_and_goes_to_review_and_esc_comes_back() -> None:
    app = app_with(services_that_find(ANSWER), "conv2d")
    async with app.run_test(size=SIZE) as pilot:
        await find(pilot)
        assert "Enter opens Review to save this setting." in screen_text(app)
        await press(pilot, "enter")
        await reach(pilot, "review")
        await until(pilot, lambda: examples.KEPT.steps[0].title in screen_text(app))
        await press(pilot, "escape")
        await reach(pilot, "conv2d")
        await until(pilot, lambda: "Enter opens Review to save this setting." in screen_text(app))
        await press(pilot, "enter")
        await reach(pilot, "review")
        await until(pilot, lambda: "enter" in usable_keys(app))
        await press(pilot, "enter")
        await reach(pilot, "apply")
        await until(pilot, lambda: "enter" in usable_keys(app))
        await press(pilot, "enter")
        await reach(pilot, "done")
        await until(pilot, lambda: "The whole plan was carried out" in screen_text(app))
        await until(pilot, lambda: "rdna1-setup rollback" in screen_text(app))


@pytest.mark.parametrize("mode", ["dry run", DEMO])
async def test_where_nothing_may_change_the_plan_is_rehearsed_to_the_end(mode: str) -> None:
    services = but(DRY_SERVICES, mode=mode)
    found = found_by(ANSWER, "/home/sam/rdna1/rocm52/bin/python")
    request = SettingRequest(Sweep("/v/bin/python", (Row(ANSWER.shape),)), 3)
    measured = Measured(request, SweepDone((), None, 0.5, setting=ANSWER))
    session = replace(session_at("conv2d"), measured=measured, found=found)
    session = replace(
        session, asking=MeasureOptions(services.experiments.presets(), plan=examples.PLAN.id)
    )
    app = SetupApp(services, session, "conv2d")
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "enter")
        await reach(pilot, "review")
        await until(pilot, lambda: "enter" in usable_keys(app))
        await press(pilot, "enter")
        await reach(pilot, "apply")
        await until(pilot, lambda: "enter" in usable_keys(app))
        await press(pilot, "enter")
        await reach(pilot, "done")
        await until(pilot, lambda: "nothing was changed" in screen_text(app))


@pytest.mark.parametrize("changes", [(), None])
async def test_an_answer_without_variables_has_nothing_to_keep(
    changes: tuple[()] | None,
) -> None:
    app = app_with(services_that_find(replace(ANSWER, changes=changes)), "conv2d")
    async with app.run_test(size=SIZE) as pilot:
        await find(pilot)
        assert "to keep it" not in screen_text(app)
        assert "Enter continues to Done." in screen_text(app)


async def test_what_cannot_be_kept_is_told_with_its_reason_and_enter_promises_nothing() -> None:
    def already(*_: object) -> Plan:
        raise NothingToDo("/v already has this setting.")

    services = but(services_that_find(ANSWER), make_keep=already)
    async with app_with(services, "conv2d").run_test(size=SIZE) as pilot:
        await find(pilot)
        await until(pilot, lambda: "/v already has this setting." in screen_text(pilot.app))
        assert "to keep it" not in screen_text(pilot.app)
        await press(pilot, "enter")
        await reach(pilot, "done")


async def test_k_in_the_history_keeps_what_an_earlier_run_found() -> None:
    async with app_with(DRY_SERVICES, "conv2d").run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "h")
        await until(pilot, lambda: step_name(pilot.app) == "history")
        await until(pilot, lambda: "k" in usable_keys(pilot.app))
        await press(pilot, "k")
        await reach(pilot, "review")
        assert len(pilot.app.screen_stack) == 2, "the panel is left, not covered"
        await press(pilot, "escape")
        await reach(pilot, "conv2d")


async def test_what_is_kept_stands_in_the_venv_and_the_way_back_is_to_the_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, venv: Path
) -> None:
    before = files_of(venv)
    monkeypatch.setenv("HOME", str(tmp_path))
    live = but(services_for(parser().parse_args([])), pause_s=0)
    app = SetupApp(services_that_find(ANSWER, live), Session(), "conv2d")
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "end", "enter", *f"{venv}/bin/python", "enter")
        await find(pilot)
        await press(pilot, "enter")
        await reach(pilot, "review")
        await until(pilot, lambda: "enter" in usable_keys(app))
        assert files_of(venv) == before
        await press(pilot, "enter")
        await reach(pilot, "apply")
        await until(pilot, lambda: "enter" in usable_keys(app))
        for name, value in SET:
            assert f"os.environ[{name!r}] = {value!r}" in module_of(venv).read_text()
    back = wizard(tmp_path, "rollback", "--yes")
    assert back.returncode == 0, back.stderr
    assert files_of(venv) == before


def test_the_setting_of_a_run_is_read_from_its_last_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    row = Row(ANSWER.shape)
    request = SettingRequest(Sweep("/v/bin/python", (row,)), 3)
    run = plant(places_below(tmp_path), 0, request=request, ended=False)
    with EventFile(run) as file:
        file.add(SweepDone((), None, 0.5, setting=ANSWER))
    past = services_for(parser().parse_args(["--dry-run"])).past
    assert past.found(run) == found_by(ANSWER, "/v/bin/python")


async def test_l_finds_the_exact_limit_of_what_hangs_and_the_grid_of_the_sweep_comes_back() -> None:
    asked: list[Request] = []

    async def run(request: Request) -> AsyncGenerator[SweepEvent, None]:
        asked.append(request)
        if isinstance(request, LimitRequest):
            known = Known(request.largest - 2, request.largest - 1, 2)
            yield SweepDone((), None, 0.5, Limit("size", request.largest, known, 3, 3))
            return
        async for event in LIVE_SERVICES.experiments.run(request):
            yield event

    app = app_with(but(LIVE_SERVICES, run=run), "conv2d")
    async with app.run_test(size=SIZE) as pilot:
        await measure(pilot)
        await until(pilot, lambda: "l finds the exact limit" in screen_text(app))
        await press(pilot, "l")
        await until(pilot, lambda: isinstance(app.screen, Question))
        await press(pilot, "y")
        await until(pilot, lambda: "16->32 hangs above 222x222." in screen_text(app))
        assert "l finds the exact limit" not in screen_text(app)
        await until(pilot, lambda: "224x224   ✗ hung" in screen_text(app))
    search = asked[-1]
    assert isinstance(search, LimitRequest)
    assert (search.smallest, search.largest) == (64, 224), "from what is right to what hangs"
