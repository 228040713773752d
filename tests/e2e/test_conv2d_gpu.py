"""Conv2d on a real GPU: the default sweep, and a kernel that really spins until it is killed.

An NVIDIA card serves: ``torch.cuda`` is the interface that ROCm builds of torch use too.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import aclosing
from pathlib import Path
from typing import Any

import psutil
import pytest

from wizard.conv2d.client import run_sweep
from wizard.conv2d.hangs import Sources
from wizard.conv2d.runs.folders import live_run
from wizard.conv2d.shapes import Row, square
from wizard.conv2d.sweep import Deadlines, Note, Phase, ShapeDone, ShapeStarted, Sweep, SweepEvent
from wizard.conv2d.verdicts import Control, Result, Verdict
from wizard.conv2d.worker import judgement
from wizard.conv2d.worker.launch import driver_lines_since
from wizard.core.own_files import places
from wizard.knowledge.causes import known_lines

pytestmark = pytest.mark.e2e

SOURCE = Path(__file__).parents[2]
DEADLINE_S = 6.0
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
SPINNING_UNLESS_SET = """
import os, torch, torch.nn.functional as functional
real = functional.conv2d
KERNELS = {"GEMM": "Im2d2Col", "WINOGRAD": "miopenSp3AsmConv_v21_1_3_gfx10"}
def conv2d(image, *rest, **named):
    on = [f for f in KERNELS if os.environ.get("MIOPEN_DEBUG_CONV_" + f) != "0"]
    if image.is_cuda and on and torch.backends.cudnn.enabled:
        if os.environ.get("MIOPEN_LOG_LEVEL") == "6":
            line = "MIOpen(HIP): Info2 [PrepareInvoker] Preparing kernel: %s\\n" % KERNELS[on[0]]
            os.write(2, line.encode())
        torch.cuda._sleep(10**14)
    return real(image, *rest, **named)
functional.conv2d = conv2d
"""


def busy_percent() -> int | None:
    """How busy the card is, as its own tool says."""
    argv = ("nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits")
    said = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=20).stdout
    return int(said) if said.strip().isdecimal() else None


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


async def stamped_events(sweep: Sweep, folder: Path) -> list[tuple[float, SweepEvent]]:
    """Every event with its time, of a sweep whose images of 48x48 spin for ever."""
    (folder / "sitecustomize.py").write_text(SPINNING)
    path = f"{folder}:{os.environ.get('PYTHONPATH', '')}"
    variables = {**os.environ, "PYTHONPATH": path, "SPIN_AT": "48"}
    stream = run_sweep(sweep, journal=folder / "journal", environ=variables)
    async with aclosing(stream) as events:
        return [(time.monotonic(), event) async for event in events]


async def test_a_hang_costs_its_deadline_and_little_more(python: str, tmp_path: Path) -> None:
    rows = tuple(Row(square(16, 32, size)) for size in (32, 48, 44, 48, 64))
    deadlines = Deadlines(first=DEADLINE_S, later=DEADLINE_S)
    stamped = await stamped_events(Sweep(python, rows, deadlines=deadlines), tmp_path)
    began = stamped[0][0]
    for at, event in stamped:
        if isinstance(event, (ShapeStarted, Phase, Note, ShapeDone)):
            print(f"{at - began:7.3f} {type(event).__name__} {getattr(event, 'name', '')}")
    times = {
        (type(event), event.number): at
        for at, event in stamped
        if isinstance(event, (ShapeStarted, ShapeDone))
    }
    results = [event.result for _, event in stamped if isinstance(event, ShapeDone)]
    assert [result.verdict.value for result in results] == ["pass", "hung", "pass", "hung", "pass"]
    notes = [event.text for _, event in stamped if isinstance(event, Note)]
    assert notes == [judgement.WELL] * 2
    for number in (2, 4):
        assert results[number - 1].control == Control("16->32 3x3 @32x32", Verdict.PASS, "")
        more = times[ShapeDone, number + 1] - times[ShapeStarted, number] - DEADLINE_S
        print(f"from the deadline of shape {number} to the next verdict: {more:.2f} s")
        assert more <= 0.6


def test_a_budget_of_one_hang_ends_the_sweep_with_its_verdicts(python: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SPINNING)
    path = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    options = ("--deadline", "6", "--hangs", "1")
    parsed, seconds, code = sweep(python, tmp_path, *options, PYTHONPATH=path, SPIN_AT="48")
    print(f"\none hang allowed: {seconds:.1f} s, {verdicts(parsed)}")
    assert code == 1
    assert list(verdicts(parsed).values()) == ["pass", "pass", "hung"]
    assert parsed["trouble"]["happened"] == "The device hung once, which is the limit."

    again = ("--deadline", "6")
    parsed, seconds, code = sweep(python, tmp_path, *again, PYTHONPATH=path, SPIN_AT="0")
    print(f"gone on with, nothing spins: {seconds:.1f} s")
    assert code == 1
    assert [v for v in verdicts(parsed).values() if v != "pass"] == ["hung"]


def test_a_runner_that_is_killed_while_a_kernel_spins_is_gone_on_with(
    python: str, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SPINNING)
    path = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    own = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONPATH": path}
    follower = subprocess.Popen(
        (*COMMAND, "--json", "--python", python),
        cwd=SOURCE,
        env={**os.environ, **own, "SPIN_AT": "48"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert follower.stderr is not None
    for line in follower.stderr:
        if line.startswith("3/15 "):
            break
    run = live_run(places(own, str(tmp_path)))
    assert run is not None
    process = run.process()
    assert process is not None
    below = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    output, _ = follower.communicate(timeout=60)
    trouble = json.loads(output)["trouble"]
    print(f"\n{trouble}")
    assert "16->32 3x3 @48x48 was launched and has no verdict" in trouble["meaning"]
    assert psutil.wait_procs(below, timeout=40)[1] == []

    parsed, _, code = sweep(python, tmp_path, PYTHONPATH=path, SPIN_AT="0")
    assert code == 0
    assert set(verdicts(parsed).values()) == {"pass"}


async def spun(python: str, home: Path, sources: Sources) -> Result:
    """The result of a shape whose kernel spins, behind one that passed."""
    (home / "sitecustomize.py").write_text(SPINNING)
    path = f"{home}:{os.environ.get('PYTHONPATH', '')}"
    variables = {**os.environ, "PYTHONPATH": path, "SPIN_AT": "48"}
    rows = tuple(Row(square(16, 32, size)) for size in (32, 48))
    sweep = Sweep(python, rows, deadlines=Deadlines(later=8.0))
    events = run_sweep(sweep, journal=home / "journal", environ=variables, sources=sources)
    results = [event.result async for event in events if isinstance(event, ShapeDone)]
    assert [result.verdict for result in results] == [Verdict.PASS, Verdict.HUNG]
    print(results[1].detail)
    return results[1]


async def test_a_spinning_kernel_is_named_from_what_the_card_says(
    python: str, tmp_path: Path
) -> None:
    result = await spun(python, tmp_path, Sources(busy_percent, kernel_lines=driver_lines_since))
    assert result.hang_class == "spinning kernel"
    assert "% busy without progress" in (result.because or "")


@pytest.mark.parametrize(
    ("said", "hang_class"),
    [
        ("amdgpu: Failed to evict process queues", "driver"),
        ("amdgpu 0000:03:00.0: amdgpu: GPU reset begin!", "reset"),
    ],
)
async def test_what_the_driver_says_while_a_kernel_spins_outranks_the_busy_card(
    python: str, tmp_path: Path, said: str, hang_class: str
) -> None:
    replayed = Sources(busy_percent, kernel_lines=lambda began_s: known_lines([said]))
    result = await spun(python, tmp_path, replayed)
    assert (result.hang_class, result.because) == (hang_class, said)


def test_the_pair_of_variables_that_stops_the_spinning_is_found(
    python: str, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SPINNING_UNLESS_SET)
    path = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    shape = ("--channels", "16-32", "--sizes", "48", "--deadline", "6")
    parsed, seconds, code = sweep(
        python, tmp_path, *shape, "--find-setting", "--hangs", "5", PYTHONPATH=path
    )
    found = parsed["setting"]
    print(f"\n{seconds:.1f} s, {found}")
    assert code == 0
    names = ("MIOPEN_DEBUG_CONV_GEMM", "MIOPEN_DEBUG_CONV_WINOGRAD")
    assert found["changes"] == dict.fromkeys(names, "0")
    assert (found["is_smallest"], found["passes"], found["hangs"]) == (True, 3, 3)
    assert [each["verdict"] for each in found["engines"]] == ["pass", "pass"]


def test_the_ways_to_do_a_convolution_are_compared(python: str, tmp_path: Path) -> None:
    shapes = ("--channels", "16-32,64-128", "--sizes", "64")
    parsed, seconds, code = sweep(python, tmp_path, *shapes, "--compare-settings", "--hangs", "1")
    for result in parsed["results"]:
        warm = f"{1000 * result['warm_s']:.3f} ms"
        print(result["shape"]["label"], result["engine"], result["asked"], result["verdict"], warm)
    print(f"{seconds:.1f} s")
    assert code == 0
    assert {result["verdict"] for result in parsed["results"]} == {"pass"}
    assert len(parsed["results"]) == 2 * 8
    assert {result["engine"] for result in parsed["results"]} == {"cudnn", "native", "unfold"}
