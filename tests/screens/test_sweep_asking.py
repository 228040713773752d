"""What the Conv2d panel asks for: its options, the request, the warning, and the answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from textual.app import App
from textual.widgets import Input
from textual.worker import WorkerFailed

from screens.app import SetupApp
from screens.conv2d.details import Answer
from screens.conv2d.options_dialog import WRONG_RANGE, OptionsDialog
from screens.conv2d.pythons import setting_for
from screens.conv2d.screen import CHANGED
from screens.conv2d.sweep_views import SweepViews
from screens.dialogs import Notice
from screens.dialogs import Question as QuestionDialog
from screens.start import services_for
from screens.step import StepScreen
from tests.conv2d.test_request_line import parsed
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    go,
    press,
    reach,
    resolved,
    screen_text,
    session_at,
    status,
    step_name,
    until,
    usable_keys,
)
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, PRESETS, result_of
from wizard.cli.options import parser
from wizard.conv2d.caution import Circumstances
from wizard.conv2d.measure_options import NOT_OF_OPERATIONS, MeasureOptions, Question
from wizard.conv2d.requests import Request, WrongRequest, request_line
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.limit import Known, Limit
from wizard.conv2d.shapes import load_presets, operation_rows
from wizard.conv2d.sweep import ShapeDone, ShapeStarted, Sweep, SweepDone, SweepEvent
from wizard.knowledge.claims import load_purposes
from wizard.report.conv2d_answers import answer_lines
from wizard.services import DRY_RUN, Services
from wizard.services.experiments import SweepUnderWay

PYTHON = "/v/bin/python"
ON_CPU = ("o", "down", "down", "down", "right", "escape")
"""The keys that set the device to the CPU."""
LIMIT_ON_CPU = ("o", "right", "right", *("down",) * 5, "right", "escape")
SIZE = (80, 24)
ROW = PRESETS[0].rows[2]
SWEEP = Sweep(PYTHON, (ROW,), "cpu")
SEARCH = LimitRequest(replace(SWEEP, rows=(ROW,)), "size", 30, 32, 3)
LIMIT = Limit("size", 32, Known(30, 31, 2), 3, 3)


@dataclass
class Runner:
    """Takes down what is asked, and finds a limit in three measurements."""

    requests: list[Request] = field(default_factory=list)

    async def run(self, request: Request) -> AsyncGenerator[SweepEvent, None]:
        self.requests.append(request)
        async for event in self.events():
            yield event

    async def events(self) -> AsyncGenerator[SweepEvent, None]:
        rows = tuple(SEARCH.row_at(size) for size in (30, 31, 32))
        results = tuple(map(result_of, rows))
        yield ShapeDone(1, 1, results[0])  # known from its journal: it is not launched again
        for number in (2, 3):
            yield ShapeStarted(number, number, rows[number - 1], 60.0)
            yield ShapeDone(number, number, results[number - 1])
        yield SweepDone(results, None, 0.1, LIMIT)

    def services(self, **changes: object) -> Services:
        return but(LIVE_SERVICES, run=self.run, **changes)


def panel(services: Services) -> App[int]:
    return app_with(services, "conv2d")


@pytest.mark.parametrize("device_place", [0, 1])
@pytest.mark.parametrize("question", list(Question))
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"works": ("backward",), "repeats": 5, "hangs": 2, "deadline_place": 1},
        {"log": True, "clean": True, "preset_place": 3, "axis": "channels-in", "span": (3, 64)},
    ],
    ids=("usual", "backward", "clean"),
)
def test_what_is_asked_is_what_its_line_asks_for(
    device_place: int, question: Question, changes: dict[str, object]
) -> None:
    setting = MeasureOptions(load_presets(), device_place=device_place, question=question)
    setting = replace(setting, **changes)  # type: ignore[arg-type]
    row = setting.rows[1]
    request = setting.request(PYTHON, row, allowed=None if device_place else 1)
    assert parsed(request_line(request, setting.preset.id)) == request


@pytest.mark.parametrize("engine", ["native", "unfold"])
def test_an_engine_is_asked_for_where_it_can_be(engine: str) -> None:
    setting = MeasureOptions(load_presets(), engine=engine)
    for question in (Question.EVERY, Question.ONE, Question.LIMIT, Question.AROUND):
        request = replace(setting, question=question).request(PYTHON, setting.rows[0], 1)
        assert parsed(request_line(request)) == request
    for question in (Question.SETTING, Question.COMPARE):
        with pytest.raises(WrongRequest, match="The search tries the other engines anyway"):
            replace(setting, question=question).request(PYTHON, setting.rows[0], 1)


def test_operations_are_asked_for_all_together_and_alone_but_not_searched() -> None:
    setting = MeasureOptions(load_presets(), operations=True)
    assert setting.request(PYTHON, None, 1) == Sweep(
        PYTHON, operation_rows(), hangs=1, deadlines=setting.sweep(PYTHON).deadlines
    )
    for row in setting.rows:
        request = replace(setting, question=Question.ONE).request(PYTHON, row, 1)
        assert parsed(request_line(request)) == request
    for question in (Question.LIMIT, Question.SETTING, Question.COMPARE, Question.AROUND):
        with pytest.raises(WrongRequest, match=NOT_OF_OPERATIONS[:20]):
            replace(setting, question=question).request(PYTHON, setting.rows[0], 1)


def test_what_cannot_be_trained_or_begin_there_is_refused_in_words() -> None:
    small = MeasureOptions(PRESETS, preset_place=1)
    tiny = replace(small.rows[0], shape=replace(small.rows[0].shape, h=2, w=2))
    preset = replace(PRESETS[1], rows=(tiny,))
    with pytest.raises(WrongRequest, match="batch norm needs at least 16 numbers"):
        replace(small, presets=(preset,), preset_place=0, works=("train",)).sweep(PYTHON)
    wide = replace(ROW, shape=replace(ROW.shape, kernel=7, padding=0))
    with pytest.raises(WrongRequest, match="cannot begin at 1: a 7x7 kernel does not fit"):
        replace(small, question=Question.LIMIT).request(PYTHON, wide)


async def test_every_option_is_reached_and_set_by_keys_alone() -> None:
    runner = Runner()
    async with panel(runner.services()).run_test(size=(120, 40)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "o")
        await until(pilot, lambda: isinstance(pilot.app.screen, OptionsDialog))
        await press(pilot, "right", "space")  # the question: a limit
        await press(pilot, *("down",) * 3, "left")  # of the batch
        await press(pilot, "down", "enter", *"2-64", "enter")  # what was there is selected
        await press(pilot, "down", "right")  # on the CPU
        await press(pilot, "down", "right", "left")  # the deadline, and back
        await press(pilot, "down", "right", "right")  # two hangs
        await press(pilot, "down", "right")  # gradients
        await press(pilot, *("down",) * 2, "right", "right")  # three launches
        await press(pilot, "down", "right", "escape")  # clean
        await reach(pilot, "conv2d")
        for words in (
            "limit of batch between 2 and 64",
            "backward",
            "3 times each",
            "at most 2 hangs",
        ):
            assert words in screen_text(pilot.app)
        await press(pilot, "tab", "down", "enter")
        await until(pilot, lambda: bool(runner.requests))
        await resolved(pilot)
    (request,) = runner.requests
    assert isinstance(request, LimitRequest)
    assert (request.axis, request.smallest, request.largest) == ("batch", 2, 64)
    assert (request.row.shape, request.row.work) == (PRESETS[0].rows[1].shape, "backward")
    assert (request.row.log, request.sweep.environment.clean) == (False, True)
    assert (request.repeats, request.hangs, request.sweep.device) == (3, 2, "cpu")


async def test_the_users_own_layers_are_read_and_what_is_wrong_with_them_is_told(
    tmp_path: Path,
) -> None:
    path = tmp_path / "layers.txt"
    path.write_text("16 32 3 64x64\nnonsense\n")
    read = services_for(parser().parse_args(["--demo"])).experiments.layers_in
    async with panel(Runner().services(layers_in=read)).run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "o", "down", "down", "enter", *str(path), "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "line 2: give channels in, channels out" in screen_text(pilot.app)
        path.write_text("16 32 3 64x64\n3 64 7 224x224 stride 2\n")
        await press(pilot, "escape", "enter", "escape")
        await reach(pilot, "conv2d")
        assert len(pilot.app.screen.query_one(SweepViews).state.rows) == 2
        await press(pilot, "o")
        assert "3/4 layers.txt" in screen_text(pilot.app)


async def test_a_file_that_is_not_there_and_a_wrong_range_are_told_and_can_be_left() -> None:
    async with panel(Runner().services()).run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "o", "down", "down", "enter", *"/no", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "No such file or directory" in screen_text(pilot.app)
        await press(pilot, "escape", "escape", "up", "up", "right", "right")
        await press(pilot, *("down",) * 4, "enter", *"9-3", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert WRONG_RANGE[:40] in screen_text(pilot.app)
        await press(pilot, "escape")
        assert pilot.app.screen.query_one(Input).has_focus
        await press(pilot, "escape", "escape")
        await reach(pilot, "conv2d")
        assert "Find the limit of size between 1 and 256" in screen_text(pilot.app)


async def test_rows_of_a_search_come_as_it_goes_on_and_its_answer_stands_above_them() -> None:
    runner = Runner()
    async with panel(runner.services()).run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, *LIMIT_ON_CPU, "enter")
        await until(pilot, lambda: "16->32 hangs above 30x30." in screen_text(pilot.app))
        assert len(pilot.app.screen.query_one(SweepViews).state.rows) == 3
        await press(pilot, "a")
        await until(pilot, lambda: isinstance(pilot.app.screen, Answer))
        lines = list(answer_lines(runner.requests[0], SweepDone((), None, 0.0, LIMIT)))
        assert lines[0] == "Limit of size: 30 passes (3 of 3 times), 31 does not."
        shown = screen_text(pilot.app)
        assert [line for line in lines if line not in shown] == []


async def test_a_search_under_way_is_joined_with_its_rows_python_and_device() -> None:
    found = SweepUnderWay("limit of size, since 07:00", SEARCH, Runner().events)
    services = but(LIVE_SERVICES, under_way=lambda: found)
    async with panel(services).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "16->32 hangs above 30x30." in screen_text(pilot.app))
        assert len(pilot.app.screen.query_one(SweepViews).state.rows) == 3
        assert f"{PYTHON}, on the CPU" in screen_text(pilot.app)


async def test_a_seat_in_use_is_refused_unless_its_own_key_says_even_so() -> None:
    runner = Runner()
    desktop = Circumstances(screen=True, in_use=True)
    async with panel(runner.services(circumstances=lambda: desktop)).run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, QuestionDialog))
        assert "Someone is logged in at the screen that this card" in screen_text(pilot.app)
        await press(pilot, "y")
        assert isinstance(pilot.app.screen, QuestionDialog)
        await press(pilot, "escape")
        await reach(pilot, "conv2d")
        assert not runner.requests
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, QuestionDialog))
        await press(pilot, "e")
        await until(pilot, lambda: bool(runner.requests))
        assert runner.requests[0].hangs == 1


async def test_the_warning_names_the_budget_and_comes_again_when_more_may_hang() -> None:
    runner = Runner()
    free = Circumstances(screen=False, in_use=False)
    async with panel(runner.services(circumstances=lambda: free)).run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, QuestionDialog))
        assert "The measurement stops after 3 hangs" in screen_text(pilot.app)
        assert "Each hang lasts until its deadline (60 s), and then" in screen_text(pilot.app)
        await press(pilot, "y")
        await until(pilot, lambda: len(runner.requests) == 1)
        await resolved(pilot)
        assert runner.requests[0].hangs == 3
        await press(pilot, "escape", "enter")
        await until(pilot, lambda: len(runner.requests) == 2)
        await resolved(pilot)
        await press(pilot, "o", *("down",) * 5, *("right",) * 4, "escape", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, QuestionDialog))
        assert "The measurement stops after 4 hangs" in screen_text(pilot.app)


async def test_operations_are_shapes_of_the_options_and_cannot_be_searched() -> None:
    async with panel(LIVE_SERVICES).run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "o", "right", "right", "down", "left")
        assert "3/3 operations" in screen_text(pilot.app)
        assert "measure every shape" in screen_text(pilot.app)
        await press(pilot, "escape")
        await until(pilot, lambda: "Linear 128->64" in screen_text(pilot.app))
        assert "Measure every operation, on the GPU" in screen_text(pilot.app)
        assert len(pilot.app.screen.query_one(SweepViews).state.rows) == len(operation_rows())
        await press(pilot, "o", "down", "right", "escape")
        await until(pilot, lambda: "Measure every shape, on the GPU" in screen_text(pilot.app))
        assert len(pilot.app.screen.query_one(SweepViews).state.rows) == 10


async def test_what_was_set_and_answered_is_still_there_after_another_screen() -> None:
    async with panel(Runner().services()).run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, *LIMIT_ON_CPU, "enter")
        await until(pilot, lambda: "16->32 hangs above 30x30." in screen_text(pilot.app))
        await press(pilot, "enter")
        await reach(pilot, "done")
        await press(pilot, "escape")
        await reach(pilot, "review")
        assert isinstance(pilot.app.screen, StepScreen)
        await go(pilot, "conv2d", pilot.app.screen.session)
        assert "16->32 hangs above 30x30." in screen_text(pilot.app)
        await press(pilot, "escape")
        assert "Find the limit of size between 1 and 256, on the CPU" in screen_text(pilot.app)


async def test_who_wants_to_train_is_offered_gradients_too_and_may_take_them_off() -> None:
    training = replace(session_at("conv2d"), applications=("small-cnn",))
    app = SetupApp(Runner().services(), training, "conv2d")
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        assert "Measure every shape; forward and backward, on the GPU" in screen_text(pilot.app)
        rows = pilot.app.screen.query_one(SweepViews).state.rows
        assert [row.work for row in rows[:2]] == ["forward", "backward"]
        await press(pilot, "o", *("down",) * 6, "left", "left", "left", "escape")
        assert "Measure every shape, on the GPU" in screen_text(pilot.app)
    replaying = but(Runner().services(), replayed="a hang of 16 input channels")
    for session, services in (
        (session_at("conv2d"), Runner().services()),
        (training, replaying),
    ):
        async with SetupApp(services, session, "conv2d").run_test(size=SIZE) as pilot:
            await reach(pilot, "conv2d")
            rows = pilot.app.screen.query_one(SweepViews).state.rows
            assert {row.work for row in rows} == {"forward"}


@pytest.mark.parametrize("services", [LIVE_SERVICES, DRY_SERVICES], ids=("live", "dry run"))
async def test_after_a_dry_run_the_list_says_that_the_stack_is_not_installed(
    services: Services,
) -> None:
    async with SetupApp(services, session_at("conv2d"), "conv2d").run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        first, second = [line for line in screen_text(pilot.app).splitlines() if "  torch " in line]
        assert ("not installed" in first) == services.rehearses
        assert ("GPU" in first) != services.rehearses
        assert "not installed" not in second


async def test_in_a_dry_run_the_line_of_the_search_is_shown() -> None:
    services = but(services_for(parser().parse_args(["--demo"])), mode=DRY_RUN, replayed="")
    async with panel(services).run_test(size=(120, 40)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "o", *("right",) * 5, "escape", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        for words in (
            "Nothing was started",
            "--device cuda --layer '16 32 3 32x32'",
            "--workarounds --hangs 1",
            "The measurement stops after the first hang",
        ):
            assert words in screen_text(pilot.app)


async def test_what_cannot_be_asked_is_said_and_nothing_starts() -> None:
    runner = Runner()
    async with panel(runner.services()).run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "o", "down", "left", "up", "right", "right", "escape", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert NOT_OF_OPERATIONS in screen_text(pilot.app)
        await press(pilot, "escape")
        assert step_name(pilot.app) == "conv2d"
    assert not runner.requests


class Looking:
    """Looks around only when it is let go on."""

    def __init__(self) -> None:
        self.looks = 0
        self.go_on = threading.Event()

    def __call__(self) -> Circumstances:
        self.looks += 1
        self.go_on.wait()
        return Circumstances(screen=True, in_use=False)


async def test_shapes_that_are_changed_while_it_is_looked_around_end_nothing() -> None:
    runner, look = Runner(), Looking()
    async with panel(runner.services(circumstances=look)).run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await resolved(pilot)
        await press(pilot, "o", *("down",) * 7, "right", "right", "escape")
        await until(pilot, lambda: "engine unfold" in screen_text(pilot.app))
        await press(pilot, "enter")
        await until(pilot, lambda: look.looks == 1)
        await press(pilot, "o", "down", "left", "escape")
        look.go_on.set()
        await resolved(pilot)
        assert step_name(pilot.app) == "conv2d"
        assert status(pilot.app) == CHANGED
    assert not runner.requests


async def test_the_row_that_was_marked_when_enter_was_pressed_is_asked_about() -> None:
    runner, look = Runner(), Looking()
    services = runner.services(circumstances=look)
    async with panel(services).run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await resolved(pilot)
        await press(pilot, "o", "right", "escape", "tab", "enter")
        await until(pilot, lambda: look.looks == 1)
        await press(pilot, "down")
        look.go_on.set()
        await until(pilot, lambda: isinstance(pilot.app.screen, QuestionDialog))
        await press(pilot, "y")
        await until(pilot, lambda: bool(runner.requests))
    (request,) = runner.requests
    assert isinstance(request, Sweep)
    assert request.rows[0].shape == PRESETS[0].rows[0].shape


async def test_while_another_request_is_carried_out_no_earlier_answer_is_shown() -> None:
    first, go_on = Runner(), asyncio.Event()

    async def run(request: Request) -> AsyncGenerator[SweepEvent, None]:
        if first.requests:
            yield ShapeStarted(1, 1, SEARCH.row_at(30), 60.0)
            await go_on.wait()
        async for event in first.run(request):
            yield event

    async with panel(but(LIVE_SERVICES, run=run)).run_test(size=SIZE) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, *LIMIT_ON_CPU, "enter")
        await until(pilot, lambda: "16->32 hangs above 30x30." in screen_text(pilot.app))
        await press(pilot, "escape", "enter")
        await until(pilot, lambda: "Now 16->32 at 30x30" in screen_text(pilot.app))
        assert "hangs above" not in screen_text(pilot.app)
        assert "a" not in usable_keys(pilot.app)
        await press(pilot, "a")
        assert not isinstance(pilot.app.screen, Answer)
        go_on.set()
        await until(pilot, lambda: "16->32 hangs above 30x30." in screen_text(pilot.app))
        await press(pilot, "a")
        await until(pilot, lambda: isinstance(pilot.app.screen, Answer))


async def test_a_fault_of_ours_is_not_told_as_one_of_the_run() -> None:
    async def run(request: Request) -> AsyncGenerator[SweepEvent, None]:
        yield ShapeStarted(1, 1, ROW, 60.0)
        raise ValueError("nothing is left to measure")

    async def measured() -> None:
        async with panel(but(LIVE_SERVICES, run=run)).run_test(size=SIZE) as pilot:
            await reach(pilot, "conv2d")
            await press(pilot, *ON_CPU, "enter")
            await until(pilot, lambda: not pilot.app.is_running)

    with pytest.raises(WorkerFailed, match="nothing is left to measure"):
        await measured()


def test_shapes_of_the_chosen_programs_come_after_the_default_and_before_all_others() -> None:
    session = replace(session_at("conv2d"), applications=("comfyui",))
    setting = setting_for(session, load_presets(), (), replayed=False)
    default, first, second, *_ = (preset.id for preset in setting.presets)
    assert (default, first) == ("default", "vae-decoder")
    assert second == "notes000-sizes"
    assert setting.preset.id == "default"


def test_the_purposes_of_sets_of_shapes_are_known() -> None:
    known = {each.id for each in load_purposes()}
    assert {each for preset in load_presets() for each in preset.purposes} <= known
