"""The log of a run: it follows its end or stays where one reads, is searched and copied from."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.selection import Selection

from screens.widgets.log_pane import COPY_BYTES, RunLog
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    press,
    reach,
    resize,
    resolve,
    resolved,
    screen_text,
    status,
    step_name,
    until,
)
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, LOG
from wizard.core.events import Event, Output, PlanFinished, StepStarted
from wizard.plan.steps import Plan
from wizard.services import Services

ROWS = 10


class LogAlone(App[int]):
    """A log of 50 lines at most, ten of them in view."""

    def __init__(self) -> None:
        super().__init__()
        self.log_view = RunLog(most_lines=50)
        self.log_view.styles.scrollbar_size_horizontal = 0

    def compose(self) -> ComposeResult:
        yield self.log_view

    async def print(self, start: int, end: int) -> None:
        self.log_view.add([f"line {number}" for number in range(start, end)])
        self.log_view.take_in()
        await resolve(self)


def in_view(app: App[int]) -> list[str]:
    return [row.rstrip(" ▁▂▃▄▅▆▇█▊▎▏") for row in screen_text(app).splitlines()]


def printing(*lines: str) -> Services:
    async def carry_out(plan: Plan) -> AsyncGenerator[Event, None]:
        yield StepStarted(1, len(plan.steps), "print", "y")
        yield Output(lines)
        yield PlanFinished(True, False, True, False, "run", LOG)

    return but(LIVE_SERVICES, carry_out=carry_out)


async def test_it_follows_its_end_also_after_the_window_has_changed() -> None:
    app = LogAlone()
    async with app.run_test(size=(40, ROWS)) as pilot:
        await app.print(0, 40)
        assert in_view(app)[-1] == "line 39"
        await resize(pilot, 40, 6)
        await app.print(40, 41)
        assert in_view(app)[-1] == "line 40"
        await resize(pilot, 40, ROWS)
        await app.print(41, 42)
        assert in_view(app)[-1] == "line 41"


async def test_what_is_read_stays_though_lines_come_and_old_ones_are_forgotten() -> None:
    app = LogAlone()
    async with app.run_test(size=(40, ROWS)) as pilot:
        await app.print(0, 50)
        await press(pilot, "up", "up")
        await until(pilot, lambda: in_view(app)[0] == "line 38")
        await app.print(50, 80)
        assert app.log_view.forgotten == 30
        assert in_view(app)[0] == "line 38"
        await app.print(80, 200)
        assert in_view(app)[0] == "line 150"  # what was read is forgotten: the oldest that is left
        await press(pilot, "end")
        await until(pilot, lambda: in_view(app)[-1] == "line 199")
        await app.print(200, 201)
        assert in_view(app)[-1] == "line 200"


async def test_a_selection_whose_lines_move_is_dropped() -> None:
    app = LogAlone()
    async with app.run_test(size=(40, ROWS)):
        await app.print(0, 50)
        app.screen.selections = {app.log_view: Selection(Offset(0, 45), Offset(6, 46))}
        assert app.screen.get_selected_text() == "line 45\nline 4"
        await app.print(50, 51)
        assert app.screen.get_selected_text() is None


async def test_an_empty_line_takes_a_line() -> None:
    app = LogAlone()
    async with app.run_test(size=(40, ROWS)):
        app.log_view.add(["one", "", "two"])
        await resolve(app)
        assert in_view(app)[:3] == ["one", "", "two"]


async def test_what_a_terminal_would_obey_is_not_in_the_log() -> None:
    app = LogAlone()
    async with app.run_test(size=(40, ROWS)):
        app.log_view.add(["\x1b[31mred\x1b[0m [bold]x[/] [/nope]", "a\tb"])
        await resolve(app)
        assert in_view(app)[:2] == ["red [bold]x[/] [/nope]", "a       b"]


async def test_a_search_goes_from_match_to_match_and_stops_at_the_ends() -> None:
    app = LogAlone()
    async with app.run_test(size=(40, ROWS)):
        await app.print(0, 30)
        app.log_view.look_for("LINE 2")
        seen = [app.log_view.match]
        for by in (-1, -1, 1, 1, 1, *(-1,) * 12):
            app.log_view.move(by)
            seen.append(app.log_view.match)
        assert seen[:6] == [29, 28, 27, 28, 29, 29]
        assert seen[-2:] == [2, 2]
        assert app.log_view.count == "1 of 11 matches"
        app.log_view.look_for("")
        assert (app.log_view.match, app.log_view.count) == (None, "")


async def test_a_match_whose_line_went_gives_way_to_the_oldest_that_is_left() -> None:
    app = LogAlone()
    async with app.run_test(size=(40, ROWS)):
        await app.print(0, 50)
        app.log_view.look_for("line 0")
        assert app.log_view.match == 0
        await app.print(50, 60)
        assert app.log_view.count == "no match"
        app.log_view.look_for("line")
        app.log_view.move(-50)
        assert app.log_view.match == 10
        await app.print(60, 65)
        assert (app.log_view.match, app.log_view.count) == (15, "1 of 50 matches")
        assert app.screen.get_selected_text() == "line"
        assert app.log_view.line(15) == "line 15"


async def test_a_text_that_comes_later_is_found_then() -> None:
    app = LogAlone()
    async with app.run_test(size=(40, ROWS)):
        await app.print(0, 3)
        app.log_view.look_for("error")
        assert app.log_view.count == "no match"
        app.log_view.add(["Error: no space"])
        app.log_view.take_in()
        assert app.log_view.count == "1 match"
        app.log_view.move(-1)
        assert app.log_view.match == 3


async def test_what_is_typed_is_no_pattern() -> None:
    app = LogAlone()
    async with app.run_test(size=(40, ROWS)):
        app.log_view.add(["a.b", "axb", "[a"])
        app.log_view.take_in()
        app.log_view.look_for("a.b")
        assert app.log_view.count == "1 of 1 match"
        app.log_view.look_for("[")
        assert app.log_view.match == 2


async def test_letters_that_are_keys_elsewhere_are_looked_for() -> None:
    services = printing("Collecting torch", "n/c?q", "Collecting numpy")
    async with app_with(services, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        await press(pilot, "slash")
        for key, letter in (("n", "n"), ("slash", "/"), ("c", "c"), ("question_mark", "?")):
            pilot.app.post_message(events.Key(key, letter))
        await press(pilot, "q")
        await until(pilot, lambda: "1 of 1 match" in screen_text(pilot.app))
        assert step_name(pilot.app) == "apply"
        await press(pilot, "escape", "enter")
        await reach(pilot, "conv2d")


async def test_up_and_down_bring_hits_into_view_and_esc_ends_the_search() -> None:
    lines = [f"line {number}" + " with an Error" * (number % 50 == 0) for number in range(300)]
    async with app_with(printing(*lines), "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        await press(pilot, "slash", *"error")
        await until(pilot, lambda: "line 250 with" in screen_text(pilot.app))
        await until(pilot, lambda: "6 of 6 matches" in screen_text(pilot.app))
        await press(pilot, "up", "up")
        await until(pilot, lambda: "line 150 with" in screen_text(pilot.app))
        await until(pilot, lambda: "4 of 6 matches" in screen_text(pilot.app))
        await press(pilot, "down")
        await until(pilot, lambda: "line 200 with" in screen_text(pilot.app))
        await press(pilot, "escape")
        await until(pilot, lambda: " of 6 matches" not in screen_text(pilot.app))
        assert pilot.app.screen.focused is pilot.app.screen.query_one(RunLog)
        assert "line 200 with" in screen_text(pilot.app)


async def test_a_hit_far_to_the_right_comes_into_view() -> None:
    long = "x" * 200 + " needle " + "y" * 200
    async with app_with(printing(long), "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        assert "needle" not in screen_text(pilot.app)
        await press(pilot, "slash", *"needle")
        await until(pilot, lambda: "needle y" in screen_text(pilot.app))


async def test_a_search_goes_on_while_lines_come_and_holds_its_place() -> None:
    more = asyncio.Event()

    async def carry_out(plan: Plan) -> AsyncGenerator[Event, None]:
        yield StepStarted(1, len(plan.steps), "print", "y")
        yield Output(("Error: the first", *(f"line {number}" for number in range(60))))
        await more.wait()
        yield Output(("Error: the second", *(f"line {number}" for number in range(60, 120))))
        yield PlanFinished(True, False, True, False, "run", LOG)

    services = but(LIVE_SERVICES, carry_out=carry_out)
    async with app_with(services, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await until(pilot, lambda: "line 59" in screen_text(pilot.app))
        await press(pilot, "slash", *"error")
        await until(pilot, lambda: "1 of 1 match" in screen_text(pilot.app))
        more.set()
        await until(pilot, lambda: "1 of 2 matches" in screen_text(pilot.app))
        assert "Error: the first" in screen_text(pilot.app)


async def test_y_copies_the_hit_after_enter_and_the_newest_lines_without_one() -> None:
    services = printing("one", "two", "three")
    async with app_with(services, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        await press(pilot, "y")
        assert pilot.app.clipboard.splitlines()[1:4] == ["one", "two", "three"]
        assert "Copied all 6 lines" in status(pilot.app)
        assert "the file named above" in status(pilot.app)
        await press(pilot, "slash", *"two", "enter", "y")
        assert pilot.app.clipboard == "two"
        assert "Copied line 3" in status(pilot.app)
        await press(pilot, "escape", "y")
        assert len(pilot.app.clipboard.splitlines()) == 6


async def test_y_and_ctrl_c_copy_what_is_selected() -> None:
    async with app_with(printing("one", "two"), "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        screen = pilot.app.screen
        for key in ("y", "ctrl+c"):
            pilot.app.copy_to_clipboard("")
            screen.selections = {screen.query_one(RunLog): Selection(Offset(1, 1), Offset(2, 2))}
            await press(pilot, key)
            assert pilot.app.clipboard == "ne\ntw"


async def test_no_more_is_copied_than_terminals_take() -> None:
    services = printing(*("x" * 100 for _ in range(2_000)))
    async with app_with(services, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        await press(pilot, "y")
        assert COPY_BYTES - 101 <= len(pilot.app.clipboard) <= COPY_BYTES
        assert "the newest 743 lines" in status(pilot.app)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_saved_file_is_named_above_the_log_and_at_its_end(size: tuple[int, int]) -> None:
    async with app_with(LIVE_SERVICES, "apply").run_test(size=size) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        await press(pilot, "l")
        above = LOG.replace("/home/sam", "> Log: ~")  # it has the keys
        await until(pilot, lambda: above in screen_text(pilot.app))
        await until(pilot, lambda: LOG in screen_text(pilot.app))


async def test_a_rehearsal_names_no_file() -> None:
    async with app_with(DRY_SERVICES, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        await press(pilot, "y")
        assert status(pilot.app).startswith("Copied all")
        assert "file" not in status(pilot.app)
