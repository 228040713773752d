"""The history of Conv2d runs: listed, shown whole, compared, handed out as files."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from screens.dialogs import LinesView, Notice, PathQuestion, Question
from screens.history.screen import History
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    as_agreed,
    press,
    reach,
    resize,
    screen_text,
    status,
    step_name,
    until,
    usable_keys,
)
from tests.screens.examples import NASTY
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES
from tests.screens.past_fakes import DAMAGED, PAST, RUNS, STATUSES, card, script
from wizard.conv2d.runs.folders import KeptRuns, Run
from wizard.conv2d.runs.history import RunStatus
from wizard.conv2d.verdicts import Loaded
from wizard.core.trouble import Trouble
from wizard.services import DEMO, Services
from wizard.services.experiments import Past

SIZES = ((80, 24), (120, 40))
TROUBLE = Trouble("It broke.", "That is bad.", "Fix it.")


NOT_HERE = but(PAST, kept=KeptRuns, is_here=False)


def services(past: Past = PAST, of: Services = LIVE_SERVICES) -> Services:
    return but(of, past=past)


async def open_history(pilot: Pilot[int], until_said: str = "Space marks a run") -> None:
    await reach(pilot, "conv2d")
    await press(pilot, "h")
    await until(pilot, lambda: step_name(pilot.app) == "history")
    await until(pilot, lambda: until_said in status(pilot.app))


async def see(pilot: Pilot[int], text: str) -> None:
    await until(pilot, lambda: text in " ".join(screen_text(pilot.app).split()))


class Written:
    """A disk on which some files are."""

    def __init__(self, *there: str, full: int = 0) -> None:
        self.there = set(there)
        self.files: list[tuple[str, str, bool]] = []
        self.full = full

    def write(self, path: str, text: str, over: bool) -> str:
        if self.full:
            self.full -= 1
            raise TROUBLE
        self.files.append((path, text, over))
        return path

    @property
    def services(self) -> Services:
        return services(but(PAST, write=self.write, is_there=self.there.__contains__))


async def test_runs_are_listed_newest_first_with_what_became_of_them() -> None:
    async with app_with(services(), "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await see(pilot, "q Quit")
        await resize(pilot, *SIZES[1])
        text = screen_text(pilot.app)
        assert "12 pass, 3 hung, 2 out of memory" in text
        assert text.index("09:04") < text.index("08:04") < text.index("07:04")
        await press(pilot, "escape")
        await reach(pilot, "conv2d")


async def test_runs_of_one_minute_are_told_apart_by_their_seconds_and_only_they() -> None:
    newest, last = (replace(RUNS[n], began=f"2026-01-02 09:04:{31 - n}+00:00") for n in (0, 1))
    runs = [newest, last, RUNS[2]]
    past = but(
        PAST,
        kept=lambda: KeptRuns(tuple(runs)),
        status=lambda run: replace(STATUSES[run.id], run=run),
    )
    async with app_with(services(past), "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await see(pilot, "2026-01-02 09:04:31")
        await see(pilot, "2026-01-02 09:04:30")
        await see(pilot, "2026-01-02 07:04 ")
        runs.remove(last)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, LinesView))
        await press(pilot, "escape")
        await see(pilot, "2026-01-02 09:04 ")


async def test_keys_are_answered_while_a_run_is_still_read() -> None:
    go_on = threading.Event()

    def status(run: Run) -> RunStatus:
        assert go_on.wait(20)
        return STATUSES[run.id]

    try:
        past = but(PAST, status=status)
        async with app_with(services(past), "conv2d").run_test(size=SIZES[0]) as pilot:
            await open_history(pilot, "Reading")
            await see(pilot, "reading…")
            await press(pilot, "down", "c")
            await see(pilot, f"{RUNS[1].id} beside the one before")
            go_on.set()
            await press(pilot, "escape")
            await see(pilot, "running")
    finally:
        go_on.set()


async def test_a_run_that_is_read_while_the_list_is_taken_down_ends_nothing() -> None:
    reading, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def status(run: Run) -> RunStatus:
        reading.set()
        assert go_on.wait(20)
        done.set()
        return STATUSES[run.id]

    past = but(PAST, status=status)
    async with app_with(services(past), "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot, "Reading")
        await until(pilot, reading.is_set)
        await pilot.app.screen.query("RunsTable").remove()
        go_on.set()
        await until(pilot, done.is_set)
        await until(pilot, lambda: not any(w.group == "read" for w in pilot.app.workers))


async def test_what_comes_meanwhile_is_there_after_a_dialog_and_the_cursor_stays() -> None:
    runs, statuses = [*RUNS[1:]], dict(STATUSES)
    past = but(PAST, kept=lambda: KeptRuns(tuple(runs)), status=lambda run: statuses[run.id])
    async with app_with(services(past), "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await press(pilot, "down", "enter")
        await see(pilot, f"{RUNS[2].id} finished")
        runs.insert(0, RUNS[0])
        await press(pilot, "escape")
        await see(pilot, "3 runs")
        await see(pilot, "running 1 pass")
        statuses[RUNS[0].id] = replace(statuses[RUNS[0].id], state="finished")
        await press(pilot, "enter")
        await see(pilot, f"{RUNS[2].id} finished")
        await press(pilot, "escape")
        await until(pilot, lambda: "running" not in screen_text(pilot.app))


async def test_what_is_measured_goes_on_below_and_leaving_would_break_it_off() -> None:
    async with app_with(services(), "conv2d").run_test(size=SIZES[0]) as pilot:
        await reach(pilot, "conv2d")
        panel = pilot.app.screen
        panel.running = True  # type: ignore[attr-defined]
        await open_history(pilot)
        assert "q" not in usable_keys(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "conv2d")
        assert pilot.app.screen is panel


async def test_enter_shows_a_run_whole(same_as_golden: Callable[[str, str], None]) -> None:
    async with app_with(services(), "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await press(pilot, "down", "down", "enter")
        await see(pilot, f"{RUNS[2].id} finished")
        await see(pilot, "Esc Back")
        await as_agreed(pilot, same_as_golden, "history-whole")
        await press(pilot, "escape")
        await see(pilot, "3 runs. The last one began on 2 January 2026.")


async def test_a_damaged_run_is_said_and_no_end() -> None:
    async with app_with(services(), "conv2d").run_test(size=SIZES[1]) as pilot:
        await open_history(pilot)
        await press(pilot, "down", "down", "down", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        text = " ".join(screen_text(pilot.app).split())
        assert "damaged, another user's, or from a newer version" in text
        assert DAMAGED.rpartition("/")[2] in text
        await press(pilot, "escape", "x")
        assert isinstance(pilot.app.screen, History)


async def test_two_marked_runs_are_compared_and_a_third_mark_takes_the_place_of_the_first() -> None:
    async with app_with(services(), "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await press(pilot, "space", "down", "space", "c")
        await see(pilot, f"{RUNS[0].id} beside {RUNS[1].id}")
        await press(pilot, "escape", "down", "space", "c")
        await see(pilot, f"{RUNS[1].id} beside {RUNS[2].id}")
        await press(pilot, "escape", "space", "c")
        await see(pilot, f"{RUNS[2].id} beside {RUNS[1].id}")
        await press(pilot, "escape", "up", "space", "c")
        await see(pilot, f"{RUNS[1].id} beside the one before")


async def test_why_two_runs_cannot_be_compared_is_told_in_three_parts() -> None:
    def compare(run: Run, other: Run | None) -> tuple[str, ...]:
        raise TROUBLE

    past = but(PAST, compare=compare)
    async with app_with(services(past), "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await press(pilot, "c")
        for text in ("It broke.", "That is bad.", "Fix it."):
            await see(pilot, text)


async def test_a_card_is_shown_before_it_is_written_where_its_owner_says(
    same_as_golden: Callable[[str, str], None],
) -> None:
    disk = Written()
    async with app_with(disk.services, "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await press(pilot, "x")
        await see(pilot, "2 results. Your name is not included.")
        await see(pilot, "Esc Back")
        await as_agreed(pilot, same_as_golden, "state-history-export")
        assert disk.files == []
        await press(pilot, "escape")
        await until(pilot, lambda: "Nothing was written." in status(pilot.app))
        await press(pilot, "x")
        await see(pilot, "2 results. Your name is not included.")
        await press(pilot, "2", "enter")
        await see(pilot, "Read it before you share it.")
        assert disk.files == [("/home/sam/card.json2", "{}", False)]


async def test_a_file_that_is_there_is_written_over_on_y_alone() -> None:
    disk = Written("/home/sam/card.json")
    async with app_with(disk.services, "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await press(pilot, "x")
        await see(pilot, "2 results")
        for key in ("escape", "y"):
            await press(pilot, "enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, Question))
            assert disk.files == []
            await press(pilot, key)
            if key == "escape":
                await until(pilot, lambda: isinstance(pilot.app.screen, PathQuestion))
        await see(pilot, "Read it before you share it.")
        assert disk.files == [("/home/sam/card.json", "{}", True)]


async def test_why_a_file_is_not_written_is_told_and_another_place_is_asked_for() -> None:
    disk = Written(full=1)
    async with app_with(disk.services, "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await press(pilot, "x")
        await see(pilot, "2 results")
        await press(pilot, "enter")
        await see(pilot, "That is bad.")
        await press(pilot, "escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, PathQuestion))
        assert pilot.app.screen.query_one(Input).value == "/home/sam/card.json"
        await press(pilot, "enter")
        await see(pilot, "Read it before you share it.")
        assert len(disk.files) == 1


async def test_a_script_is_written_for_the_result_that_was_chosen() -> None:
    disk = Written()
    async with app_with(disk.services, "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await press(pilot, "r")
        await see(pilot, "1 16->32 3x3 @64x64: pass")
        await press(pilot, "enter")  # the first that is no pass is highlighted
        await see(pilot, "This script measures 32->64 3x3 @64x64.")
        await press(pilot, "escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, History))
        await press(pilot, "r")
        await see(pilot, "1 16->32 3x3 @64x64: pass")
        await press(pilot, "up", "enter")
        await see(pilot, "This script measures 16->32 3x3 @64x64.")
        await press(pilot, "enter")
        await see(pilot, "Read it before you share it.")
        assert disk.files == [("/home/sam/repro.py", "print()", False)]


async def test_a_run_without_results_has_no_script() -> None:
    past = but(PAST, results=lambda run: ())
    async with app_with(services(past), "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await press(pilot, "r")
        await see(pilot, "The run from 2026-01-02 09:04 has no results.")


async def test_a_card_is_set_beside_the_highlighted_run_and_a_bad_one_is_told() -> None:
    def take_in(path: str, run: Run | None) -> tuple[str, ...]:
        if path == "a":
            raise TROUBLE
        return PAST.take_in(path, run)

    past = but(PAST, take_in=take_in)
    async with app_with(services(past), "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot)
        await press(pilot, "down", "i")
        await see(pilot, "anyone can write a result card by hand")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, PathQuestion)  # nothing was typed
        await press(pilot, "a", "enter")
        await see(pilot, "That is bad.")
        await press(pilot, "escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, PathQuestion))
        await press(pilot, "b", "enter")
        await see(pilot, "ab (not your chip)")
        await see(pilot, f"beside {RUNS[1].id}")


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("x",), f"rdna1-setup conv2d --export /home/sam/card.json --run {RUNS[0].id}"),
        (("r", "enter"), f"rdna1-setup conv2d --repro /home/sam/repro.py --run {RUNS[0].id}"),
    ],
)
async def test_a_dry_run_writes_nothing_and_shows_the_line(
    keys: tuple[str, ...], line: str
) -> None:
    async with app_with(DRY_SERVICES, "conv2d").run_test(size=SIZES[1]) as pilot:
        await open_history(pilot)
        for key in keys:
            await press(pilot, key)
            await until(pilot, lambda: not isinstance(pilot.app.screen, History))
        await see(pilot, line)
        assert isinstance(pilot.app.screen, LinesView)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("state-history-none", services(but(PAST, kept=KeptRuns))),
        ("history-dry-run", services(but(PAST, kept=KeptRuns), DRY_SERVICES)),
        (
            "history-demo",
            services(but(PAST, kept=KeptRuns, is_here=False), but(DRY_SERVICES, mode=DEMO)),
        ),
    ],
)
async def test_where_there_is_no_run_it_says_what_to_do(
    name: str, given: Services, same_as_golden: Callable[[str, str], None]
) -> None:
    async with app_with(given, "conv2d").run_test(size=SIZES[0]) as pilot:
        await open_history(pilot, "Esc goes back.")
        await see(pilot, "q Quit")
        await as_agreed(pilot, same_as_golden, name)
        assert not {"x", "c", "r", "enter"} & usable_keys(pilot.app)
        assert ("i" in usable_keys(pilot.app)) is (name != "history-demo")
        await press(pilot, "escape")
        await reach(pilot, "conv2d")


async def test_nasty_text_of_runs_is_shown_and_obeyed_by_nobody() -> None:
    loaded = Loaded(NASTY, NASTY, NASTY, NASTY)
    past = but(
        PAST,
        kept=lambda: KeptRuns(RUNS, (NASTY,)),
        status=lambda run: replace(STATUSES[run.id], loaded=loaded),
        whole=lambda run: (NASTY,),
        compare=lambda run, other: (NASTY,),
        card=lambda run: replace(card(run), path=NASTY, about=(NASTY,)),
        script=lambda run, place: replace(script(run, place), about=(NASTY,)),
        is_there=lambda path: True,
        write=lambda path, text, over: NASTY,
    )
    async with app_with(services(past), "conv2d").run_test(size=SIZES[1]) as pilot:
        await open_history(pilot)
        for keys in ((), ("enter",), ("c",), ("x",), ("enter",), ("y",)):
            await press(pilot, *keys)
            await see(pilot, "[/opt/rocm]")
            assert "\x1b" not in screen_text(pilot.app)
            if keys in (("enter",), ("c",)) and isinstance(pilot.app.screen, LinesView):
                await press(pilot, "escape")


async def test_a_read_that_fails_again_and_again_is_told_in_one_window_and_traps_nobody() -> None:
    reads = 0

    def fail(run: Run) -> RunStatus:
        nonlocal reads
        reads += 1
        raise OSError(5, "Input/output error", run.id)

    async with app_with(services(but(PAST, status=fail)), "conv2d").run_test() as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "h")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        await see(pilot, "Not read completely")
        for again in (2, 3):
            await press(pilot, "escape")
            await until(pilot, lambda again=again: reads == again)  # type: ignore[misc]
            await until(pilot, lambda: not reading(pilot))
            assert isinstance(pilot.app.screen, History)
            assert "Input/output error" in status(pilot.app)
            await press(pilot, "question_mark")
            await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        await press(pilot, "escape", "escape")
        await reach(pilot, "conv2d")


@pytest.mark.parametrize("first", [KeptRuns(), None], ids=("empty", "unreadable"))
async def test_a_list_that_comes_later_takes_the_place_of_what_stood_there(
    first: KeptRuns | None,
) -> None:
    there = False

    def kept() -> KeptRuns:
        if there:
            return PAST.kept()
        if first is None:
            raise PermissionError(13, "Permission denied", "/runs")
        return first

    async with app_with(services(but(PAST, kept=kept)), "conv2d").run_test() as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "h")
        await until(pilot, lambda: step_name(pilot.app) == "history")
        said = "Permission denied" if first is None else "Esc goes back."
        await until(pilot, lambda: said in status(pilot.app))
        there = True
        await press(pilot, "question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        await press(pilot, "escape")
        await see(pilot, "2026-01-02 08:04")
        await until(pilot, lambda: not reading(pilot))
        assert "Permission denied" not in screen_text(pilot.app)
        assert "No Conv2d" not in screen_text(pilot.app)
        assert "Space marks a run" in status(pilot.app)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, LinesView))


def reading(pilot: Pilot[int]) -> bool:
    """True while the list is read."""
    return any(worker.group == "read" and worker.is_running for worker in pilot.app.workers)
