"""A sweep that was stopped goes on with what is missing, and ends the same."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from pathlib import Path

import psutil
import pytest

from tests.conv2d.sweeping import (
    end_of,
    environ,
    events_of,
    notes_of,
    of_type,
    results_of,
    sweep_of,
    verdicts_of,
)
from wizard.conv2d.client import run_sweep
from wizard.conv2d.sweep import Phase, ShapeDone, ShapeStarted, Sweep, WorkerStarted
from wizard.conv2d.verdicts import Verdict


async def stop_after(sweep: Sweep, folder: Path, shapes: int) -> None:
    """Close the stream as soon as so many shapes are done."""
    stream = run_sweep(sweep, journal=folder / "journal.jsonl", environ=environ())
    async with aclosing(stream) as events:
        done = 0
        async for event in events:
            done += isinstance(event, ShapeDone)
            if done == shapes:
                return


def forget_the_end(folder: Path, lines: int) -> None:
    """Cut the journal as a machine does that freezes after so many lines."""
    path = folder / "journal.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:lines]))


async def test_a_stopped_sweep_goes_on_with_the_remaining_shapes(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = sweep_of(worker_python, 3, 4, 5)
    await stop_after(sweep, tmp_path, 2)
    events = await events_of(sweep, tmp_path)

    assert [event.number for event in of_type(events, ShapeStarted)] == [3]
    assert verdicts_of(events) == [Verdict.PASS] * 3
    assert notes_of(events) == ["Continuing an unfinished measurement. Results so far: 2."]


async def test_a_shape_that_was_lost_is_tried_once_more(worker_python: str, tmp_path: Path) -> None:
    sweep = sweep_of(worker_python, 3, 4, 5)
    await events_of(sweep, tmp_path)
    forget_the_end(tmp_path, 4)  # head, launch, outcome, launch
    events = await events_of(sweep, tmp_path)

    assert [event.number for event in of_type(events, ShapeStarted)] == [2, 3]
    assert "2->4 3x3 @4x4: hung or killed before its result was written" in notes_of(events)[1]
    assert verdicts_of(events) == [Verdict.PASS] * 3


async def test_a_shape_that_was_lost_twice_is_hung_and_left_alone(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = sweep_of(worker_python, 3, 4, 5)
    await events_of(sweep, tmp_path)
    forget_the_end(tmp_path, 4)
    journal = tmp_path / "journal.jsonl"
    journal.write_text(journal.read_text() + '{"lost": 1}\n{"launch": 1, "process": "fork"}\n')
    events = await events_of(sweep, tmp_path)

    assert [event.number for event in of_type(events, ShapeStarted)] == [3]
    assert verdicts_of(events) == [Verdict.PASS, Verdict.HUNG, Verdict.PASS]
    lost = results_of(events)[1]
    assert lost.detail == "hung or killed before its result was written, twice"


async def test_a_finished_sweep_is_measured_again(worker_python: str, tmp_path: Path) -> None:
    sweep = sweep_of(worker_python, 3, 4)
    await events_of(sweep, tmp_path)

    assert len(of_type(await events_of(sweep, tmp_path), ShapeStarted)) == 2


async def test_results_of_another_torch_are_not_mixed_in(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = sweep_of(worker_python, 3, 4)
    await stop_after(sweep, tmp_path, 1)
    events = await events_of(sweep, tmp_path, {**environ(), "FAKE_TORCH_VERSION": "1.0"})

    assert len(of_type(events, ShapeStarted)) == 2
    assert {result.loaded.torch for result in results_of(events)} == {"1.0"}
    assert "starts over" in notes_of(events)[0]


async def test_a_sweep_that_lacks_only_its_last_line_starts_nobody(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = sweep_of(worker_python, 3, 4)
    whole = await events_of(sweep, tmp_path)
    forget_the_end(tmp_path, 5)
    events = await events_of(sweep, tmp_path)

    assert of_type(events, WorkerStarted) == []
    assert end_of(events).results == end_of(whole).results


@pytest.mark.parametrize("spawn", [True, False], ids=["spawn", "fork"])
async def test_cancelling_kills_everything_and_blames_no_shape(
    worker_python: str, tmp_path: Path, spawn: bool
) -> None:
    sweep = sweep_of(worker_python, 3, spawn=spawn)
    launched = asyncio.Event()

    async def watch() -> None:
        stream = run_sweep(sweep, journal=tmp_path / "journal.jsonl", environ=environ({3: "hang"}))
        async with aclosing(stream) as events:
            async for event in events:
                if isinstance(event, Phase) and event.name == "cold":
                    launched.set()

    task = asyncio.create_task(watch())
    await launched.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert psutil.Process().children(recursive=True) == []
    last = (tmp_path / "journal.jsonl").read_text().splitlines()[-1]
    assert json.loads(last) == {"cancelled": 0}


async def test_the_same_sweep_twice_at_once_is_refused(worker_python: str, tmp_path: Path) -> None:
    sweep = sweep_of(worker_python, 3)
    stream = run_sweep(sweep, journal=tmp_path / "journal.jsonl", environ=environ())
    async with aclosing(stream) as events:
        async for event in events:
            if isinstance(event, ShapeStarted):
                done = end_of(await events_of(sweep, tmp_path))
                assert done.trouble is not None
                assert "Another process is running the same" in done.trouble.happened
