"""The stand-alone script: it comes back whatever the convolution does, and names nobody."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from assets import conv2d_repro
from tests.conv2d.made import CARD, made
from tests.conv2d.sweeping import FAKE_TORCH
from wizard.conv2d.layers import driver_lines, parse_line, shell_line
from wizard.conv2d.repro import NoRepro, repro_of_result, repro_text, row_of
from wizard.conv2d.shapes import DTYPE_BYTES, Row, Shape, operation_rows, square
from wizard.conv2d.verdicts import Verdict, tolerance

SHAPE = Shape(2, 4, 4, 5)
STANDARD = {"contextlib", "json", "math", "os", "platform", "signal", "statistics"}


def run(
    folder: Path, text: str, *options: str, python: str = sys.executable, **variables: str
) -> tuple[int, str]:
    """Exit code and output of a script in a home of its own."""
    path = folder / "repro.py"
    path.write_text(text)
    done = subprocess.run(
        (python, str(path), *options),
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(FAKE_TORCH), **variables},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout


def faulty(name: str) -> dict[str, str]:
    return {"FAKE_TORCH": json.dumps({"shapes": {"4": name}})}


def verdict_of(output: str) -> str:
    return next(line[9:] for line in output.splitlines() if line.startswith("verdict: "))


def test_right_numbers_are_a_pass(tmp_path: Path, worker_python: str) -> None:
    code, output = run(tmp_path, repro_text(Row(SHAPE), "cpu"), python=worker_python)
    assert (code, verdict_of(output)) == (0, "pass")
    assert "torch 0.0+fake" in output
    assert "python 3." in output
    assert "largest error" in output


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [
        ("wrong", "wrong: off by 0.1, rounding explains at most"),
        ("nan", "wrong: 1 of 80 numbers infinite or not a number"),
        ("raise", "error"),
        ("out of memory", "out of memory"),
        ("crash", "crashed by SIGSEGV in phase cold"),
    ],
)
def test_every_fault_has_its_verdict(
    tmp_path: Path, worker_python: str, fault: str, verdict: str
) -> None:
    text = repro_text(Row(SHAPE), "cpu")
    code, output = run(tmp_path, text, python=worker_python, **faulty(fault))
    assert code == 1
    assert verdict_of(output).startswith(verdict)


def test_a_hang_ends_at_its_deadline(tmp_path: Path, worker_python: str) -> None:
    text = repro_text(Row(SHAPE), "cpu", deadline_s=0.7)
    began = time.monotonic()
    code, output = run(tmp_path, text, python=worker_python, **faulty("hang"))
    assert (code, verdict_of(output)) == (1, "hung: no answer within 0.7 s in phase cold")
    assert time.monotonic() - began < 20


def test_the_deadline_and_the_device_can_be_chosen(tmp_path: Path) -> None:
    text = repro_text(Row(SHAPE), "cuda")
    options = ("--device", "cpu", "--deadline", "0.5")
    code, output = run(tmp_path, text, *options, **faulty("hang"))
    assert (code, verdict_of(output)) == (1, "hung: no answer within 0.5 s in phase cold")
    code, output = run(tmp_path, text, "--device", "moon")
    assert code == 1
    assert "cpu or cuda" in output


def test_without_a_card_or_a_torch_nothing_is_claimed(tmp_path: Path) -> None:
    text = repro_text(Row(SHAPE), "cuda")
    code, output = run(tmp_path, text)
    assert (code, verdict_of(output)) == (2, "nothing measured: torch sees no graphics card")
    code, output = run(tmp_path, text, PYTHONPATH="/nonexistent", PYTHONNOUSERSITE="1")
    assert (code, verdict_of(output)) == (2, "nothing measured: torch cannot be imported")
    code, output = run(tmp_path, text, FAKE_TORCH=json.dumps({"import": "crash"}))
    assert (code, verdict_of(output)) == (1, "crashed by SIGSEGV in phase import")


def test_variables_are_set_before_torch_is_imported(tmp_path: Path) -> None:
    row = Row(SHAPE, setting=(("MIOPEN_DEBUG_CONV_GEMM", "0"),))
    spy = tmp_path / "torch"
    spy.mkdir()
    (spy / "__init__.py").write_text("import os; print(os.environ['MIOPEN_DEBUG_CONV_GEMM'] * 9)")
    _, output = run(tmp_path, repro_text(row, "cpu"), PYTHONPATH="")
    assert "0" * 9 in output


def test_what_the_convolution_prints_is_no_escape(tmp_path: Path) -> None:
    text = repro_text(Row(SHAPE), "cpu")
    _, output = run(tmp_path, text, **faulty("rubbish"))
    assert verdict_of(output) == "pass"
    assert "\x1b" not in output


def test_the_script_names_nobody(tmp_path: Path) -> None:
    secret = "/home/zaphod/hunter2"
    result = made(
        SHAPE,
        Verdict.HUNG,
        detail=secret,
        because=secret,
        hang_class="spinning kernel",
        asked=(("MIOPEN_DEBUG_CONV_FFT", "0"), ("MIOPEN_USER_DB_PATH", secret)),
        loaded=replace(
            CARD,
            libraries=(secret,),
            setting=(("HSA_OVERRIDE_GFX_VERSION", "10.3.0"), ("HSA_ZAPHOD", secret)),
        ),
    )
    text = repro_of_result(result)
    assert "zaphod" not in text.lower()
    assert "hunter2" not in text
    assert "'MIOPEN_DEBUG_CONV_FFT': '0'" in text
    assert "'HSA_OVERRIDE_GFX_VERSION': '10.3.0'" in text
    seen = "hung, (spinning kernel), torch 2.2.2+rocm5.7, AMD Radeon RX 5600 XT, gfx1030"
    assert seen in text
    assert seen in run(tmp_path, text)[1]


def test_it_is_python_3_8_with_the_standard_library_and_torch() -> None:
    text = repro_text(Row(square(16, 32, 64, kernel=5, batch=3)), "cuda")
    tree = ast.parse(text, feature_version=(3, 8))
    names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert names - STANDARD == {"importlib", "subprocess", "sys", "threading", "time"}
    found = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert found == {"__future__", "typing"}
    assert text.count("CASE = {") == 1


@pytest.mark.parametrize("dtype", sorted(DTYPE_BYTES))
@pytest.mark.parametrize("groups", [1, 4])
def test_its_tolerance_is_that_of_the_worker(dtype: str, groups: int) -> None:
    shape = Shape(16, 32, 8, 8, 5, groups=groups, dtype=dtype)
    told: Any = vars(conv2d_repro)["tolerance"]
    assert told(asdict(shape)) == tolerance(shape)


def test_for_other_work_none_is_made() -> None:
    with pytest.raises(NoRepro, match="not for backward"):
        repro_text(Row(SHAPE, work="backward"), "cpu")


def test_for_another_operation_none_is_made() -> None:
    (row,) = operation_rows(["relu"])
    result = made(row.shape, work=row.work, operation=row.operation_title)
    assert row_of(result).label == row.label
    assert row_of(result).operation == row.operation
    with pytest.raises(NoRepro, match="not for relu"):
        repro_of_result(result)


def test_the_row_of_a_result_measures_the_same_again() -> None:
    asked = (("MIOPEN_DEBUG_CONV_GEMM", "0"),)
    assert row_of(made(SHAPE, asked=asked)) == Row(SHAPE, setting=asked)
    assert row_of(made(SHAPE, engine="native")).engine == "native"
    assert row_of(made(SHAPE, engine="cpu")).engine == "configured"


def test_the_shell_line_measures_exactly_this_row() -> None:
    shape = Shape(64, 128, 56, 40, 3, 1, n=8, stride=2, dtype="float16")
    row = Row(shape, engine="native", setting=(("MIOPEN_FIND_MODE", "2"), ("X", "a b")))
    line = shell_line(row, "/home/a b/bin/python", "cpu")
    assert line == (
        "MIOPEN_FIND_MODE=2 X='a b' rdna1-setup conv2d --python '/home/a b/bin/python' "
        "--layer '64 128 3 56x40 stride 2 batch 8 float16' --device cpu --engine native"
    )
    assert parse_line("64 128 3 56x40 stride 2 batch 8 float16").shape == shape


@pytest.mark.parametrize(
    ("dtype", "operation"),
    [("float32", "conv"), ("float16", "convfp16"), ("bfloat16", "convbfp16")],
)
def test_miopens_driver_gets_the_options_that_miopens_log_writes(
    dtype: str, operation: str
) -> None:
    shape = Shape(64, 64, 256, 200, 3, 1, n=32, dtype=dtype)
    command = (
        f"MIOpenDriver {operation} -n 32 -c 64 -H 256 -W 200 -k 64 -y 3 -x 3 -p 1 -q 1 -u 1 -v 1 "
        "-l 1 -j 1 -m conv -g 1"
    )
    assert driver_lines(Row(shape)) == (f"{command} -F 1 -t 1",)
    both = (f"{command} -F 2 -t 1", f"{command} -F 4 -t 1")
    assert driver_lines(Row(shape, work="backward")) == both


def test_what_miopens_driver_cannot_do_has_no_line() -> None:
    assert driver_lines(Row(Shape(2, 4, 4, 4, dtype="float64"))) == ()
    assert driver_lines(Row(SHAPE, engine="native")) == ()
    assert driver_lines(Row(SHAPE, work="batch-norm")) == ()
