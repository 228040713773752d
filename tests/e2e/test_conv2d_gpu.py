"""Conv2d on a real GPU: the default sweep, and a kernel that really spins until it is killed.

An NVIDIA card serves: ``torch.cuda`` is the interface that ROCm builds of torch use too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from wizard.conv2d.client import run_sweep
from wizard.conv2d.evidence import Sources
from wizard.conv2d.kernel_log import driver_lines_since
from wizard.conv2d.presets import Row
from wizard.conv2d.shapes import square
from wizard.conv2d.sweep import Deadlines, ShapeDone, Sweep
from wizard.conv2d.verdicts import Verdict

pytestmark = pytest.mark.e2e

SOURCE = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "wizard", "conv2d", "--yes", "--even-if-in-use", "--hangs", "9")
SPINNING = """
import os, torch, torch.nn.functional as functional
real = functional.conv2d
def conv2d(image, *rest, **named):
    if image.is_cuda and image.shape[-1] == int(os.environ["SPIN_AT"]):
        torch.cuda._sleep(10**14)  # a kernel that spins for hours
    return real(image, *rest, **named)
functional.conv2d = conv2d
"""


def busy_percent() -> int | None:
    """How busy the card is, as its own tool says."""
    argv = ("nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits")
    said = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=20).stdout
    return int(said) if said.strip().isdigit() else None


@pytest.fixture(scope="module")
def python() -> str:
    """A Python whose torch sees a GPU."""
    for candidate in (*os.environ.get("RDNA1_SETUP_TORCH_PYTHONS", "").split(":"), sys.executable):
        program = "import torch; print(torch.cuda.is_available())"
        if candidate and Path(candidate).exists():
            asked = subprocess.run(
                (candidate, "-c", program), capture_output=True, text=True, check=False
            )
            if asked.stdout.strip() == "True":
                return candidate
    pytest.skip("no Python here has a torch that sees a GPU")


def sweep(
    python: str, home: Path, *options: str, **variables: str
) -> tuple[dict[str, Any], float, int]:
    """The parsed results, the seconds it took, and the exit code."""
    began = time.monotonic()
    done = subprocess.run(
        (*COMMAND, "--json", "--python", python, *options),
        cwd=SOURCE,
        env={**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=400,
    )
    seconds = time.monotonic() - began
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed, seconds, done.returncode


def verdicts(parsed: dict[str, Any]) -> dict[str, str]:
    """The verdict by channels and size."""
    shapes = ((r["shape"], r["verdict"]) for r in parsed["results"])
    return {f"{s['c_in']}->{s['c_out']} @{s['h']}": verdict for s, verdict in shapes}


@pytest.mark.parametrize("way", [(), ("--spawn",)], ids=["forked", "spawned"])
def test_every_default_shape_is_measured_and_right(
    python: str, tmp_path: Path, way: tuple[str, ...]
) -> None:
    parsed, seconds, code = sweep(python, tmp_path, *way)
    print(f"\n{way or 'forked'}: {len(parsed['results'])} shapes in {seconds:.1f} s")
    for result in parsed["results"]:
        shape = result["shape"]
        print(
            f"  {shape['c_in']}->{shape['c_out']} @{shape['h']}: {result['verdict']}, "
            f"cold {result['cold_s']:.4f} s, warm {result['warm_s']:.6f} s, "
            f"error {result['max_abs_error']:.1e} of {result['tolerance']:.1e}, "
            f"{result['memory_bytes']} bytes"
        )
    assert code == 0
    assert set(verdicts(parsed).values()) == {"pass"}


def test_a_spinning_kernel_costs_its_shapes_and_nothing_else(python: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SPINNING)
    path = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    parsed, seconds, code = sweep(
        python, tmp_path, "--deadline", "6", PYTHONPATH=path, SPIN_AT="48"
    )
    found = verdicts(parsed)
    print(f"\nspinning at 48: {seconds:.1f} s, {found}")
    assert code == 1
    assert {shape for shape, verdict in found.items() if verdict != "pass"} == {
        "16->32 @48",
        "32->64 @48",
        "64->128 @48",
    }
    assert {found[shape] for shape in found if shape.endswith("@48")} == {"hung"}
    lines = [
        " ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])
    ]
    assert not [line for line in lines if "conv2d_worker.py" in line]


async def test_a_spinning_kernel_is_named_from_what_the_card_says(
    python: str, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SPINNING)
    path = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    variables = {**os.environ, "PYTHONPATH": path, "SPIN_AT": "48"}
    rows = tuple(Row(square(16, 32, size)) for size in (32, 48))
    sweep = Sweep(python, rows, deadlines=Deadlines(later=8.0))
    events = run_sweep(
        sweep,
        journal=tmp_path / "journal",
        environ=variables,
        sources=Sources(busy_percent, kernel_lines=driver_lines_since),
    )
    results = [event.result async for event in events if isinstance(event, ShapeDone)]
    assert [result.verdict for result in results] == [Verdict.PASS, Verdict.HUNG]
    print(results[1].detail)
    assert results[1].hang_class == "spinning kernel"
    assert "% busy and nothing new came" in (results[1].because or "")
