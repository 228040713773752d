"""Gradients, training steps, unfolding and every other operation on a real GPU."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import test_conv2d_gpu
from wizard.conv2d.shapes import load_operations

pytestmark = pytest.mark.e2e

python = test_conv2d_gpu.python
SOME = ("--sizes", "32,44,64", "--channels", "3-64,16-32,64-128")


def lines(parsed: dict[str, Any]) -> list[str]:
    """What came out, one line each."""
    return [
        f"  {each['label']} ({each['engine']}): {each['verdict']} {each['detail']} "
        f"cold {each['cold_s']} warm {each['warm_s']} "
        f"error {each['max_abs_error']} of {each['tolerance']} ({each['part']})"
        for each in parsed["results"]
    ]


@pytest.mark.parametrize("engine", ["configured", "native", "unfold"])
@pytest.mark.parametrize("work", ["forward", "backward", "train"])
def test_each_work_is_right_by_each_engine(
    python: str, tmp_path: Path, work: str, engine: str
) -> None:
    parsed, seconds, code = test_conv2d_gpu.sweep(
        python, tmp_path, *SOME, "--work", work, "--engine", engine
    )
    print(f"\n{work}, {engine}: {seconds:.1f} s", *lines(parsed), sep="\n")
    assert code == 0
    assert len(parsed["results"]) == 9
    for each in parsed["results"]:
        assert (each["verdict"], each["work"]) == ("pass", work)
        assert each["engine"] == {"configured": "cudnn"}.get(engine, engine) or each["hip"]
        assert each["memory_bytes"] > 0


@pytest.mark.parametrize("way", [(), ("--spawn",)], ids=["forked", "spawned"])
def test_every_operation_is_right(python: str, tmp_path: Path, way: tuple[str, ...]) -> None:
    which = ("batch-norm-backward,lstm,bert",) if way else ()
    parsed, seconds, code = test_conv2d_gpu.sweep(python, tmp_path, *way, "--operations", *which)
    print(f"\noperations: {seconds:.1f} s", *lines(parsed), sep="\n")
    assert code == 0
    assert len(parsed["results"]) == (3 if way else len(load_operations()))
    assert {each["verdict"] for each in parsed["results"]} == {"pass"}


SPINS_BACKWARD = """
import torch
real = torch.autograd.grad
def grad(outputs, *rest, **named):
    if outputs.is_cuda and outputs.shape[-1] == 44:
        torch.cuda._sleep(10**14)  # a kernel that spins for hours
    return real(outputs, *rest, **named)
torch.autograd.grad = grad
"""


def test_a_backward_pass_that_spins_is_told_from_a_forward_pass(
    python: str, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SPINS_BACKWARD)
    parsed, seconds, code = test_conv2d_gpu.sweep(
        python,
        tmp_path,
        *("--sizes", "32,44,48", "--channels", "16-32", "--deadline", "6", "--work", "backward"),
        PYTHONPATH=f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}",
    )
    print(f"\nspinning backward: {seconds:.1f} s", *lines(parsed), sep="\n")
    assert code == 1
    assert [each["verdict"] for each in parsed["results"]] == ["pass", "hung", "pass"]
    assert parsed["results"][1]["phase"] == "backward"
