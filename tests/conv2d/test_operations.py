"""Operations beside convolutions: the data, and each one's failure named while the others go on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assets import conv2d_worker
from tests.conv2d.sweeping import environ, events_of, of_type, results_of, sweep_of
from wizard.conv2d.shapes import Row, load_operations, operation_rows
from wizard.conv2d.sweep import Phase, Sweep
from wizard.conv2d.verdicts import Result, Verdict, result_json
from wizard.core.json_form import to_json, typed
from wizard.report.conv2d import sweep_lines

ALL = load_operations()
KINDS = tuple(dict.fromkeys(each.kind for each in ALL if each.kind != "train"))
EXPECTED = {"hang": Verdict.HUNG, "wrong": Verdict.WRONG, "raise": Verdict.ERROR}


pytestmark = pytest.mark.usefixtures("nothing_is_left_running")


def sweep_over(python: str, *names: str, device: str = "cpu", spawn: bool = False) -> Sweep:
    """A sweep over these operations, or over all, in sizes for a torch in plain Python."""
    sweep = sweep_of(python, device=device, spawn=spawn)
    return replace(sweep, rows=tuple(map(shrunk, operation_rows(names))), warm_runs=1)


def shrunk(row: Row) -> Row:
    """The same operation with no size above eight."""
    if row.operation is None:
        return row
    sizes = tuple((name, tuple(min(n, 8) for n in size)) for name, size in row.operation.sizes)
    return replace(row, operation=replace(row.operation, sizes=sizes))


def test_every_operation_of_the_notes_is_there_with_its_source() -> None:
    assert {each.kind for each in ALL} == {
        "copy", "add", "matmul", "linear", "batch_norm", "max_pool", "avg_pool", "relu",
        "encoder", "causal", "decoder", "rnn", "lstm", "gru", "conv2d", "train",
    }  # fmt: skip
    assert len({each.id for each in ALL}) == len({each.title for each in ALL}) == len(ALL)
    for each in ALL:
        assert each.said
        assert each.setup
        assert each.source
        assert each.claim in ("works", "likely", "fails", "hangs")
        assert len(each.title) < 70


def test_the_worker_knows_every_kind_and_no_other() -> None:
    assert set(conv2d_worker.OPERATIONS) == set(KINDS)


@pytest.mark.parametrize("spawn", [False, True], ids=["fork", "spawn"])
async def test_every_operation_is_measured_and_right(
    worker_python: str, tmp_path: Path, spawn: bool
) -> None:
    names = ("add", "lstm", "training-step", "batch-norm-backward") if spawn else ()
    results = results_of(await events_of(sweep_over(worker_python, *names, spawn=spawn), tmp_path))

    assert [result.verdict for result in results] == [Verdict.PASS] * (len(names) or len(ALL))
    for result in results:
        assert result.warm_s is not None
        assert result.max_abs_error is not None
        assert result.tolerance is not None
        assert result.max_abs_error <= result.tolerance


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("fault", EXPECTED)
async def test_the_failure_of_one_operation_names_it_and_the_rest_go_on(
    worker_python: str, tmp_path: Path, fault: str, half: int
) -> None:
    faulty = KINDS[half::2]
    variables = environ(operations=dict.fromkeys(faulty, fault))
    sweep = sweep_over(worker_python, *(each.id for each in ALL if each.kind != "train"))
    results = results_of(await events_of(sweep, tmp_path, variables))

    assert {result.work: result.verdict for result in results} == {
        each.id: EXPECTED[fault] if each.kind in faulty else Verdict.PASS
        for each in ALL
        if each.kind != "train"
    }


@pytest.mark.parametrize("fault", EXPECTED)
async def test_the_backward_pass_of_batch_norm_fails_where_the_forward_pass_is_right(
    worker_python: str, tmp_path: Path, fault: str
) -> None:
    sweep = sweep_over(worker_python, "batch-norm", "batch-norm-backward", "lstm", device="cuda")
    variables = environ(operations={"batch_norm": f"backward {fault}"}, hip="6.2")
    events = await events_of(sweep, tmp_path, variables)
    results = results_of(events)

    assert [result.verdict for result in results] == [
        Verdict.PASS, EXPECTED[fault], Verdict.PASS,
    ]  # fmt: skip
    assert results[1].operation == "BatchNorm2d 16 @32x32, backward"
    assert [event.name for event in of_type(events, Phase)].count("backward") == 1
    assert {result.engine for result in results} == {"torch"}


async def test_the_training_step_is_that_of_a_convolution(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ({32: "backward hang"})
    sweep = sweep_over(worker_python, "add", "training-step", "relu")
    results = results_of(await events_of(sweep, tmp_path, variables))

    assert [result.verdict for result in results] == [Verdict.PASS, Verdict.HUNG, Verdict.PASS]
    assert (results[1].work, results[1].operation) == ("train", None)
    assert (results[1].phase, results[1].shape.c_in) == ("backward", 16)


async def test_an_operation_has_no_shape_and_its_own_name_in_table_and_json(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = sweep_over(worker_python, "matmul-100", "max-pool")
    variables = environ(operations={"max_pool": "wrong"})
    results = results_of(await events_of(sweep, tmp_path, variables))

    forms = [result_json(result) for result in results]
    assert [form["shape"] for form in forms] == [None, None]
    assert [form["label"] for form in forms] == ["matmul 100x100", "MaxPool2d 2 @32x32"]
    assert [form["work"] for form in forms] == ["matmul-100", "max-pool"]
    text = "\n".join(sweep_lines(results))
    assert text.startswith("Operation ")
    assert "2 operations: 1 right, 1 wrong, 0 hung, on cpu" in text
    assert max(map(len, text.splitlines())) < 80


async def test_what_only_selects_numbers_must_be_exact(worker_python: str, tmp_path: Path) -> None:
    exact = ("copy", "add", "relu", "max-pool")
    results = results_of(await events_of(sweep_over(worker_python, *exact), tmp_path))

    assert [(each.max_abs_error, each.tolerance) for each in results] == [(0.0, 0.0)] * 4


def test_longer_chains_of_sums_are_allowed_more() -> None:
    allowed = {each.id: each.relative_tolerance for each in ALL}
    assert allowed["matmul-10"] < allowed["matmul-100"] < allowed["bert"] < allowed["bert-backward"]
    assert max(allowed.values()) < 0.01


def test_a_sweep_over_operations_comes_back_from_its_json_form() -> None:
    rows = (*operation_rows(), replace(operation_rows(["add"])[0], engine="native"))
    sweep = replace(sweep_of("python"), rows=rows)
    assert typed(json.loads(json.dumps(to_json(sweep))), Sweep) == sweep


def test_results_of_different_operations_are_told_apart() -> None:
    rows = operation_rows()
    assert len({(row.shape, row.work) for row in rows}) == len(rows)
    assert {Result.__dataclass_fields__["work"].default} == {"forward"}
