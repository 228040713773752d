"""Choose over the real data, on recorded machines: what it shows, and who says so."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from screens.app import SetupApp
from screens.choose.approaches import ApproachList, Evidence
from screens.session import Session
from tests.machine.records import seen
from tests.screens.collaborators import but
from tests.screens.driving import (
    as_agreed,
    go,
    press,
    reach,
    resolved,
    screen_text,
    until,
    usable_keys,
    words_on,
)
from tests.screens.fakes import LIVE_SERVICES
from wizard.advice.recommend import found_applications, recommend
from wizard.knowledge.applications import load_applications
from wizard.knowledge.claims import load_approaches, load_claims
from wizard.knowledge.stacks import load_stacks

SIZES = ((80, 24), (120, 40))
SERVICES = but(
    LIVE_SERVICES,
    recommend=lambda machine, applications, preset: recommend(machine, applications, preset=preset),
    stacks=load_stacks,
    claims=load_claims,
    applications=load_applications,
    approaches=load_approaches,
)
CLEAN = "rx5700xt-jammy-clean"
THERE = "rx5600xt-noble-rocm57"
CASES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "clean": (CLEAN, (), ()),
    "clean-comfyui": (CLEAN, ("comfyui",), ()),
    "clean-other-stack": (CLEAN, ("comfyui", "yolo"), ("down", "down")),
    "clean-evidence": (CLEAN, (), ("2", "e", "right")),
    "clean-small": (CLEAN, (), ("2", "e", *("right",) * 3)),
    "clean-compare": (CLEAN, ("yolo",), ("c",)),
    "torch-there": (THERE, (), ()),
    "torch-there-pair": (THERE, (), ("o", "down")),
    "chat": (CLEAN, ("llm-chat",), ()),
    "no-card": ("no-amd-gpu", (), ()),
    "wsl": ("wsl-noble", (), ()),
}
"""The machine, what is ticked beside what was found there, and the keys."""
HELD_MS = 50
"""How long a key may keep everything else waiting."""
TRIES = 8


def session_on(name: str, ticked: tuple[str, ...] = ()) -> Session:
    """What a user of a recorded machine brings along to Choose."""
    machine = seen(name)
    return Session(machine=machine, applications=ticked or found_applications(machine))


@asynccontextmanager
async def choose(name: str, size: tuple[int, int]) -> AsyncIterator[Pilot[int]]:
    """Choose on a recorded machine."""
    app = SetupApp(SERVICES, session_on(name), "choose")
    async with app.run_test(size=size) as pilot:
        await reach(pilot, "choose")
        await resolved(pilot)
        yield pilot


async def go_to(pilot: Pilot[int], approach: str) -> None:
    """The list of roads, with the cursor on this one."""
    place = [each.id for each in load_approaches()].index(approach)
    await press(pilot, "o")
    await until(pilot, lambda: isinstance(pilot.app.screen, ApproachList))
    await press(pilot, *["down"] * place)


async def test_the_words_of_a_long_approach_leave_room_for_their_scroll_bar() -> None:
    async with choose(CLEAN, (80, 24)) as pilot:
        await go_to(pilot, "ubuntu-torch")
        await until(pilot, lambda: "python3-torch-rocm 2.9.1" in screen_text(pilot.app))
        words = pilot.app.screen.query_one("#words")
        await until(pilot, lambda: words.show_vertical_scrollbar)
        approach = pilot.app.screen.query_one("#approach", Static)
        lines = len(str(approach.content).splitlines())
        await until(pilot, lambda: approach.size.height == lines)


async def test_choose_looks_as_agreed(same_as_golden: Callable[[str, str], None]) -> None:
    async with choose(CLEAN, SIZES[0]) as pilot:
        for case, (name, ticked, keys) in CASES.items():
            await go(pilot, "choose", session_on(name, ticked))
            await resolved(pilot)
            for key in keys:
                await press(pilot, key)
                await resolved(pilot)
            await as_agreed(pilot, same_as_golden, f"choose-{case}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [CLEAN, THERE, "rx5600xt-noble-rocm62-miopen"])
async def test_who_says_that_52_works_and_who_contradicts_it_is_behind_e(
    name: str, size: tuple[int, int]
) -> None:
    machine = seen(name)
    rank = recommend(machine).rank("rocm52")
    keys = (str(rank), "e", *("right",) * len(recommend(machine).applications))
    async with choose(name, size) as pilot:
        await press(pilot, *keys)
        await until(pilot, lambda: "FOR IT: " in screen_text(pilot.app))
        told = words_on(pilot.app)
        assert "Evidence: rocm52, Large Conv2d" in told
        assert "DGdev91, merged by AUTOMATIC1111, 2023-06-05 (several users)" in told
        assert "although the default algorithms are said to hang above 42x42" in told


async def test_the_rest_of_the_claims_is_behind_one_more_key() -> None:
    async with choose(CLEAN, (80, 24)) as pilot:
        await press(pilot, "e", "right")
        await until(pilot, lambda: "; m shows the other" in screen_text(pilot.app))
        await press(pilot, "m")
        await until(pilot, lambda: "; m shows" not in screen_text(pilot.app))


async def test_the_aspect_that_was_read_last_is_marked_in_compare_afterwards() -> None:
    async with choose(CLEAN, (80, 24)) as pilot:
        await press(pilot, "c")
        await reach(pilot, "compare")
        await press(pilot, "e", "right", "escape")
        await reach(pilot, "compare")
        await until(pilot, lambda: "Large convolutions with native" in screen_text(pilot.app))


@pytest.mark.parametrize("size", SIZES)
async def test_a_road_of_ours_leads_back_to_its_stack(size: tuple[int, int]) -> None:
    async with choose(CLEAN, size) as pilot:
        await go_to(pilot, "rocm52-system-torch222")
        await until(pilot, lambda: "The author of the idea" in screen_text(pilot.app))
        await press(pilot, "enter")
        await reach(pilot, "choose")
        await until(pilot, lambda: "> rocm57" in screen_text(pilot.app))


async def test_the_pairing_of_the_notes_is_shown_as_a_contradiction_from_its_road() -> None:
    async with choose(CLEAN, (120, 40)) as pilot:
        await go_to(pilot, "rocm52-system-torch222")
        await press(pilot, "e")
        await until(pilot, lambda: isinstance(pilot.app.screen, Evidence))
        await until(pilot, lambda: "but ROCm 5.2 packages with torch" in screen_text(pilot.app))


async def test_the_keys_of_the_approaches_start_with_enter_where_all_keys_do() -> None:
    async with choose(CLEAN, (80, 24)) as pilot:
        await press(pilot, "o")
        await until(pilot, lambda: isinstance(pilot.app.screen, ApproachList))
        await until(pilot, lambda: "Select this stack" in screen_text(pilot.app))
        keys = screen_text(pilot.app).splitlines()[-1]
        assert keys.startswith(" Enter Select this stack e Evidence")
        assert keys.rstrip().endswith("Esc Close")


async def test_the_list_of_approaches_says_how_far_one_is_in_it() -> None:
    async with choose(CLEAN, (120, 40)) as pilot:
        await go_to(pilot, "torch20-nightly")
        await until(pilot, lambda: f"3 of {len(load_approaches())} ─" in screen_text(pilot.app))


async def test_a_road_that_is_gone_cannot_be_taken() -> None:
    async with choose(CLEAN, (80, 24)) as pilot:
        await go_to(pilot, "torch20-nightly")
        await until(pilot, lambda: "pytorch.org deleted it" in screen_text(pilot.app))
        assert "enter" not in usable_keys(pilot.app)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, ApproachList)


@pytest.mark.parametrize("size", SIZES)
async def test_a_key_answers_at_once(size: tuple[int, int]) -> None:
    async with choose(CLEAN, size) as pilot:
        screen = pilot.app.screen
        for action in ("rank(1)", "rank(2)", "rank(3)", "footprint"):
            quickest = float("inf")
            for _ in range(TRIES):
                began = time.perf_counter()
                await pilot.app.run_action(action, screen)
                quickest = min(quickest, time.perf_counter() - began)
            assert quickest * 1000 < HELD_MS, action


async def test_reports_about_images_are_no_support_for_training() -> None:
    session = Session(machine=seen(CLEAN), applications=("small-cnn",), stack="native")
    async with SetupApp(SERVICES, session, "choose").run_test(size=(120, 40)) as pilot:
        await reach(pilot, "choose")
        await resolved(pilot)
        why = str(pilot.app.screen.query_one("#reasons", Static).content)
        own, other = why.split("About another use")
        assert "ComfyUI" not in own
        assert "ComfyUI" in other
        await press(pilot, "e", "m")
        await resolved(pilot)
        lines = str(pilot.app.screen.query_one("#evidence", Static).content).splitlines()
        assert "ABOUT ANOTHER USE: 3" in lines
