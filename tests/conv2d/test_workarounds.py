"""What can be done about a shape that does not pass: each way a row, measured and told."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.clock import deadlines_pass_when_told
from tests.conv2d.made import made
from tests.conv2d.sweeping import environ, sweep_of
from wizard.conv2d.search.workarounds import (
    WorkaroundRequest,
    alternatives,
    find_workarounds,
    tried,
)
from wizard.conv2d.shapes import Row, Shape, square
from wizard.conv2d.sweep import Deadlines, Sweep, SweepDone
from wizard.conv2d.verdicts import Verdict
from wizard.report.conv2d_answers import workaround_lines

HUNG = Row(square(16, 32, 64))
EAGER = Deadlines(imports=30, first=30, later=30, reference=30, killed=30, look=0.05)


def test_every_way_that_the_notes_name_is_a_row() -> None:
    titles = [each.title for each in alternatives(Row(square(16, 32, 44)))]
    assert titles == [
        "unfold and matmul",
        "torch's own code, without MIOpen",
        "padded with zeros to 16->33 channels",
        "padded with zeros to 17->32 channels",
        "padded with zeros to 17->33 channels",
        "4 tiles of 32x32",
        "image resized to 64x64",
        "image resized to 32x32",
    ]


def test_short_formats_can_be_computed_in_float32() -> None:
    for dtype in ("float16", "bfloat16"):
        ways = alternatives(Row(replace(HUNG.shape, dtype=dtype)))
        (wider,) = [each for each in ways if each.title == "computed in float32"]
        assert wider.row.shape == HUNG.shape
        assert not wider.changes_result


def test_only_what_is_resized_changes_the_result() -> None:
    for each in alternatives(HUNG):
        assert bool(each.changes_result) == each.title.startswith("image resized")
        assert each.row.published is None


@pytest.mark.parametrize(
    "shape",
    [
        Shape(32, 32, 112, 112, groups=32),
        Shape(3, 64, 224, 224, 7, 3, stride=2),
        square(16, 32, 8),
        Shape(1, 1, 1, 1, 1, 0),
        Shape(8, 8, 40, 200, 3, 1, dtype="float16", bias=True, dilation=2),
    ],
)
def test_every_shape_has_ways_that_can_be_measured(shape: Shape) -> None:
    ways = alternatives(Row(shape))
    assert {each.row.engine for each in ways} >= {"unfold", "native"}
    assert all(each.calls >= 1 for each in ways)
    assert len({(each.row, each.title) for each in ways}) == len(ways)


def test_an_engine_is_no_way_around_itself() -> None:
    assert "native" not in [e.row.engine for e in alternatives(replace(HUNG, engine="native"))][:1]


async def measured(request: WorkaroundRequest, folder: Path, **manifest: object) -> SweepDone:
    variables = environ(**manifest)  # type: ignore[arg-type]
    with deadlines_pass_when_told() as fifo:
        stream = find_workarounds(
            request,
            journal=folder / "journal.jsonl",
            environ={**variables, "FAKE_TORCH_HANGS": fifo},
        )
        async with aclosing(stream) as events:
            (done,) = [event async for event in events if isinstance(event, SweepDone)]
            return done


def request(python: str, hangs: int = 3) -> WorkaroundRequest:
    """A shape that hangs above 32, and everything that may be done about it."""
    sweep = sweep_of(python, deadlines=EAGER)
    return WorkaroundRequest(replace(sweep, rows=(Row(Shape(2, 4, 40, 40)),)), hangs)


async def test_each_way_is_measured_and_judged_as_any_row(
    worker_python: str, tmp_path: Path
) -> None:
    asked = request(worker_python, hangs=20)
    done = await measured(asked, tmp_path, limits={"power of two": 32})
    assert done.results[0].verdict is Verdict.HUNG
    found = {each.alternative.title: each for each in tried(asked, done.results)}
    assert found["4 tiles of 32x32"].passes
    assert found["padded with zeros to 3->4 channels"].passes
    assert not found["padded with zeros to 2->5 channels"].passes
    assert found["image resized to 32x32"].passes
    tiles = found["4 tiles of 32x32"]
    assert tiles.result is not None
    assert tiles.result.warm_s is not None
    assert tiles.seconds == 4 * tiles.result.warm_s


async def test_the_hangs_allowed_end_it(worker_python: str, tmp_path: Path) -> None:
    """The first that hangs is launched twice: it might have been the fault of forking."""
    asked = request(worker_python, hangs=3)
    done = await measured(asked, tmp_path, limits={"any": 32})
    hung = [result.runs for result in done.results if result.verdict is Verdict.HUNG]
    assert hung == [2, 1]
    unmeasured = [each for each in tried(asked, done.results) if each.result is None]
    assert unmeasured
    assert "the allowed hangs are used" in " ".join(
        workaround_lines(done.results[0], tried(asked, done.results))
    )


async def test_a_shape_that_passes_needs_no_way_around_it(
    worker_python: str, tmp_path: Path
) -> None:
    done = await measured(request(worker_python), tmp_path)
    assert [result.verdict for result in done.results] == [Verdict.PASS]
    assert "no workaround" in " ".join(workaround_lines(done.results[0], ()))


def test_lines_tell_cost_and_the_cheapest_that_keeps_the_result() -> None:
    asked = WorkaroundRequest(Sweep("python3", (HUNG,)), 9)
    ways = alternatives(asked.row)
    results = [made(HUNG.shape, Verdict.HUNG)]
    results += [made(each.row.shape, warm_s=0.001 * n) for n, each in enumerate(ways, 1)]
    results[1] = made(ways[0].row.shape, Verdict.WRONG, warm_s=0.001)
    lines = list(workaround_lines(results[0], tried(asked, results)))
    told = " ".join(" ".join(lines).split())
    assert max(map(len, lines)) < 80
    assert "unfold and matmul: wrong" in told
    assert "9 tiles of 32x32: pass; 54 ms for each call (9 x 6 ms); without cutting" in told
    assert (
        "The fastest workaround with the same result: torch's own code, without MIOpen, 2 ms for "
        "each call." in told
    )


def test_lines_say_so_where_nothing_passes() -> None:
    asked = WorkaroundRequest(Sweep("python3", (HUNG,)), 9)
    results = [made(row.shape, Verdict.HUNG) for row in asked.rows]
    assert "None of the measured workarounds helps" in " ".join(
        workaround_lines(results[0], tried(asked, results))
    )
