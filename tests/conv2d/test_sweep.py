"""Sweeps in which nothing goes wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.sweeping import (
    end_of,
    environ,
    events_of,
    of_type,
    results_of,
    small,
    sweep_of,
    verdicts_of,
)
from wizard.conv2d.shapes import Row, Shape
from wizard.conv2d.sweep import DeviceFound, Phase, ShapeDone, ShapeStarted, WorkerStarted
from wizard.conv2d.verdicts import Verdict


@pytest.mark.parametrize("spawn", [False, True], ids=["fork", "spawn"])
async def test_every_shape_is_measured_and_right(
    worker_python: str, tmp_path: Path, spawn: bool
) -> None:
    events = await events_of(sweep_of(worker_python, 3, 4, 5, spawn=spawn), tmp_path)

    results = results_of(events)
    assert [result.shape for result in results] == [small(c).shape for c in (3, 4, 5)]
    assert {result.verdict for result in results} == {Verdict.PASS}
    for result in results:
        assert result.cold_s is not None
        assert result.cold_s > 0
        assert result.warm_s is not None
        assert result.max_abs_error is not None
        assert result.tolerance is not None
        assert 0 < result.max_abs_error <= result.tolerance
        assert result.nonfinite == 0
        assert result.runs == 1
        assert result.process == ("spawn" if spawn else "fork")


async def test_events_come_in_the_order_of_the_work(worker_python: str, tmp_path: Path) -> None:
    events = await events_of(sweep_of(worker_python, 3, 4), tmp_path)

    kinds = [type(event) for event in events if not isinstance(event, Phase)]
    assert kinds[:4] == [WorkerStarted, ShapeStarted, DeviceFound, ShapeDone]
    phases = [event.name for event in of_type(events, Phase) if event.number == 2]
    assert phases == ["tensors", "cold", "warm", "copy back", "compare"]
    (first, later) = of_type(events, ShapeStarted)
    assert (first.number, later.number, later.total) == (1, 2, 2)


async def test_what_was_really_loaded_stands_in_each_result(
    worker_python: str, tmp_path: Path
) -> None:
    variables = {**environ(hip="5.2.21151"), "HSA_OVERRIDE_GFX_VERSION": "10.3.0"}
    (result,) = results_of(
        await events_of(sweep_of(worker_python, 3, device="cuda"), tmp_path, variables)
    )

    assert result.loaded.torch == "0.0+fake"
    assert result.loaded.hip == "5.2.21151"
    assert (result.loaded.device, result.loaded.gfx) == ("Fake RX 5600 XT", "gfx1030")
    assert result.loaded.setting == (("HSA_OVERRIDE_GFX_VERSION", "10.3.0"),)
    assert result.memory_bytes == 4096
    assert result.engine == "miopen"


async def test_the_cpu_has_no_gfx_target_and_no_memory_figure(
    worker_python: str, tmp_path: Path
) -> None:
    (result,) = results_of(await events_of(sweep_of(worker_python, 3), tmp_path))

    assert (result.engine, result.loaded.device, result.loaded.gfx) == ("cpu", "cpu", None)
    assert result.memory_bytes is None


async def test_shapes_of_all_kinds_reach_the_worker(worker_python: str, tmp_path: Path) -> None:
    shapes = (
        Shape(2, 4, 5, 7, kernel=3, padding=0, n=2, stride=2),
        Shape(4, 4, 6, 6, kernel=3, padding=2, dilation=2, groups=2, bias=True),
        Shape(1, 1, 3, 3, kernel=1, padding=0, dtype="float64"),
    )
    sweep = replace(sweep_of(worker_python), rows=tuple(Row(shape) for shape in shapes))

    assert verdicts_of(await events_of(sweep, tmp_path)) == [Verdict.PASS] * 3


async def test_no_shapes_end_at_once(worker_python: str, tmp_path: Path) -> None:
    events = await events_of(sweep_of(worker_python), tmp_path)

    assert end_of(events).results == ()
    assert of_type(events, WorkerStarted) == []


async def test_slow_is_a_verdict_of_its_own(worker_python: str, tmp_path: Path) -> None:
    sweep = replace(sweep_of(worker_python, 3), slow_s=0.0)

    assert verdicts_of(await events_of(sweep, tmp_path)) == [Verdict.SLOW]
