"""The Conv2d panel: what it shows is what its command does."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from textual.widgets import Input

from screens.app import SetupApp
from screens.dialogs import Notice
from screens.session import Session
from tests.screens import examples
from tests.screens.driving import app_with, press, reach, resolved, screen_text, until, words_on
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, PRESETS
from wizard.cli.conv2d_request import sweep_of
from wizard.cli.options import parser
from wizard.conv2d.measure_options import DEADLINES_S, MeasureOptions
from wizard.conv2d.requests import request_line


def test_the_deadline_on_the_screen_is_the_one_of_the_command_for_every_shape() -> None:
    for place, seconds in enumerate(DEADLINES_S):
        setting = MeasureOptions(PRESETS, deadline_place=place)
        sweep = setting.sweep("/v/bin/python")
        assert f"at most {seconds:g} s each" in str(setting)
        words = shlex.split(request_line(sweep, "default"))
        asked, _ = sweep_of(parser().parse_args(words[1:]))
        assert asked.deadlines == sweep.deadlines


async def test_without_a_python_the_first_line_says_so_and_enter_lets_one_type_a_path() -> None:
    session = Session(machine=replace(examples.MACHINE, environments=()))
    app = SetupApp(LIVE_SERVICES, session, "conv2d")
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        assert "No Python with PyTorch was found" in screen_text(app)
        await press(pilot, "enter")
        assert app.screen.query_one(Input).has_focus
        await press(pilot, "home", *"x", "enter")
        assert "Type the path to a Python that has torch" in screen_text(app)
        await press(pilot, "delete", "backspace", *"/v/bin/python", "enter")
        await until(pilot, lambda: "> /v/bin/python" in screen_text(app))
        assert "Which Python do you want to measure with?" in screen_text(app)


async def test_without_a_python_no_command_is_shown_but_how_to_name_one() -> None:
    session = Session(machine=replace(examples.MACHINE, environments=()))
    app = SetupApp(DRY_SERVICES, session, "conv2d")
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "space")
        await until(pilot, lambda: isinstance(app.screen, Notice))
        assert "--python" not in screen_text(app)
        assert "Type the path to a Python that has torch" in screen_text(app)


async def test_with_a_python_the_command_is_shown() -> None:
    async with app_with(DRY_SERVICES, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "space")
        await until(pilot, lambda: "conv2d --python /home/sam" in screen_text(pilot.app))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_what_is_known_of_the_marked_shape_is_whole_below_the_grid_or_beside_it(
    size: tuple[int, int],
) -> None:
    async with app_with(LIVE_SERVICES, "conv2d").run_test(size=size) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "enter", "y")
        await resolved(pilot)
        text = screen_text(pilot.app)
        if size[0] == 80:
            assert "published: hung (ROCm 5.2 on gfx1010)" in words_on(pilot.app)
        else:
            assert "─ 32->64 3x3 @224x224 ─" in text
            assert "Verdict: hung: no end within 60 s" in text
