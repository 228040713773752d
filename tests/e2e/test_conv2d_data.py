"""Tiles, counted bytes and the stand-alone script against real torch, on the processor."""

from __future__ import annotations

import json
import os
import random
import subprocess
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_conv2d_torch_work import measured
from wizard.conv2d.repro import repro_text
from wizard.conv2d.search.workarounds import Tiling, tiling_of
from wizard.conv2d.shapes import Row, Shape, square
from wizard.conv2d.verdicts import Verdict, tolerance

pytestmark = pytest.mark.e2e

PYTHONS = [path for path in os.environ.get("RDNA1_SETUP_TORCH_PYTHONS", "").split(":") if path]
WHY_NONE = "RDNA1_SETUP_TORCH_PYTHONS names no Python that has torch (split by colons)"
CASES = 150


@pytest.fixture(params=PYTHONS or [""])
def torch_python(request: pytest.FixtureRequest) -> str:
    """A Python that has torch."""
    if not request.param:
        pytest.skip(WHY_NONE)
    return str(request.param)


def computed(python: str, program: str, cases: object) -> Any:
    """What a program that uses torch prints for these cases, as JSON."""
    done = subprocess.run(
        (python, "-c", program),
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


IN_TILES = """
import json, sys, torch
from torch.nn.functional import conv2d, pad
torch.manual_seed(7)
told = []
for case in json.load(sys.stdin):
    s, t, places = case["whole"], case["tile"], case["places"]
    image = torch.randn(s["n"], s["c_in"], s["h"], s["w"])
    inner = s["c_in"] // s["groups"]
    weight = torch.randn(s["c_out"], inner, s["kernel"], s["kernel"])
    weight /= (inner * s["kernel"] ** 2) ** 0.5
    bias = torch.randn(s["c_out"]) if s["bias"] else None
    rest = (bias, s["stride"])
    whole = conv2d(image, weight, *rest, s["padding"], s["dilation"], s["groups"])
    padded = pad(image, [s["padding"]] * 4)
    joined = torch.full_like(whole, float("nan"))
    for top, left in places:
        y, x = top * s["stride"], left * s["stride"]
        part = padded[:, :, y : y + t["h"], x : x + t["w"]]
        assert part.shape[2:] == (t["h"], t["w"])
        out = conv2d(part, weight, *rest, 0, s["dilation"], s["groups"])
        joined[:, :, top : top + out.shape[2], left : left + out.shape[3]] = out
    told.append(float((joined - whole).abs().max()))
print(json.dumps(told))
"""


def drawn(source: random.Random) -> Shape | None:
    """Any shape; None for numbers that make none."""
    groups = source.choice([1, 1, 2, 4])
    try:
        return Shape(
            groups * source.randint(1, 6),
            groups * source.randint(1, 6),
            source.randint(1, 70),
            source.randint(1, 70),
            source.randint(1, 7),
            source.randint(0, 4),
            n=source.randint(1, 3),
            stride=source.randint(1, 3),
            dilation=source.randint(1, 3),
            groups=groups,
            bias=source.random() < 0.5,
        )
    except ValueError:
        return None


def test_tiles_put_together_are_the_whole(torch_python: str) -> None:
    source = random.Random(22)  # noqa: S311 - shapes to try
    tilings: list[Tiling] = []
    while len(tilings) < CASES:
        shape = drawn(source)
        tiling = shape and tiling_of(shape, source.randint(1, 40))
        tilings += [tiling] if tiling else []
    cases = [
        {"whole": asdict(t.whole), "tile": asdict(t.tile), "places": t.places} for t in tilings
    ]
    errors = computed(torch_python, IN_TILES, cases)
    for tiling, error in zip(tilings, errors, strict=True):
        assert error <= tolerance(tiling.whole), (tiling, error)


PADDED = """
import json, sys, torch
from torch.nn.functional import conv2d
torch.manual_seed(7)
told = []
for c_in, c_out, more_in, more_out in json.load(sys.stdin):
    image, weight = torch.randn(2, c_in, 9, 8), torch.randn(c_out, c_in, 3, 3)
    whole = conv2d(image, weight, None, 1, 1)
    wider = torch.zeros(2, c_in + more_in, 9, 8)
    wider[:, :c_in] = image
    more = torch.zeros(c_out + more_out, c_in + more_in, 3, 3)
    more[:c_out, :c_in] = weight
    told.append(float((conv2d(wider, more, None, 1, 1)[:, :c_out] - whole).abs().max()))
print(json.dumps(told))
"""


def test_channels_of_zeros_change_nothing(torch_python: str) -> None:
    cases = [(c, 2 * c, i, o) for c in (1, 3, 16) for i, o in ((0, 1), (1, 0), (1, 1))]
    assert max(computed(torch_python, PADDED, cases)) < 1e-4


ROWS = (
    Row(square(16, 32, 44)),
    Row(Shape(8, 12, 21, 30, 5, 3, n=2, stride=2, dilation=2, groups=4, bias=True)),
    Row(square(4, 6, 16), engine="native"),
    Row(replace(square(16, 32, 20), dtype="bfloat16")),
    Row(replace(square(16, 32, 20), dtype="float16")),  # torch 1.13 has none on the processor
    Row(replace(square(3, 5, 12), dtype="float64")),
)


async def test_the_script_says_what_the_worker_says(tmp_path: Path, torch_python: str) -> None:
    results, _ = await measured(torch_python, list(ROWS), tmp_path)
    for row, result in zip(ROWS, results, strict=True):
        code, output = script(tmp_path, torch_python, repro_text(row, "cpu"))
        assert f"verdict: {result.verdict.value}" in output
        assert code == (0 if result.verdict is Verdict.PASS else 1)
        assert f"torch {result.loaded.torch}" in output


def test_unfold_and_matmul_have_the_right_numbers(tmp_path: Path, torch_python: str) -> None:
    for row in ROWS[:2]:
        code, output = script(
            tmp_path, torch_python, repro_text(replace(row, engine="unfold"), "cpu")
        )
        assert (code, output.splitlines()[-1]) == (0, "verdict: pass")


def script(folder: Path, python: str, text: str) -> tuple[int, str]:
    """Exit code and output of a script."""
    path = folder / "repro.py"
    path.write_text(text)
    done = subprocess.run(
        (python, str(path)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=200,
    )
    return done.returncode, done.stdout
