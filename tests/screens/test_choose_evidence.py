"""Choose over the real data, on recorded machines: what it shows, and who says so."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from screens.app import SetupApp
from screens.choose.evidence import Evidence
from screens.choose.roads_list import RoadsList
from screens.session import Session
from tests.machine.records import seen
from tests.screens.driving import (
    as_agreed,
    go,
    press,
    reach,
    screen_text,
    settled,
    status,
    until,
    usable_keys,
)
from tests.screens.fakes import LIVE_SERVICES
from wizard.advice.recommend import found_applications, recommend
from wizard.knowledge.applications import load_applications
from wizard.knowledge.claims import load_claims
from wizard.knowledge.roads import load_roads
from wizard.knowledge.stacks import load_stacks

SIZES = ((80, 24), (120, 40))
SERVICES = replace(
    LIVE_SERVICES,
    recommend=lambda machine, applications, preset: recommend(machine, applications, preset=preset),
    stacks=load_stacks,
    claims=load_claims,
    applications=load_applications,
    roads=load_roads,
)
CLEAN = "rx5700xt-jammy-clean"
THERE = "rx5600xt-noble-rocm57"
CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "clean": (CLEAN, ()),
    "clean-comfyui": (CLEAN, ("space",)),
    "clean-half": (CLEAN, ("a", "a", "a")),
    "clean-who": (CLEAN, ("2", "e")),
    "clean-who-small": (CLEAN, ("2", "a", "e")),
    "clean-causes": (CLEAN, ("2", "e", *("right",) * 3)),
    "torch-there": (THERE, ()),
    "torch-there-pair": (THERE, ("o", "down")),
    "no-card": ("no-amd-gpu", ()),
    "wsl": ("wsl-noble", ()),
}
HELD_MS = 50
"""How long a key may keep everything else waiting."""
TRIES = 8


def session_on(name: str) -> Session:
    """What a user of a recorded machine brings along to Choose."""
    return Session(machine=seen(name), applications=found_applications(seen(name)))


@asynccontextmanager
async def choose(name: str, size: tuple[int, int]) -> AsyncIterator[Pilot[int]]:
    """Choose on a recorded machine."""
    app = SetupApp(SERVICES, session_on(name), "choose")
    async with app.run_test(size=size) as pilot:
        await reach(pilot, "choose")
        await settled(pilot)
        yield pilot


async def go_to(pilot: Pilot[int], road: str) -> None:
    """The list of roads, with the cursor on this one."""
    place = [each.id for each in load_roads()].index(road)
    await press(pilot, "o")
    await until(pilot, lambda: isinstance(pilot.app.screen, RoadsList))
    await press(pilot, *["down"] * place)


async def test_choose_looks_as_agreed(same_as_golden: Callable[[str, str], None]) -> None:
    async with choose(CLEAN, SIZES[0]) as pilot:
        for case, (name, keys) in CASES.items():
            await go(pilot, "choose", session_on(name))
            await settled(pilot)
            for key in keys:
                await press(pilot, key)
                await settled(pilot)
            await as_agreed(pilot, same_as_golden, f"choose-{case}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [CLEAN, THERE, "rx5600xt-noble-rocm62-miopen"])
async def test_who_says_that_52_works_and_who_contradicts_it_takes_two_keys(
    name: str, size: tuple[int, int]
) -> None:
    machine = seen(name)
    rank = recommend(machine).rank("rocm52")
    keys = (str(rank), "e")
    async with choose(name, size) as pilot:
        await press(pilot, *keys)
        await until(pilot, lambda: "FOR IT: " in screen_text(pilot.app))
        told = " ".join(screen_text(pilot.app).split())
        assert "Who says so: rocm52, Large Conv2d" in told
        assert "DGdev91, merged by AUTOMATIC1111, 2023-06-05 (several users)" in told
        assert "although the default algorithms are said to hang above 42x42" in told


async def test_the_rest_of_the_claims_is_behind_one_more_key() -> None:
    async with choose(CLEAN, (80, 24)) as pilot:
        await press(pilot, "e")
        await until(pilot, lambda: "; m shows the other" in screen_text(pilot.app))
        await press(pilot, "m")
        await until(pilot, lambda: "; m shows" not in screen_text(pilot.app))


async def test_the_aspect_that_was_read_last_is_marked_afterwards() -> None:
    async with choose(CLEAN, (80, 24)) as pilot:
        await press(pilot, "e", "right", "escape")
        await reach(pilot, "choose")
        await until(pilot, lambda: "> Small Conv2d" in screen_text(pilot.app))


async def test_the_mark_goes_round_and_stays_where_another_stack_is_highlighted() -> None:
    async with choose(CLEAN, (80, 24)) as pilot:
        await press(pilot, "A", "A")
        await until(pilot, lambda: "> Undo" in screen_text(pilot.app))
        await press(pilot, "2")
        await until(pilot, lambda: "── 2 ROCM52" in screen_text(pilot.app))
        assert "> Undo" in screen_text(pilot.app)


async def test_a_rank_that_no_stack_has_does_nothing() -> None:
    async with choose(CLEAN, (80, 24)) as pilot:
        await press(pilot, "9")
        assert "> 1 native" in screen_text(pilot.app)


@pytest.mark.parametrize("size", SIZES)
async def test_a_road_of_ours_leads_back_to_its_stack(size: tuple[int, int]) -> None:
    async with choose(CLEAN, size) as pilot:
        await go_to(pilot, "rocm52-system-torch222")
        await until(pilot, lambda: "Disputed by its own author" in screen_text(pilot.app))
        await press(pilot, "enter")
        await reach(pilot, "choose")
        await until(pilot, lambda: "ROCM57" in screen_text(pilot.app))


async def test_the_pairing_of_the_notes_is_shown_as_a_contradiction_from_its_road() -> None:
    async with choose(CLEAN, (120, 40)) as pilot:
        await go_to(pilot, "rocm52-system-torch222")
        await press(pilot, "e")
        await until(pilot, lambda: isinstance(pilot.app.screen, Evidence))
        await until(pilot, lambda: "but ROCm 5.2 packages with torch" in screen_text(pilot.app))


async def test_a_road_that_is_gone_cannot_be_taken() -> None:
    async with choose(CLEAN, (80, 24)) as pilot:
        await go_to(pilot, "torch20-nightly")
        await until(pilot, lambda: "pytorch.org deleted it" in screen_text(pilot.app))
        assert "enter" not in usable_keys(pilot.app)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, RoadsList)


@pytest.mark.parametrize("size", SIZES)
async def test_a_key_answers_at_once(size: tuple[int, int]) -> None:
    async with choose(CLEAN, size) as pilot:
        screen = pilot.app.screen
        for action in ("move(1)", "mark(1)", "rank(1)", "tick", "footprint"):
            quickest = float("inf")
            for _ in range(TRIES):
                began = time.perf_counter()
                await pilot.app.run_action(action, screen)
                quickest = min(quickest, time.perf_counter() - began)
            assert quickest * 1000 < HELD_MS, action
        assert status(pilot.app)
