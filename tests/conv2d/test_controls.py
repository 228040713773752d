"""A shape known to be good, measured after one that failed, tells a suspect from a broken world."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.sweeping import (
    end_of,
    environ,
    events_of,
    of_type,
    results_of,
    sweep_of,
    verdicts_of,
)
from tests.conv2d.test_find_limit import SHAPE, found, request
from wizard.conv2d.shapes import Row, square
from wizard.conv2d.sweep import Phase, ShapeDone
from wizard.conv2d.text import line_of
from wizard.conv2d.verdicts import Control, Loaded, Result, Verdict
from wizard.conv2d.worker.judgement import control_for, control_words

PASS, HUNG, UNUSABLE = Verdict.PASS, Verdict.HUNG, Verdict.UNUSABLE
GOOD = Control("2->3 3x3 @4x4", PASS, "")


@pytest.mark.parametrize("fault", ["hang", "crash", "wrong", "raise"])
async def test_after_a_failure_the_smallest_shape_that_was_right_is_measured_again(
    worker_python: str, tmp_path: Path, fault: str
) -> None:
    sweep = sweep_of(worker_python, 7, 3, 4, 5)
    events = await events_of(sweep, tmp_path, environ({4: fault}))

    results = results_of(events)
    assert [result.control for result in results] == [None, None, GOOD, None]
    assert Phase(3, "control") in events
    said = line_of(of_type(events, ShapeDone)[2])
    assert said.endswith("Control: 2->3 3x3 @4x4 was right both before and after it")
    journal = (tmp_path / "journal.jsonl").read_text().splitlines()
    assert {"control": 1, "after": 2} in map(json.loads, journal)


async def test_what_is_no_fault_of_the_shape_and_what_nothing_preceded_has_none(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = sweep_of(worker_python, 3, 4, 5)
    events = await events_of(sweep, tmp_path, environ({3: "wrong", 5: "out of memory"}))

    assert verdicts_of(events) == [Verdict.WRONG, PASS, Verdict.OUT_OF_MEMORY]
    assert [result.control for result in results_of(events)] == [None] * 3


async def test_where_the_control_fails_too_nothing_more_is_measured(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ({3: "right only once", 4: "hang"})
    sweep = replace(sweep_of(worker_python, 3, 4, 5, 6), warm_runs=0)
    variables["FAKE_TORCH_CALLS"] = str(tmp_path / "calls")
    events = await events_of(sweep, tmp_path, variables)

    done = end_of(events)
    assert [result.verdict for result in done.results] == [PASS, HUNG, UNUSABLE, UNUSABLE]
    control = done.results[1].control
    assert control is not None
    assert (control.label, control.verdict) == ("2->3 3x3 @4x4", Verdict.WRONG)
    assert control_words(done.results[1]).endswith(
        "was right before it; afterwards, its verdict was wrong"
    )
    assert done.trouble is not None
    assert (
        "gave the right result earlier in this run. After 2->4 3x3 @4x4, it did not"
        in done.trouble.happened
    )


async def test_a_control_without_a_reference_says_nothing(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ({4: "hang"}, reference="right only once")
    variables["FAKE_TORCH_CALLS"] = str(tmp_path / "calls")
    events = await events_of(sweep_of(worker_python, 3, 4, 5), tmp_path, variables)

    assert verdicts_of(events) == [PASS, HUNG, Verdict.ERROR]
    assert results_of(events)[1].control is None
    assert "no memory for the reference" in results_of(events)[2].detail


async def test_a_sweep_with_an_interpreter_for_each_shape_saves_the_control(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = sweep_of(worker_python, 3, 4, spawn=True)
    events = await events_of(sweep, tmp_path, environ({4: "wrong"}))

    assert [result.control for result in results_of(events)] == [None, None]


@pytest.mark.parametrize("spawn", [False, True], ids=["fork", "spawn"])
async def test_a_search_has_a_control_for_each_hang(
    worker_python: str, tmp_path: Path, spawn: bool
) -> None:
    asked = request(worker_python, SHAPE, largest=32, hangs=1)
    asked = replace(asked, repeats=1, sweep=replace(asked.sweep, spawn=spawn))
    _, results = await found(asked, tmp_path, environ(limits={"any": 29}))

    (hung,) = [result for result in results if result.verdict is HUNG]
    assert hung.control == Control("16->2 3x3 @28x28", PASS, "")


async def test_a_search_learns_nothing_from_a_failure_whose_control_failed(
    worker_python: str, tmp_path: Path
) -> None:
    asked = request(worker_python, SHAPE, largest=32, hangs=1)
    asked = replace(asked, sweep=replace(asked.sweep, warm_runs=0))
    variables = environ({2: "right only once"}) | {"FAKE_TORCH_CALLS": str(tmp_path / "calls")}
    limit, results = await found(asked, tmp_path, variables)

    assert [result.verdict for result in results] == [PASS, Verdict.WRONG]
    assert (limit.known.passes, limit.known.hangs) == (28, 33)


def test_a_control_is_small_and_measured_in_the_same_way() -> None:
    setting = (("MIOPEN_FIND_MODE", "2"),)
    rows = (
        Row(square(16, 32, 64)),
        Row(square(16, 32, 32)),
        Row(square(3, 8, 8), engine="native"),
        Row(square(3, 8, 8), setting=setting),
        Row(square(16, 32, 44)),
        Row(square(16, 32, 44), setting=setting),
    )
    verdicts = (PASS, Verdict.SLOW, PASS, PASS, HUNG, Verdict.WRONG)
    results = {
        place: Result(row.shape, "miopen", verdict, "", 1, Loaded())
        for place, (row, verdict) in enumerate(zip(rows, verdicts, strict=True))
    }
    assert control_for(4, rows, results) == 1
    assert control_for(5, rows, results) == 3
    assert control_for(0, rows, results) is None


def test_a_suspect_is_not_its_own_control() -> None:
    rows = (Row(square(16, 32, 64)), Row(square(16, 32, 64)))
    results = {
        place: Result(row.shape, "miopen", verdict, "", 1, Loaded())
        for place, (row, verdict) in enumerate(zip(rows, (PASS, HUNG), strict=True))
    }
    assert control_for(1, rows, results) is None
