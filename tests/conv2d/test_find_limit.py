"""The limit of size on an emulated card, with the limits that others have published."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.clock import deadlines_pass_when_told
from tests.conv2d.sweeping import PATIENT, environ, sweep_of
from wizard.conv2d.search.find_limit import LimitRequest, find_limit
from wizard.conv2d.search.limit import Limit
from wizard.conv2d.shapes import Row, Shape
from wizard.conv2d.sweep import ShapeDone, SweepDone
from wizard.conv2d.verdicts import Result, Verdict

SHAPE = Shape(16, 2, 8, 8)


def request(python: str, shape: Shape, *, largest: int = 72, hangs: int = 3) -> LimitRequest:
    sweep = replace(sweep_of(python), rows=(Row(shape),), deadlines=PATIENT, warm_runs=1)
    return LimitRequest(sweep, "size", 28, largest, hangs)


async def found(
    asked: LimitRequest, folder: Path, variables: dict[str, str]
) -> tuple[Limit, tuple[Result, ...]]:
    with deadlines_pass_when_told() as fifo:
        variables = {**variables, "FAKE_TORCH_HANGS": fifo}
        events = find_limit(asked, journal=folder / "journal", environ=variables)
        async with aclosing(events):
            done = [event async for event in events][-1]
    assert isinstance(done, SweepDone)
    assert done.limit is not None
    return done.limit, done.results


@pytest.mark.parametrize(
    ("limits", "c_in", "largest"),
    [
        ({"any": 42}, 15, 42),
        ({"any": 42}, 16, 42),
        ({"power of two": 32}, 16, 32),
        ({"16": 48, "32": 64}, 16, 48),
        ({"16": 48, "32": 64}, 32, 64),
    ],
)
async def test_the_limits_that_were_published_are_found_exactly(
    worker_python: str, tmp_path: Path, limits: dict[str, int], c_in: int, largest: int
) -> None:
    asked = request(worker_python, replace(SHAPE, c_in=c_in))
    limit, results = await found(asked, tmp_path, environ(limits=limits))
    assert (limit.known.is_exact, limit.known.passes) == (True, largest)
    assert (limit.edge_passes, limit.edge_runs) == (3, 3)
    hung = [result for result in results if result.verdict is Verdict.HUNG]
    assert 1 <= len(hung) <= 3


async def test_where_nothing_hangs_nothing_is_spent(worker_python: str, tmp_path: Path) -> None:
    asked = request(worker_python, SHAPE, largest=36)
    limit, _ = await found(asked, tmp_path, environ())
    assert (limit.known.passes, limit.known.hangs, limit.known.budget) == (36, 37, 3)


async def test_where_the_smallest_hangs_that_is_said(worker_python: str, tmp_path: Path) -> None:
    asked = request(worker_python, SHAPE, hangs=1)
    limit, results = await found(asked, tmp_path, environ(limits={"any": 3}))
    assert (limit.known.is_exact, limit.known.passes, limit.edge_runs) == (True, 27, 0)
    assert len(results) == 1


async def test_a_search_that_was_ended_goes_on_from_its_journal(
    worker_python: str, tmp_path: Path
) -> None:
    asked, variables = request(worker_python, SHAPE), environ(limits={"any": 70})
    before = []
    async with aclosing(
        find_limit(asked, journal=tmp_path / "journal", environ=variables)
    ) as events:
        async for event in events:
            if isinstance(event, ShapeDone):
                before.append(event.result.shape)
                if len(before) == 3:
                    break
    measured = len((tmp_path / "journal").read_text().split('"launch"')) - 1
    limit, results = await found(asked, tmp_path, variables)
    assert limit.known.passes == 70
    assert [result.shape for result in results[:3]] == before
    launches = len((tmp_path / "journal").read_text().split('"launch"')) - 1
    assert launches - measured == len(results) - 3 + sum(result.runs - 1 for result in results)


def test_each_axis_grows_its_own_fields() -> None:
    asked = request("python3", SHAPE)
    grown = {
        axis: replace(asked, axis=axis).row_at(5).shape
        for axis in ("size", "height", "width", "channels-in", "channels-out", "kernel", "batch")
    }
    assert {axis: shape.label for axis, shape in grown.items()} == {
        "size": "16->2 3x3 @5x5",
        "height": "16->2 3x3 @5x8",
        "width": "16->2 3x3 @8x5",
        "channels-in": "5->2 3x3 @8x8",
        "channels-out": "16->5 3x3 @8x8",
        "kernel": "16->2 5x5 @8x8",
        "batch": "16->2 3x3 @8x8 batch 5",
    }


@pytest.mark.parametrize("limits", [{}, {"any": 200}], ids=("all pass", "some do not"))
async def test_on_the_processor_a_few_of_256_sizes_are_measured(
    worker_python: str, tmp_path: Path, limits: dict[str, int]
) -> None:
    asked = replace(request(worker_python, replace(SHAPE, c_in=1), largest=256), smallest=1)
    limit, results = await found(asked, tmp_path, environ(limits=limits))
    assert (limit.known.is_exact, limit.known.passes) == (True, limits.get("any", 256))
    assert len(results) <= 15


async def test_on_a_card_it_comes_near_from_below_so_that_one_hang_is_spent(
    worker_python: str, tmp_path: Path
) -> None:
    asked = replace(request(worker_python, SHAPE, largest=40), smallest=28)
    asked = replace(asked, sweep=replace(asked.sweep, device="cuda"))
    limit, results = await found(asked, tmp_path, environ(limits={"any": 32}, hip="5.7"))
    assert (limit.known.is_exact, limit.known.passes) == (True, 32)
    assert [result.shape.h for result in results[:6]] == [28, 29, 30, 31, 32, 33]
    assert limit.known.budget == asked.hangs - 1
