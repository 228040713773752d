"""A shape launched several times: how often it failed, and how much that says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.sweeping import environ, events_of, results_of, sweep_of
from tests.conv2d.test_command import Home, measured
from wizard.conv2d.shapes import square
from wizard.conv2d.sweep import ShapeDone
from wizard.conv2d.text import line_of
from wizard.conv2d.verdicts import Loaded, Result, Verdict, rate_words, together
from wizard.report.conv2d import sweep_lines

PASS = Result(square(16, 32, 64), "miopen", Verdict.PASS, "", 1, Loaded(), cold_s=1.0, warm_s=0.1)
WRONG = replace(PASS, verdict=Verdict.WRONG, detail="off", failed=1, max_abs_error=0.5)
HUNG = replace(
    PASS, verdict=Verdict.HUNG, detail="no answer", failed=1, cold_s=None, warm_s=None, phase="cold"
)


async def test_what_hangs_one_time_in_three_is_flaky(worker_python: str, tmp_path: Path) -> None:
    sweep = replace(sweep_of(worker_python, 3, 4, 5), repeats=3, warm_runs=0)
    variables = environ({4: "hang one time in three", 5: "hang"})
    variables["FAKE_TORCH_CALLS"] = str(tmp_path / "calls")
    right, flaky, hung = results_of(await events_of(sweep, tmp_path, variables))

    assert (right.verdict, right.failed, right.runs) == (Verdict.PASS, 0, 3)
    assert right.rate == "0 of 3 hung; up to 63 % of tries may still fail (95 % sure)"
    assert (flaky.verdict, flaky.failed, flaky.runs) == (Verdict.FLAKY, 1, 3)
    assert flaky.rate == "1 of 3 hung"
    assert flaky.detail.startswith("hung: no answer within 30 s in its first call")
    assert (hung.verdict, hung.failed, hung.runs) == (Verdict.HUNG, 3, 3)
    assert hung.rate == "3 of 3 hung, so at least 37 % of tries fail (95 % sure)"
    assert hung.detail.startswith("no answer within 30 s")
    assert line_of(ShapeDone(2, 3, flaky)).startswith("2/3   flaky: 1 of 3 hung. hung: no answer")


@pytest.mark.parametrize(
    ("failed", "runs", "words"),
    [
        (0, 1, "0 of 1 failed; up to 95 % of tries may still fail (95 % sure)"),
        (0, 3, "0 of 3 failed; up to 63 % of tries may still fail (95 % sure)"),
        (0, 59, "0 of 59 failed; up to 5 % of tries may still fail (95 % sure)"),
        (1, 3, "1 of 3 failed"),
        (3, 3, "3 of 3 failed, so at least 37 % of tries fail (95 % sure)"),
    ],
)
def test_so_many_launches_say_so_much_of_the_rate(failed: int, runs: int, words: str) -> None:
    assert rate_words(failed, runs) == words


def test_a_flaky_shape_keeps_the_figures_of_the_launches_that_were_right() -> None:
    flaky = together([PASS, WRONG, HUNG, replace(PASS, cold_s=3.0)])
    assert (flaky.verdict, flaky.failed, flaky.runs) == (Verdict.FLAKY, 2, 4)
    assert (flaky.cold_s, flaky.phase) == (1.0, "cold")
    assert flaky.rate == "2 of 4 failed (1 wrong, 1 hung)"
    assert flaky.detail == "hung: no answer"


def test_what_fails_in_two_ways_has_the_graver_verdict() -> None:
    both = together([WRONG, HUNG])
    assert (both.verdict, both.failed) == (Verdict.HUNG, 2)
    assert together([WRONG]) == WRONG


def test_a_report_tells_flaky_from_hung_and_what_it_means() -> None:
    told = "\n".join(sweep_lines([together([PASS, PASS, HUNG]), together([PASS, PASS, PASS])]))
    assert "flaky (1 of 3)" in told
    flat = " ".join(told.split())
    assert "2 shapes: 1 right, 0 wrong, 1 flaky, 0 hung" in flat
    assert "Flaky: right in some launches but not in others." in flat
    assert "Repeats: for each shape that is right, 0 of 3 hung; up to 63 %" in flat
    assert max(map(len, told.splitlines())) < 80


def test_the_command_repeats_each_shape(tmp_path: Path, worker_python: str) -> None:
    code, output, errors = measured(Home(tmp_path), worker_python, "--repeats", "2")
    assert code == 0
    assert errors.count("1/4 1->3 3x3 @4x4 (deadline") == 2
    assert "0 of 2 hung; up to 78 % of tries may still fail (95 % sure)" in " ".join(output.split())


def test_no_repeats_cannot_be_meant(tmp_path: Path, worker_python: str) -> None:
    code, _, errors = measured(Home(tmp_path), worker_python, "--repeats", "0")
    assert code == 2
    assert "--repeats must be a number from 1 to 1000" in errors
