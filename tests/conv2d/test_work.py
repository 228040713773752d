"""Backward passes, training steps, and convolutions by unfolding: measured, checked, named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.sweeping import (
    end_of,
    environ,
    events_of,
    notes_of,
    of_type,
    results_of,
    small,
    sweep_of,
    verdicts_of,
)
from wizard.conv2d.journal import open_journal
from wizard.conv2d.shapes import NO_SHAPE, Row, Shape, find_preset, rows_of
from wizard.conv2d.sweep import Phase, Sweep
from wizard.conv2d.verdicts import Loaded, Result, Verdict, result_json

PASS, HUNG, WRONG = Verdict.PASS, Verdict.HUNG, Verdict.WRONG
WORKS = ("backward", "train")


pytestmark = pytest.mark.usefixtures("nothing_is_left_running")


def working(python: str, work: str, *c_outs: int, device: str = "cpu") -> Sweep:
    """A sweep over small shapes, with that work."""
    sweep = sweep_of(python, *c_outs, device=device)
    return replace(sweep, rows=rows_of(sweep.rows, (work,)))


@pytest.mark.parametrize("spawn", [False, True], ids=["fork", "spawn"])
async def test_each_work_of_each_shape_is_measured_and_right(
    worker_python: str, tmp_path: Path, spawn: bool
) -> None:
    sweep = sweep_of(worker_python, spawn=spawn)
    shapes = (small(3).shape, Shape(4, 4, 6, 6, groups=2, bias=True, n=2, dtype="float64"))
    rows = rows_of([Row(shape) for shape in shapes], ("forward", "backward", "train"))
    results = results_of(await events_of(replace(sweep, rows=rows), tmp_path))

    assert [result.work for result in results] == ["forward", "backward", "train"] * 2
    assert {result.verdict for result in results} == {PASS}
    for result in results:
        assert result.max_abs_error is not None
        assert result.tolerance is not None
        assert result.max_abs_error <= result.tolerance
        assert result.warm_s is not None


@pytest.mark.parametrize(
    ("work", "phases"),
    [
        ("backward", ["tensors", "cold", "backward", "warm", "copy back", "compare"]),
        ("train", ["tensors", "cold", "backward", "step", "warm", "copy back", "compare"]),
    ],
)
async def test_the_backward_pass_and_the_step_are_phases_of_their_own(
    worker_python: str, tmp_path: Path, work: str, phases: list[str]
) -> None:
    events = await events_of(working(worker_python, work, 3), tmp_path)

    assert [event.name for event in of_type(events, Phase)] == phases


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("work", WORKS)
async def test_a_backward_pass_that_hangs_is_told_from_a_forward_pass(
    worker_python: str, tmp_path: Path, work: str, device: str
) -> None:
    variables = environ({4: "backward hang"}, hip="5.2")
    sweep = working(worker_python, work, 3, 4, 5, device=device)
    events = await events_of(sweep, tmp_path, variables)

    assert verdicts_of(events) == [PASS, HUNG, PASS]
    hung = results_of(events)[1]
    assert (hung.phase, hung.work) == ("backward", work)
    assert "in its first backward pass, after the forward pass worked" in hung.detail


@pytest.mark.parametrize(
    ("work", "part"), [("backward", "input gradient"), ("train", "new weight")]
)
async def test_a_wrong_gradient_is_wrong_and_named(
    worker_python: str, tmp_path: Path, work: str, part: str
) -> None:
    variables = environ({4: "backward wrong", 5: "backward nan"})
    results = results_of(
        await events_of(working(worker_python, work, 3, 4, 5), tmp_path, variables)
    )

    assert [result.verdict for result in results] == [PASS, WRONG, WRONG]
    assert [result.part for result in results[1:]] == [part, part]
    assert f"the {part} differs from the float64 reference by" in results[1].detail
    assert f"1 number in the {part} is infinite or not a number" in results[2].detail


async def test_an_error_of_a_backward_pass_costs_only_its_shape(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ({4: "backward raise"})
    events = await events_of(working(worker_python, "backward", 3, 4, 5), tmp_path, variables)

    assert verdicts_of(events) == [PASS, Verdict.ERROR, PASS]
    detail = results_of(events)[1].detail
    assert detail.startswith("RuntimeError: HIP error: invalid device function")


@pytest.mark.parametrize("work", ["forward", *WORKS])
async def test_unfolding_goes_past_the_convolution_that_hangs(
    worker_python: str, tmp_path: Path, work: str
) -> None:
    grouped = Shape(4, 6, 7, 9, kernel=3, padding=2, n=2, stride=2, dilation=2, groups=2, bias=True)
    rows = (Row(replace(grouped, bias=False)), small(4), small(5))
    unfolded = tuple(replace(row, engine="unfold") for row in rows)
    sweep = replace(sweep_of(worker_python), rows=rows_of((small(4), *unfolded), (work,)))
    events = await events_of(sweep, tmp_path, environ({4: "hang", 6: "hang", 5: "hang"}))

    assert verdicts_of(events) == [HUNG, PASS, PASS, PASS]
    assert {result.engine for result in results_of(events)[1:]} == {"unfold"}
    assert len(notes_of(events)) == 2  # that forking was suspected, and cleared


@pytest.mark.parametrize("fault", ["hang", "wrong", "raise"])
async def test_unfolding_has_faults_of_its_own(
    worker_python: str, tmp_path: Path, fault: str
) -> None:
    rows = (small(3), replace(small(3), engine="unfold"), small(3))
    sweep = replace(sweep_of(worker_python), rows=rows)
    events = await events_of(sweep, tmp_path, environ(operations={"unfold": fault}))

    expected = {"hang": HUNG, "wrong": WRONG, "raise": Verdict.ERROR}[fault]
    assert verdicts_of(events) == [PASS, expected, PASS]


async def test_the_work_stands_in_the_journal_the_json_and_the_label(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = working(worker_python, "backward", 3, 4)
    variables = environ({4: "backward wrong"})
    done = end_of(await events_of(sweep, tmp_path, variables))
    lines = (tmp_path / "journal.jsonl").read_bytes().splitlines()[:-1]  # all but "finished"
    (tmp_path / "again.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    journal = open_journal(tmp_path / "again.jsonl", resume=True)
    journal.close()

    assert tuple(journal.results.values()) == done.results
    assert [result.label for result in done.results] == [
        "2->3 3x3 @4x4, backward", "2->4 3x3 @4x4, backward",
    ]  # fmt: skip
    forms = [result_json(result) for result in done.results]
    assert [form["work"] for form in forms] == ["backward", "backward"]
    assert forms[1]["part"] == "input gradient"
    assert forms[1]["label"] == "2->4 3x3 @4x4, backward"
    assert forms[1]["shape"]["label"] == "2->4 3x3 @4x4"


def test_a_result_of_an_older_journal_was_a_forward_pass() -> None:
    result = Result(NO_SHAPE, "miopen", PASS, "", 1, Loaded())
    assert (result.work, result.operation, result.label) == ("forward", None, NO_SHAPE.label)


def test_what_was_published_was_published_for_forward_passes() -> None:
    preset = find_preset("notes003")
    assert preset is not None
    rows = rows_of(preset.rows, ("forward", "backward"))
    assert [row.published is not None for row in rows] == [True, False] * len(preset.rows)


def test_a_shape_too_small_for_batch_norm_is_not_trained() -> None:
    tiny = Row(Shape(2, 2, 3, 5))
    assert rows_of([tiny], ("forward", "backward"))
    with pytest.raises(
        ValueError, match=r"batch norm needs at least 16 numbers in each channel, .* 15"
    ):
        rows_of([tiny], ("train",))
