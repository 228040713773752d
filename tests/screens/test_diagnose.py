"""Diagnose by keys alone: there and back, the list, the details, and what answers meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Event

import pytest
from textual.pilot import Pilot

from screens.app import SetupApp
from screens.diagnose.findings_pane import FindingsList
from screens.diagnose.text import Shown
from screens.dialogs import LinesView, Notice, Question
from screens.session import Session
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.diagnose_fakes import (
    BROKEN,
    DIAGNOSING,
    FINDINGS,
    FINE,
    GROUPS,
    IDLE,
    OVERRIDE,
    SOUND,
    UNREAD,
    looking,
)
from tests.screens.driving import (
    app_with,
    as_agreed,
    press,
    reach,
    resize,
    resolved,
    screen_text,
    status,
    until,
    usable_keys,
)
from tests.screens.examples import NASTY
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, run_sweep
from wizard.advice.recommend import Recommendation
from wizard.diagnose.finding import Evidence, Finding
from wizard.diagnose.machine import Diagnosis, Progress
from wizard.machine.facts import Machine
from wizard.machine.part import PartDone
from wizard.services import DEMO, Services
from wizard.services.runs import Unfinished

SMALL = (80, 24)
SIZES = (SMALL, (120, 40))
Compare = Callable[[str, str], None]
KNOWN = Session(machine=examples.MACHINE, parts=examples.PARTS)


def finding(*found: Finding, rdna1: bool = True, of: Services = LIVE_SERVICES) -> Services:
    """Services that find these."""
    return but(of, diagnostics=but(DIAGNOSING, look=looking(*found, rdna1=rdna1)))


def app_at(services: Services = LIVE_SERVICES, session: Session = KNOWN) -> SetupApp:
    return SetupApp(services, session, "diagnose")


async def looked(pilot: Pilot[int]) -> None:
    """Waits until all was looked at."""
    await reach(pilot, "diagnose")
    await until(pilot, lambda: getattr(pilot.app.screen, "here", Shown()).result is not None)
    await resolved(pilot)


def text_of(pilot: Pilot[int]) -> str:
    return " ".join(screen_text(pilot.app).split())


@pytest.mark.parametrize(
    ("step", "keys"),
    [
        ("welcome", ("d",)),
        ("welcome", ("down", "down", "enter")),
        ("detect", ("d",)),
        ("done", ("d",)),
        ("conv2d", ("enter", "y", "d")),
    ],
)
async def test_a_key_leads_there_and_escape_back(step: str, keys: tuple[str, ...]) -> None:
    services = but(LIVE_SERVICES, run=run_sweep)
    async with app_with(services, step).run_test(size=SMALL) as pilot:
        await reach(pilot, step)
        for key in keys:
            await until(pilot, lambda key=key: key in usable_keys(pilot.app))  # type: ignore[misc]
            await press(pilot, key)
        await looked(pilot)
        assert OVERRIDE.title in text_of(pilot)
        await press(pilot, "escape")
        await reach(pilot, step)


async def test_the_panel_offers_it_once_something_did_not_pass() -> None:
    async with app_with(LIVE_SERVICES, "conv2d").run_test(size=SMALL) as pilot:
        await reach(pilot, "conv2d")
        assert "d" not in usable_keys(pilot.app)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Question))
        await press(pilot, "y")
        await until(pilot, lambda: "d" in usable_keys(pilot.app))
        keys = pilot.app.screen.query("FooterKey")
        assert max(key.region.right for key in keys) <= 80


async def test_detection_keeps_the_machine_that_was_read_here() -> None:
    reads: list[int] = []

    def detect(on_part: Callable[[PartDone], None]) -> Machine:
        reads.append(1)
        on_part(examples.PARTS[0])
        return examples.MACHINE

    services = but(LIVE_SERVICES, detect=detect)
    async with SetupApp(services, Session(), "detect").run_test(size=SMALL) as pilot:
        await reach(pilot, "detect")
        await until(pilot, lambda: "d" in usable_keys(pilot.app))
        await press(pilot, "d")
        await looked(pilot)
        assert len(reads) == 1
        await press(pilot, "r")
        await until(pilot, lambda: len(reads) == 2)
        await looked(pilot)
        await press(pilot, "escape")
        await reach(pilot, "detect")
        await resolved(pilot)
        assert len(reads) == 2


async def test_a_slow_look_is_shown_as_running_and_keys_answer() -> None:
    slow = Event()

    def look(machine: Machine, on_progress: Callable[[Progress], None]) -> Diagnosis:
        on_progress(Progress("numpy", 1, 2))
        on_progress(Progress("numpy", 1, 2, (IDLE,)))
        on_progress(Progress("the kernel log", 2, 2))
        slow.wait()
        return SOUND

    services = but(LIVE_SERVICES, diagnostics=but(DIAGNOSING, look=look))
    async with app_at(services).run_test(size=SMALL) as pilot:
        await reach(pilot, "diagnose")
        await until(pilot, lambda: "Checking: the kernel log (2 of 2)" in text_of(pilot))
        assert IDLE.title in text_of(pilot)
        await press(pilot, "question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        await press(pilot, "escape", "down")
        await until(pilot, lambda: "This check is still running" in text_of(pilot))
        await press(pilot, "escape")
        await reach(pilot, "welcome")
    slow.set()


async def test_the_cursor_stays_on_its_row_while_more_is_found() -> None:
    goes_on, ended = Event(), Event()

    def look(machine: Machine, on_progress: Callable[[Progress], None]) -> Diagnosis:
        on_progress(Progress("numpy", 1, 2, (UNREAD, FINE[0])))
        on_progress(Progress("the kernel log", 2, 2))
        goes_on.wait()
        on_progress(Progress("the kernel log", 2, 2, (OVERRIDE, IDLE, *FINE[1:])))
        ended.wait()
        return Diagnosis(True, (OVERRIDE, IDLE, UNREAD, *FINE))

    services = but(LIVE_SERVICES, diagnostics=but(DIAGNOSING, look=look))
    async with app_at(services).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: "Checking: the kernel log" in text_of(pilot))
        await press(pilot, "end")
        goes_on.set()
        await until(pilot, lambda: "3 more checks, all fine" in text_of(pilot))
        ended.set()
        await looked(pilot)
        await until(pilot, lambda: f"OK: {FINE[2].title}" in text_of(pilot))


async def test_the_details_stay_while_more_is_found_and_then_have_the_room_that_is_left() -> None:
    goes_on, ended = Event(), Event()

    def look(machine: Machine, on_progress: Callable[[Progress], None]) -> Diagnosis:
        on_progress(Progress("numpy", 1, 2))
        goes_on.wait()
        on_progress(Progress("the kernel log", 2, 2, (OVERRIDE, IDLE)))
        ended.wait()
        return Diagnosis(True, (OVERRIDE, IDLE))

    services = but(LIVE_SERVICES, diagnostics=but(DIAGNOSING, look=look))
    async with app_at(services).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: "Checking: numpy" in text_of(pilot))
        details = pilot.app.screen.query_one("#details")
        before = details.region
        goes_on.set()
        await until(pilot, lambda: IDLE.title in text_of(pilot))
        assert details.region == before
        ended.set()
        await looked(pilot)
        rows = pilot.app.screen.query_one(FindingsList)
        assert rows.region.height == rows.virtual_size.height + len(("top edge", "lower edge"))
        assert details.region.y == rows.region.bottom
        assert details.region.bottom == before.bottom


def titles(pilot: Pilot[int]) -> set[str]:
    """Findings that have a row of their own."""
    rows = pilot.app.screen.query_one(FindingsList).rows
    return {row.title for row in rows if isinstance(row, Finding)}


async def test_what_is_fine_is_one_row_that_a_key_unfolds() -> None:
    async with app_at().run_test(size=SMALL) as pilot:
        await looked(pilot)
        assert "3 more checks, all fine" in text_of(pilot)
        assert FINE[0].title not in titles(pilot)
        await press(pilot, "end", "space")
        assert FINE[0].title in titles(pilot)
        await press(pilot, "space")
        assert FINE[0].title not in titles(pilot)
        await press(pilot, "enter")
        assert FINE[0].title in titles(pilot)
        await press(pilot, "r")
        await looked(pilot)
        assert FINE[0].title in titles(pilot), "it stays unfolded"


async def test_what_is_unfolded_stays_so_while_more_is_found() -> None:
    goes_on = Event()

    def look(machine: Machine, on_progress: Callable[[Progress], None]) -> Diagnosis:
        on_progress(Progress("numpy", 1, 2, FINE[:1]))
        on_progress(Progress("the kernel log", 2, 2))
        goes_on.wait()
        on_progress(Progress("the kernel log", 2, 2, FINE[1:]))
        return SOUND

    services = but(LIVE_SERVICES, diagnostics=but(DIAGNOSING, look=look))
    async with app_at(services).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: "Checking: the kernel log" in text_of(pilot))
        await press(pilot, "end", "space")
        goes_on.set()
        await looked(pilot)
        assert titles(pilot) == {finding.title for finding in FINE}


async def test_the_details_follow_the_cursor_and_space_shows_them_to_their_end() -> None:
    many = tuple(Evidence(f"line of proof {n}", f"~/log:{n}") for n in range(60))
    services = finding(replace(OVERRIDE, evidence=many), IDLE)
    async with app_at(services).run_test(size=SMALL) as pilot:
        await looked(pilot)
        assert "line of proof 1" in text_of(pilot)
        assert "line of proof 2" not in text_of(pilot), "a few are enough below the list"
        await press(pilot, "down")
        await until(pilot, lambda: "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=1" in text_of(pilot))
        await press(pilot, "up", "space")
        await until(pilot, lambda: isinstance(pilot.app.screen, LinesView))
        await press(pilot, "end")
        await until(pilot, lambda: OVERRIDE.links[0][:40] in text_of(pilot))


async def test_what_a_finding_explains_is_told_with_it() -> None:
    async with app_at(finding(replace(OVERRIDE, explains=("disk-full",)))).run_test(
        size=(120, 40)
    ) as pilot:
        await looked(pilot)
        assert "Explains " in text_of(pilot)
        assert "[disk-full]" in text_of(pilot)


async def test_enter_in_the_details_of_a_finding_opens_its_fix() -> None:
    async with app_at().run_test(size=SMALL) as pilot:
        await looked(pilot)
        await press(pilot, "space")
        await until(pilot, lambda: isinstance(pilot.app.screen, LinesView))
        await resolved(pilot)
        assert "Enter Opens a plan: remove 2 lines from /home/sam/.bashrc" in text_of(pilot)
        assert "You review the plan before anything happens." in text_of(pilot)
        assert "Enter Fix" in screen_text(pilot.app)
        await press(pilot, "enter")
        await reach(pilot, "review")


async def test_enter_in_the_details_of_another_finding_goes_back_and_promises_nothing() -> None:
    async with app_at().run_test(size=SMALL) as pilot:
        await looked(pilot)
        await press(pilot, "down", "space")
        await until(pilot, lambda: isinstance(pilot.app.screen, LinesView))
        await resolved(pilot)
        assert "Enter" not in screen_text(pilot.app)
        await press(pilot, "enter")
        await reach(pilot, "diagnose")


async def test_a_finding_without_a_plan_is_shown_whole() -> None:
    async with app_at().run_test(size=SMALL) as pilot:
        await looked(pilot)
        await press(pilot, "down", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, LinesView))
        assert "sudo usermod -aG render,video sam" in screen_text(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "diagnose")


@pytest.mark.parametrize("error", [OSError("/proc is not mounted"), ValueError("no such record")])
async def test_a_machine_that_cannot_be_read_is_told_and_tried_again(error: Exception) -> None:
    tries: list[int] = []

    def at_second_try(on_part: object) -> Machine:
        tries.append(1)
        if len(tries) == 1:
            raise error
        return examples.MACHINE

    services = but(LIVE_SERVICES, detect=at_second_try)
    async with app_at(services, Session()).run_test(size=SMALL) as pilot:
        await reach(pilot, "diagnose")
        await until(pilot, lambda: str(error) in text_of(pilot))
        assert not {"space", "s"} & usable_keys(pilot.app)
        await press(pilot, "enter", "space", "r")
        await looked(pilot)
        assert OVERRIDE.title in text_of(pilot)


async def test_saved_text_is_that_of_the_command_and_a_dry_run_saves_nothing() -> None:
    saved: list[tuple[str, str]] = []

    def save(name: str, text: str) -> str:
        saved.append((name, text))
        return f"/home/sam/{name}"

    async with app_at(but(LIVE_SERVICES, save=save)).run_test(size=SMALL) as pilot:
        await looked(pilot)
        await press(pilot, "s")
        assert status(pilot.app) == "Saved as /home/sam/rdna1-findings-machine.txt"
    (_, text), *_ = saved
    assert f"FAULT (certain): {OVERRIDE.title} [stale-override]" in " ".join(text.split())
    assert f"OK: {FINE[0].title}\n" in text
    async with app_at(DRY_SERVICES).run_test(size=SMALL) as pilot:
        await looked(pilot)
        assert "s" not in usable_keys(pilot.app)


async def test_a_disk_that_is_full_is_told_where_it_is_saved() -> None:
    def full(name: str, text: str) -> str:
        raise OSError(28, "No space left on device")

    async with app_at(but(LIVE_SERVICES, save=full)).run_test(size=SMALL) as pilot:
        await looked(pilot)
        await press(pilot, "s")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "No space left on device" in screen_text(pilot.app)
        assert "disk is full, so nothing" in screen_text(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "diagnose")


def long(number: int) -> Finding:
    """A finding of lines without end."""
    word = f"{number} {NASTY} {'x' * 500}"
    return replace(OVERRIDE, title=word, evidence=(Evidence(word, word),) * 3, fix=(word,) * 9)


@pytest.mark.parametrize("size", SIZES)
async def test_forty_findings_of_nasty_endless_lines_are_shown_and_obeyed_by_nobody(
    size: tuple[int, int],
) -> None:
    async with app_at(finding(*map(long, range(40)))).run_test(size=size) as pilot:
        await looked(pilot)
        await press(pilot, *("pagedown",) * 3, "end")
        text = screen_text(pilot.app)
        assert "[/opt/rocm] [bold]x [gfx1010]" in " ".join(text.replace("│", " ").split())
        assert "\x1b" not in text
        assert "\x07" not in text
        await press(pilot, "enter")
        await reach(pilot, "review")


@pytest.mark.parametrize("size", [(60, 24), (80, 20), (40, 10)])
async def test_a_window_that_is_too_small_says_so_and_keys_work_again_afterwards(
    size: tuple[int, int],
) -> None:
    async with app_at().run_test(size=SMALL) as pilot:
        await looked(pilot)
        await resize(pilot, *size)
        assert OVERRIDE.title not in text_of(pilot)
        await resize(pilot, *SMALL)
        await press(pilot, "down")
        await until(pilot, lambda: "sudo usermod" in text_of(pilot))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((OVERRIDE, GROUPS), "✗ Most likely: HSA_OVERRIDE_GFX_VERSION is left over"),
        ((IDLE, *FINE), "! No problem was found, but there is a warning: A variable is set"),
        ((UNREAD, *FINE), "? No problem was found, but 1 check could not be done."),
        (FINE, "✓ No problem was found: all 3 checks are fine."),
    ],
)
async def test_the_first_line_concludes_with_no_tick_beside_bad_news(
    found: tuple[Finding, ...], said: str
) -> None:
    async with app_at(finding(*found)).run_test(size=SMALL) as pilot:
        await looked(pilot)
        assert said in text_of(pilot)
        assert ("Enter opens the fix." in text_of(pilot)) is (found[0] in (OVERRIDE, IDLE))


async def test_a_run_that_stopped_is_mentioned() -> None:
    stopped = Unfinished("20260101-1", "rocm57", "rocm57", "/home/sam/ai", "venv")
    services = but(LIVE_SERVICES, unfinished=lambda: stopped)
    async with app_at(services).run_test(size=SMALL) as pilot:
        await looked(pilot)
        assert "! rocm57 in /home/sam/ai is not finished." in text_of(pilot)


async def test_the_recommended_stack_is_the_one_of_choose_for_what_was_ticked() -> None:
    asked: list[tuple[str, ...]] = []

    def recommend(machine: Machine, applications: tuple[str, ...], preset: str) -> Recommendation:
        asked.append(applications)
        return LIVE_SERVICES.knowledge.recommend(machine, applications, preset)

    services = but(LIVE_SERVICES, recommend=recommend)
    best = LIVE_SERVICES.knowledge.recommend(examples.MACHINE, ("comfyui",), "").name
    async with app_at(services, replace(KNOWN, applications=("comfyui",))).run_test() as pilot:
        await looked(pilot)
        assert f"Recommended stack: {best}" in text_of(pilot)
    assert asked == [("comfyui",)]


GOLDENS: dict[str, tuple[Services, tuple[str, ...]]] = {
    "diagnose-unfolded": (LIVE_SERVICES, ("end", "space")),
    "diagnose-no-card": (finding(IDLE, *FINE, rdna1=False), ()),
    "diagnose-broken-check": (finding(*FINDINGS, BROKEN), ("down", "down", "down", "down")),
    "diagnose-long": (finding(*map(long, range(40))), ()),
    "diagnose-demo": (but(DRY_SERVICES, mode=DEMO), ("down", "down")),
}


@pytest.mark.parametrize("name", GOLDENS)
async def test_each_state_looks_as_agreed(name: str, same_as_golden: Compare) -> None:
    services, keys = GOLDENS[name]
    async with app_at(services).run_test(size=SMALL) as pilot:
        await looked(pilot)
        await press(pilot, *keys)
        await resolved(pilot)
        await as_agreed(pilot, same_as_golden, name)


async def test_an_unread_machine_and_a_running_look_look_as_agreed(
    same_as_golden: Compare,
) -> None:
    def broken(on_part: object) -> Machine:
        raise OSError("/proc is not mounted")

    never = Event()

    def stuck(machine: Machine, on_progress: Callable[[Progress], None]) -> Diagnosis:
        on_progress(Progress("numpy", 1, 2))
        on_progress(Progress("numpy", 1, 2, (OVERRIDE, *FINE)))
        on_progress(Progress("the kernel log", 2, 2))
        never.wait()
        return SOUND

    running = but(LIVE_SERVICES, diagnostics=but(DIAGNOSING, look=stuck))
    for name, services, session, words in (
        ("diagnose-unread", but(LIVE_SERVICES, detect=broken), Session(), "not mounted"),
        ("diagnose-running", running, KNOWN, "Checking: the kernel log"),
    ):
        async with app_at(services, session).run_test(size=SMALL) as pilot:
            await until(pilot, lambda words=words: words in text_of(pilot))  # type: ignore[misc]
            await as_agreed(pilot, same_as_golden, name)
    never.set()


async def test_the_help_tells_every_key_and_an_ascii_terminal_gets_ascii_alone() -> None:
    async with app_at(but(LIVE_SERVICES, unicode=False)).run_test(size=(120, 40)) as pilot:
        await looked(pilot)
        keys = pilot.app.screen.query("FooterKey")
        assert screen_text(pilot.app).isascii()
        shown = {str(key.key) for key in keys}  # type: ignore[attr-defined]
        assert {"enter", "space", "t"} <= shown
        assert len(shown) <= 6
        await press(pilot, "question_mark")
        text = text_of(pilot)
        assert all(f" {key} " in text for key in ("Space", "r", "t", "s")), text
        assert text.isascii()


async def test_all_keys_fit_into_80_columns() -> None:
    async with app_at().run_test(size=SMALL) as pilot:
        await looked(pilot)
        keys = pilot.app.screen.query("FooterKey")
        assert max(key.region.right for key in keys) <= 80
