"""Hangs that need time or root: a compiler at work for 40 s, a process that no signal ends."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.sweeping import environ, of_type, sweep_of
from tests.e2e.sick import frozen_disk, state_of, until
from wizard.conv2d.client import run_sweep
from wizard.conv2d.hangs import Sources
from wizard.conv2d.sweep import (
    DeadlineMoved,
    Deadlines,
    Phase,
    ShapeDone,
    ShapeStarted,
    Sweep,
    SweepDone,
    SweepEvent,
)
from wizard.conv2d.verdicts import Verdict

pytestmark = pytest.mark.e2e

COMPILE_S = 40.0
PROGRAMS = ("mkfs.ext4", "mount", "umount", "fsfreeze")
BLOCKED_S = 0.5
"""The client's loop must answer sooner, whatever hangs; the machine may have other work."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for a disk image; skips where none can be mounted and frozen."""
    if os.geteuid() != 0:
        pytest.skip("mounting and freezing a file system needs root")
    if missing := [name for name in PROGRAMS if shutil.which(name) is None]:
        pytest.skip(f"not installed: {', '.join(missing)} (util-linux, e2fsprogs)")
    if not Path("/dev/loop-control").exists():
        pytest.skip("this kernel offers no loop devices")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        yield Path(place)


async def longest_pause(stop: asyncio.Event) -> float:
    """For how long, at most, the loop did nothing for others."""
    longest, before = 0.0, time.monotonic()
    while not stop.is_set():
        await asyncio.sleep(0.01)
        now = time.monotonic()
        longest, before = max(longest, now - before), now
    return longest


async def events_of(sweep: Sweep, folder: Path, variables: dict[str, str]) -> list[SweepEvent]:
    stream = run_sweep(sweep, journal=folder / "journal.jsonl", environ=variables)
    async with aclosing(stream) as events:
        return [event async for event in events]


async def test_a_process_that_no_signal_ends_is_reported_and_left(folder: Path) -> None:
    deadlines = Deadlines(later=2.0, killed=7.0, look=0.5)
    sweep = sweep_of(sys.executable, 3, 4, 5, 6, deadlines=deadlines)
    stop = asyncio.Event()
    pauses = asyncio.create_task(longest_pause(stop))
    with frozen_disk(folder) as disk:
        variables = environ({4: "frozen"}) | {"FAKE_TORCH_FROZEN": str(disk / "file")}
        began = time.monotonic()
        events = await events_of(sweep, folder, variables)
        seconds = time.monotonic() - began
        stop.set()
        done = events[-1]
        assert isinstance(done, SweepDone)
        assert done.trouble is not None
        stuck = int(done.trouble.happened.rpartition("process ")[2].split()[0])
        assert state_of(stuck) == "D"
        paused = await pauses
        print(f"\n{seconds:.1f} s in all, the loop paused for at most {paused:.3f} s")
    until(lambda: state_of(stuck) in ("", "Z"))

    verdicts = [result.verdict for result in done.results]
    assert verdicts == [Verdict.PASS, Verdict.HUNG, Verdict.UNUSABLE, Verdict.UNUSABLE]
    hung = done.results[1]
    assert hung.hang_class == "unkillable"
    assert "still there long after SIGKILL" in (hung.because or "")
    assert "disk-sleep" in (hung.because or "")
    watched = [phase.seconds_left for phase in of_type(events, Phase) if phase.seconds_left]
    assert len(watched) == 1
    assert 1 < watched[0] < 3
    assert seconds < 30
    assert paused < BLOCKED_S

    again = (await events_of(sweep, folder, environ()))[-1]
    assert isinstance(again, SweepDone)
    verdicts = [result.verdict for result in again.results]
    assert verdicts == [Verdict.PASS, Verdict.HUNG, Verdict.PASS, Verdict.PASS]


async def test_a_shape_that_compiles_for_40_seconds_is_waited_for(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    variables = environ({4: "compile"}) | {"FAKE_TORCH_CACHE": str(cache)}
    sweep = replace(sweep_of(sys.executable, 3, 4, deadlines=Deadlines()), warm_runs=1)
    assert sweep.deadlines.later < COMPILE_S
    stream = run_sweep(
        sweep,
        journal=tmp_path / "journal.jsonl",
        environ=variables,
        sources=Sources(caches=(cache,)),
    )
    seen: list[SweepEvent] = []
    async with aclosing(stream) as events:
        async for event in events:
            seen.append(event)
            if isinstance(event, ShapeStarted) and event.number == 2:
                asyncio.get_running_loop().call_later(COMPILE_S, (cache / "enough").touch)

    _, compiled = [event.result for event in of_type(seen, ShapeDone)]
    assert compiled.verdict is Verdict.PASS
    assert compiled.cold_s is not None
    assert compiled.cold_s > COMPILE_S - 1
    moved = of_type(seen, DeadlineMoved)
    assert {(event.why, event.because) for event in moved} == {
        ("compiling", "files in the compiler's cache grew")
    }
