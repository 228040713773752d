"""A sweep stops once the card has hung as often as was allowed, with the verdicts it has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.conv2d.sweeping import end_of, environ, events_of, notes_of, of_type, sweep_of
from wizard.conv2d.sweep import ShapeStarted, SweepDone, SweepEvent
from wizard.conv2d.verdicts import Verdict

FAULTS = {4: "hang", 6: "hang"}


async def swept(python: str, folder: Path, hangs: int | None, *c_outs: int) -> list[SweepEvent]:
    """The events of a sweep on the stand-in card, on which the shapes 4 and 6 hang."""
    sweep = replace(sweep_of(python, *c_outs, device="cuda"), hangs=hangs)
    return await events_of(sweep, folder, environ(FAULTS, hip="5.2"))


def launched(events: list[SweepEvent]) -> list[int]:
    return [event.number for event in of_type(events, ShapeStarted)]


def verdicts(done: SweepDone) -> list[Verdict]:
    return [result.verdict for result in done.results]


async def test_a_spent_budget_ends_a_sweep_and_the_same_command_goes_on(
    worker_python: str, tmp_path: Path
) -> None:
    first = await swept(worker_python, tmp_path, 1, 3, 4, 5, 6, 7)
    done = end_of(first)
    assert verdicts(done) == [Verdict.PASS, Verdict.HUNG]
    assert done.trouble is not None
    assert done.trouble.happened == "The device hung once, which is the limit."

    second = await swept(worker_python, tmp_path, 1, 3, 4, 5, 6, 7)
    assert launched(second) == [3, 4]
    assert end_of(second).trouble == done.trouble
    third = await swept(worker_python, tmp_path, 1, 3, 4, 5, 6, 7)
    assert launched(third) == [5]
    assert end_of(third).trouble is None
    expected = [Verdict.PASS, Verdict.HUNG, Verdict.PASS, Verdict.HUNG, Verdict.PASS]
    assert verdicts(end_of(third)) == expected


async def test_a_budget_that_is_not_spent_ends_nothing(worker_python: str, tmp_path: Path) -> None:
    done = end_of(await swept(worker_python, tmp_path, 3, 3, 4, 5, 6))
    assert done.trouble is None
    assert len(done.results) == 4


async def test_a_hang_of_the_last_shape_leaves_nothing_undone(
    worker_python: str, tmp_path: Path
) -> None:
    assert end_of(await swept(worker_python, tmp_path, 1, 3, 4)).trouble is None


async def test_the_last_hang_is_not_spent_on_telling_forking_from_the_shape(
    worker_python: str, tmp_path: Path
) -> None:
    events = await swept(worker_python, tmp_path, 1, 4, 5)
    assert launched(events) == [1]
    assert notes_of(events) == []
    assert end_of(events).results[0].runs == 1


async def test_a_larger_budget_is_spent_on_it(worker_python: str, tmp_path: Path) -> None:
    events = await swept(worker_python, tmp_path, 2, 4, 5)
    done = end_of(events)
    assert launched(events) == [1, 1]
    assert done.trouble is not None
    assert done.trouble.happened == "The device hung 2 times, which is the limit."


async def test_without_a_budget_every_shape_is_tried(worker_python: str, tmp_path: Path) -> None:
    done = end_of(await swept(worker_python, tmp_path, None, 3, 4, 5, 6, 7))
    assert done.trouble is None
    assert len(done.results) == 5
