"""The stand-alone script, peaks of memory and ways around a shape on a real GPU."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.test_conv2d_gpu import COMMAND, SOURCE, SPINNING, python, sweep
from wizard.conv2d.repro import repro_text
from wizard.conv2d.shapes import DTYPE_BYTES, Row, Shape, square

__all__ = ["python"]
pytestmark = pytest.mark.e2e


def script(folder: Path, python: str, text: str, **variables: str) -> tuple[int, str, float]:
    """Exit code, output and seconds of a script."""
    path = folder / "repro.py"
    path.write_text(text)
    began = time.monotonic()
    done = subprocess.run(
        (python, str(path)),
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=200,
    )
    print(done.stdout)
    return done.returncode, done.stdout, time.monotonic() - began


@pytest.mark.parametrize("engine", ["configured", "native", "unfold"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_script_passes_on_the_card(
    tmp_path: Path, python: str, engine: str, dtype: str
) -> None:
    shape = Shape(16, 32, 64, 64, n=2, stride=2, groups=2, dtype=dtype, bias=True)
    code, output, _ = script(tmp_path, python, repro_text(Row(shape, engine=engine), "cuda"))
    assert (code, output.splitlines()[-1]) == (0, "verdict: pass")
    assert "largest memory: " in output


def test_the_script_ends_a_kernel_that_spins(tmp_path: Path, python: str) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(SPINNING)
    text = repro_text(Row(square(16, 32, 48)), "cuda", deadline_s=15)
    code, output, seconds = script(
        tmp_path, python, text, PYTHONPATH=str(tmp_path / "site"), SPIN_AT="48"
    )
    assert code == 1
    assert "verdict: hung: no answer within 15 s in phase cold" in output
    print(f"{seconds:.1f} s in all")


def test_no_measured_peak_lies_below_the_counted_tensors(python: str, tmp_path: Path) -> None:
    parsed, _, code = sweep(python, tmp_path, "--preset", "resnet50")
    assert code == 0
    for result in parsed["results"]:
        fields = {name: value for name, value in result["shape"].items() if name != "label"}
        shape = Shape(**fields)
        image = shape.n * shape.c_in * shape.h * shape.w * DTYPE_BYTES[shape.dtype]
        weights = shape.c_out * (shape.reduction + shape.bias) * DTYPE_BYTES[shape.dtype]
        tensors = image + weights + 2 * shape.out_bytes  # the first result is kept to the end
        print(shape.label, result["memory_bytes"] - tensors, "bytes above the tensors")
        assert result["memory_bytes"] >= tensors
    (model,) = [each for each in parsed["models"] if each["model"] == "ResNet-50"]
    assert (model["passed"], model["total"]) == (53, 53)


def test_ways_around_a_shape_that_spins_are_found(python: str, tmp_path: Path) -> None:
    """Torch as configured spins at 48 pixels, whatever the engine; tiles of 32 do not."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(SPINNING)
    asked = ("--workarounds", "--layer", "16 32 3 48x48", "--hangs", "9", "--deadline", "6")
    done = subprocess.run(
        (*COMMAND, "--json", "--python", python, *asked),
        cwd=SOURCE,
        env={
            **os.environ,
            "HOME": str(tmp_path),
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "PYTHONPATH": f"{tmp_path / 'site'}:{os.environ.get('PYTHONPATH', '')}",
            "SPIN_AT": "48",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=500,
    )
    form = json.loads(done.stdout)
    assert form["result"]["verdict"] == "hung"
    verdicts = {
        each["title"]: each["result"] and each["result"]["verdict"] for each in form["alternatives"]
    }
    print(verdicts)
    assert verdicts["4 tiles of 32x32"] == "pass"
    assert verdicts["image resized to 64x64"] == "pass"
    assert done.returncode == 0
