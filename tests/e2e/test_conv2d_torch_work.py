"""Gradients, training steps, unfolding and other operations with real torch, on the processor."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from assets import FOLDER
from tests.e2e import test_conv2d_torch
from tests.e2e.homes import Home
from wizard.conv2d.client import run_sweep
from wizard.conv2d.shapes import FEWEST_VALUES, WORKS, Row, Shape, load_operations, operation_rows
from wizard.conv2d.sweep import Note, ShapeDone, Sweep, SweepEvent
from wizard.conv2d.verdicts import Result, Verdict

pytestmark = pytest.mark.e2e

torch_python = test_conv2d_torch.torch_python
home = test_conv2d_torch.home
ONE_ELEMENT = """
import os, random, torch
amounts = {torch.float32: float(os.environ["SPOIL_BY"]), torch.bfloat16: 1.0}
source = random.Random(7)
def spoiled(tensor, least):
    if tensor.dtype is torch.float64:
        return tensor
    tensor = tensor.detach().clone()
    place = source.randrange(tensor.numel())
    with torch.no_grad():
        usual = float(tensor.float().pow(2).mean().sqrt())
        tensor.view(-1)[place] += amounts[tensor.dtype] * max(usual, least)
    return tensor
real_grad = torch.autograd.grad
def grad(outputs, inputs, *rest, **named):
    found = list(real_grad(outputs, inputs, *rest, **named))
    found[0] = spoiled(found[0].contiguous(), float(outputs.numel() == 1))
    return tuple(found)
torch.autograd.grad = grad
"""
"""One number of the first gradient is off by so much of the usual, in float32 and below.

A gradient in training, which begins at a loss of one number, is about 1 in size by design, but for
a kernel of one number, for batch norm undoes what that one does: hence the least that is taken for
usual.
"""
IMPORTS = """
import json, mmap, os, sys
import torch, torch.nn.functional
import conv2d_worker
class Watcher:
    def await_permit(self, ticket):
        pass
    def tell(self, event, phase="", **_):
        if phase == "cold":
            self.before = set(sys.modules)
        elif event == "measured":
            print(json.dumps(sorted(set(sys.modules) - self.before)), flush=True)
for command in json.loads(sys.argv[1]):
    child = os.fork()
    if not child:
        conv2d_worker.measure(torch, Watcher(), "cpu", command, mmap.mmap(-1, 1 << 25))
        os._exit(0)
    os.waitpid(child, 0)
"""
"""The modules that are imported while something is timed, each in a process of its own."""
COMPUTES = """
import torch
torch.nn.functional.conv2d(torch.randn(1, 16, 64, 64), torch.randn(32, 16, 3, 3))
"""


def shapes(count: int, dtype: str = "float32") -> list[Shape]:
    """All sorts of convolutions that are large enough to train."""
    source = random.Random(count)  # noqa: S311 - shapes, not secrets
    found: list[Shape] = []
    while len(found) < count:
        groups = source.choice((1, 1, 1, 2, 4))
        try:
            shape = Shape(
                groups * source.choice((1, 3, 4, 16)),
                groups * source.choice((1, 2, 8, 32)),
                source.randrange(4, 41),
                source.randrange(4, 41),
                source.choice((1, 2, 3, 3, 5, 7)),
                padding=source.randrange(4),
                n=source.choice((1, 1, 2, 5)),
                stride=source.choice((1, 1, 2, 3)),
                dilation=source.choice((1, 1, 2)),
                groups=groups,
                dtype=dtype,
                bias=source.random() < 0.5,
            )
        except ValueError:
            continue
        if shape.n * shape.out_h * shape.out_w >= FEWEST_VALUES:
            found.append(shape)
    return found


FORMATS = (("configured", "bfloat16"), ("unfold", "bfloat16"), ("unfold", "float64"))
"""The engines that other formats than float32 are tried with."""
LONG = (Shape(1, 4, 224, 224, n=2), Shape(64, 64, 56, 56), Shape(3, 64, 224, 224, stride=2))
"""Many places, many products, and both."""


async def measured(
    python: str, rows: list[Row], folder: Path, **variables: str
) -> tuple[list[Result], list[SweepEvent]]:
    """The results of these rows, each called twice."""
    sweep = Sweep(python, tuple(rows), "cpu", warm_runs=1)
    environ = {**os.environ, **variables}
    stream = run_sweep(sweep, journal=folder / "journal", resume=False, environ=environ)
    events = [event async for event in stream]
    return [event.result for event in events if isinstance(event, ShapeDone)], events


def printed(results: list[Result]) -> str:
    """The worst of them by work and part: how much of the tolerance was used."""
    worst: dict[str, tuple[float, str]] = {}
    for each in results:
        if each.max_abs_error is not None and each.tolerance:
            name = f"{each.work} {each.engine} {each.shape.dtype} {each.part}"
            used = (each.max_abs_error / each.tolerance, each.label)
            worst[name] = max(worst.get(name, (0.0, "")), used)
    return "\n".join(f"  {name}: {used:.3f} {label}" for name, (used, label) in worst.items())


async def test_right_numbers_are_never_called_wrong(torch_python: str, tmp_path: Path) -> None:
    """Against float64, over many shapes and formats, in one sweep: torch is imported once."""
    rows = [
        Row(shape, work=work, engine=engine)
        for work in ("forward", "backward", "train")
        for engine in ("configured", "unfold")
        for shape in (*shapes(40), *LONG)
    ]
    rows += [
        Row(shape, work=work, engine=engine)
        for work in ("backward", "train")
        for engine, dtype in FORMATS
        for shape in shapes(30, dtype)
    ]
    results, _ = await measured(torch_python, rows, tmp_path)

    print(f"\n{printed(results)}")
    wrong = [f"{each.label}: {each.detail}" for each in results if each.verdict is not Verdict.PASS]
    assert wrong == []
    assert len(results) == len(rows)


async def test_one_wrong_number_is_always_noticed(torch_python: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(ONE_ELEMENT)
    rows = [
        Row(replace(shape, dtype=dtype), work=work)
        for work in ("backward", "train")
        for dtype in ("float32", "bfloat16")
        for shape in (*shapes(40), *LONG)
    ]
    variables = {"PYTHONPATH": str(tmp_path), "SPOIL_BY": "0.01"}
    results, _ = await measured(torch_python, rows, tmp_path, **variables)

    unnoticed = [each.label for each in results if each.verdict is not Verdict.WRONG]
    assert unnoticed == []
    assert len(results) == len(rows)


def test_nothing_is_imported_while_something_is_timed(torch_python: str) -> None:
    """With torch 2 the first gradient of a process takes a second otherwise."""
    rows = [Row(Shape(16, 32, 32, 32), work=work) for work in WORKS]
    rows += operation_rows(["bert-backward", "lstm"])
    commands = [
        {
            "ticket": 1,
            "shape": asdict(row.shape),
            "seed": 1,
            "engine": row.engine,
            "work": row.work,
            "operation": row.operation and row.operation.request,
            "warm_runs": 1,
        }
        for row in rows
    ]
    done = subprocess.run(
        (torch_python, "-c", IMPORTS, json.dumps(commands)),
        env={**os.environ, "PYTHONPATH": str(FOLDER), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["[]"] * len(rows)


@pytest.mark.parametrize("mode", [(), ("--spawn",)], ids=["fork", "spawn"])
def test_every_operation_is_measured_and_right(
    home: Home, torch_python: str, mode: tuple[str, ...]
) -> None:
    which = ["lstm,bert-backward"] if mode else []
    command = ("conv2d", "--python", torch_python, "--device", "cpu", "--json", *mode)
    done = home.run(*command, "--operations", *which)

    results = json.loads(done.stdout)["results"]
    for each in results:
        used = (each["max_abs_error"] or 0) / (each["tolerance"] or math.inf)
        print(f"  {each['label']}: {each['verdict']} {used:.3f} {each['part']} {each['warm_s']}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(results) == (2 if mode else len(load_operations()))
    for each in results:
        error, allowed = each["max_abs_error"], each["tolerance"]
        assert error <= allowed / 5  # room for another order of sums


async def test_operations_stay_within_their_tolerance_whatever_the_numbers(
    torch_python: str, tmp_path: Path
) -> None:
    """Each row has a seed of its own."""
    rows = list(operation_rows()) * 2
    results, _ = await measured(torch_python, rows, tmp_path)

    assert [each.label for each in results if each.verdict is not Verdict.PASS] == []


async def test_one_wrong_gradient_of_an_operation_is_noticed(
    torch_python: str, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(ONE_ELEMENT)
    variables = {"PYTHONPATH": str(tmp_path), "SPOIL_BY": "0.02"}
    rows = list(operation_rows(["batch-norm-backward", "bert-backward", "training-step"])) * 2
    results, _ = await measured(torch_python, rows, tmp_path, **variables)

    assert {each.verdict for each in results} == {Verdict.WRONG}


async def test_a_parent_in_which_torch_has_convolved_is_caught(
    torch_python: str, tmp_path: Path
) -> None:
    """A child that is forked after a convolution on the processor does not come back from its own;
    where it does, nothing is wrong with it."""
    (tmp_path / "sitecustomize.py").write_text(COMPUTES)
    sweep = Sweep(torch_python, (Row(Shape(16, 32, 64, 64)),) * 2, "cpu")
    sweep = replace(sweep, deadlines=replace(sweep.deadlines, first=4.0))
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}
    stream = run_sweep(sweep, journal=tmp_path / "journal", environ=environ)
    events = [event async for event in stream]

    results = [event.result for event in events if isinstance(event, ShapeDone)]
    assert [each.verdict for each in results] == [Verdict.PASS] * 2
    notes = [event.text for event in events if isinstance(event, Note)]
    assert {each.process for each in results} == {"spawn" if notes else "fork"}
    print(notes)
