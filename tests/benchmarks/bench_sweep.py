"""A ten-shape sweep on the processor against a bare torch loop with the same calls.

Imports and references are left out of both; starting the measuring process, handing the results
over and the journal's fsync are in. A disk that has been idle may take milliseconds for each
fsync: what the loop took with one a shape is printed too. All use as many threads as torch chooses
by itself, in processes of their own that are timed in turn. ``--python`` names a Python that has
torch.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path

from wizard.conv2d.client import run_sweep
from wizard.conv2d.presets import Row
from wizard.conv2d.shapes import square
from wizard.conv2d.sweep import Sweep, SweepDone, WorkerStarted
from wizard.conv2d.verdicts import Verdict

GOAL = 1.1
SHAPES = tuple(square(c, 2 * c, size) for c in (16, 64) for size in (32, 44, 48, 64, 224))
BARE = """
import json, os, sys, time
import torch
shapes, warm_runs = json.loads(sys.argv[1])
journal = open(sys.argv[2], "ab", buffering=0) if sys.argv[2:] else None
began = time.perf_counter()
for s in shapes:
    if journal:
        journal.write(b"{}\\n")
        os.fsync(journal.fileno())
    image = torch.randn(s["n"], s["c_in"], s["h"], s["w"])
    weight = torch.randn(s["c_out"], s["c_in"], s["kernel"], s["kernel"])
    with torch.no_grad():
        for _ in range(1 + warm_runs):
            torch.nn.functional.conv2d(image, weight, padding=s["padding"])
print(time.perf_counter() - began, torch.get_num_threads(), torch.__version__)
"""


def bare_seconds(sweep: Sweep, *journal: Path) -> tuple[float, str]:
    """The bare loop's time, with an fsync a shape where a journal is named; what it ran on."""
    request = json.dumps([[asdict(row.shape) for row in sweep.rows], sweep.warm_runs])
    done = subprocess.run(
        (sweep.python, "-c", BARE, request, *map(str, journal)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, threads, version = done.stdout.split()
    return float(seconds), f"torch {version}, {threads} threads"


async def sweep_seconds(sweep: Sweep, folder: Path) -> float:
    """Our time from the end of the imports to the last verdict, less the waiting for references."""
    began = time.perf_counter()
    stream = run_sweep(sweep, journal=folder / "journal.jsonl", resume=False)
    async with aclosing(stream) as events:
        async for event in events:
            if isinstance(event, WorkerStarted):
                began = time.perf_counter()
            elif isinstance(event, SweepDone):
                seconds = time.perf_counter() - began
                assert event.trouble is None, event.trouble
                assert {result.verdict for result in event.results} == {Verdict.PASS}
                return seconds - event.reference_s
    raise AssertionError("a sweep without an end")


def main() -> int:
    """Print medians and ratio; 0 within the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="a Python that has torch")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    sweep = Sweep(arguments.python, tuple(Row(shape) for shape in SHAPES), "cpu")
    ours, bare, synced, machine = [], [], [], ""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        for number in range(arguments.rounds + 1):
            mine = asyncio.run(sweep_seconds(sweep, Path(folder)))
            theirs, machine = bare_seconds(sweep)
            with_fsync, _ = bare_seconds(sweep, Path(folder) / "synced")
            if number:  # the first round warms the disk's cache
                ours.append(mine)
                bare.append(theirs)
                synced.append(with_fsync)
    ratio = statistics.median(ours) / statistics.median(bare)
    verdict = "within" if ratio <= GOAL else "OVER"
    print(
        f"ten-shape sweep ({machine}): {statistics.median(ours) * 1000:.0f} ms against "
        f"{statistics.median(bare) * 1000:.0f} ms, ratio of medians {ratio:.2f} "
        f"({verdict} the goal of {GOAL}; {arguments.rounds} rounds; ratio of the best rounds "
        f"{min(ours) / min(bare):.2f})"
    )
    print(
        f"the bare loop with one fsync a shape: {statistics.median(synced) * 1000:.0f} ms; against "
        f"that {statistics.median(ours) / statistics.median(synced):.2f}"
    )
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
