"""The headless command: --work, --engine unfold and --operations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conv2d.sweeping import environ
from tests.conv2d.test_command import Home
from wizard.__main__ import main
from wizard.conv2d.shapes import load_operations

SMALL = ("--sizes", "4", "--channels", "1-3,1-4")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_each_shape_is_measured_with_each_work(home: Home, worker_python: str) -> None:
    arguments = ("--python", worker_python, "--device", "cpu", "--json", *SMALL)
    code, output, errors = home.run(*arguments, "--work", "forward,backward,train")

    results = json.loads(output)["results"]
    assert code == 0, errors
    assert [(each["shape"]["c_out"], each["work"]) for each in results] == [
        (c_out, work) for c_out in (3, 4) for work in ("forward", "backward", "train")
    ]
    assert "2/6 1->3 3x3 @4x4, backward (deadline" in errors


def test_the_table_names_the_work_and_the_engine_is_unfolding(
    home: Home, worker_python: str
) -> None:
    faults = environ({4: "hang"}, operations={"matmul": "backward wrong"})["FAKE_TORCH"]
    code, output, _ = home.run(
        *("--python", worker_python, "--device", "cpu", *SMALL),
        *("--work", "forward,backward", "--engine", "unfold"),
        FAKE_TORCH=faults,
    )

    rows = output.split("\n\n")[0].splitlines()[1:]
    assert code == 1
    assert [row.split("  ")[0].strip() for row in rows] == [
        "1->3 3x3 @4x4", "1->3 3x3 @4x4, backward", "1->4 3x3 @4x4", "1->4 3x3 @4x4, backward",
    ]  # fmt: skip
    assert ["wrong" in row for row in rows] == [False, True, False, True]
    assert "processor is the" in " ".join(output.split())


def test_operations_are_measured_and_a_failure_is_named(home: Home, worker_python: str) -> None:
    faults = environ(operations={"relu": "wrong"})["FAKE_TORCH"]
    code, output, errors = home.run(
        *("--python", worker_python, "--device", "cpu", "--json"),
        *("--operations", "add,relu,gru"),
        FAKE_TORCH=faults,
    )

    results = json.loads(output)["results"]
    assert code == 1
    assert [(each["work"], each["verdict"]) for each in results] == [
        ("add", "pass"), ("relu", "wrong"), ("gru", "pass"),
    ]  # fmt: skip
    assert "2/3   wrong: the result differs from the float64 reference by 0.1" in errors


def test_a_dry_run_lists_every_operation_and_starts_nothing(home: Home) -> None:
    code, output, _ = home.run("--dry-run", "--python", "/nowhere/python", "--operations")

    assert code == 0
    for each in load_operations():
        assert each.title in output or each.kind == "train"
    assert "16->32 3x3 @32x32 batch 4, train" in output
    row = next(line for line in output.splitlines() if line.strip().startswith("Conv2d 3->16"))
    assert "published: hung" in row
    assert list(home.folder.iterdir()) == []


def test_a_dry_run_as_json_lists_them_too(home: Home) -> None:
    arguments = ("--dry-run", "--json", "--python", "/nowhere/python")
    _, output, _ = home.run(*arguments, "--operations", "lstm,linear")
    assert json.loads(output)["shapes"] == ["LSTM 128->128, 32 steps, batch 8", "Linear 128->64"]
    _, output, _ = home.run(*arguments, *SMALL, "--work", "train")
    assert json.loads(output)["shapes"] == ["1->3 3x3 @4x4, train", "1->4 3x3 @4x4, train"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--work", "sideways"), "write one or more of forward,backward,train"),
        (("--work", "train,train"), "write one or more of"),
        (("--work", ""), "write one or more of"),
        (
            ("--sizes", "3", "--work", "train"),
            "batch norm needs at least 16 numbers in each channel",
        ),
        (("--operations", "lstm,nonsense"), "no operation 'nonsense'. Known: copy, add"),
        (("--operations", "--sizes", "32"), "cannot be combined with --preset, --sizes"),
        (("--operations", "--engine", "unfold"), "or --engine unfold"),
        (("--operations", "--compare-settings"), "--compare-settings, --work"),
        (("--operations", "--work", "train"), "--engine unfold"),
        (
            ("--find-limit", "size", "--hangs", "1", "--work", "forward,train"),
            "only one kind of --work",
        ),
        (
            ("--find-limit", "size", "--hangs", "1", "--work", "train"),
            "batch norm needs at least 16",
        ),
    ],
)
def test_what_cannot_be_meant_is_exit_two(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    code = main(["conv2d", "--python", "/nowhere/python", *arguments])

    output, errors = capsys.readouterr()
    assert (code, output) == (2, "")
    assert words in errors


def test_the_limit_of_a_backward_pass_is_found(home: Home, worker_python: str) -> None:
    faults = environ(limits={"any": 6})["FAKE_TORCH"]
    code, output, errors = home.run(
        *("--python", worker_python, "--device", "cpu", "--channels", "2-3", "--json"),
        *("--find-limit", "size", "--range", "4-8", "--hangs", "2", "--deadline", "1"),
        *("--work", "backward"),
        FAKE_TORCH=faults,
    )

    document = json.loads(output)
    assert document["limit"]["known"]["passes"] == 6, errors
    assert {result["work"] for result in document["results"]} == {"backward"}
    assert code == 1


def test_a_setting_is_found_for_a_backward_pass(home: Home, worker_python: str) -> None:
    helps = {"helps": [["MIOPEN_DEBUG_CONV_GEMM=0"]], "blames": ["GEMM"]}
    code, output, errors = home.run(
        *("--python", worker_python, "--device", "cpu", "--channels", "2-3", "--sizes", "4"),
        *("--find-setting", "--work", "backward", "--hangs", "3", "--deadline", "1", "--json"),
        **environ(miopen=helps),
    )

    document = json.loads(output)
    assert document["setting"]["changes"] == {"MIOPEN_DEBUG_CONV_GEMM": "0"}, errors
    assert document["setting"]["passes"] == document["setting"]["repeats"] == 3
    works = {(result["work"], result["shape"]["h"]) for result in document["results"]}
    assert ("backward", 4) in works
    assert ("forward", 4) not in works
    assert code == 0
