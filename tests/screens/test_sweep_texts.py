"""Grid, rows and times as text, and the sentence above them: data in, text out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from textual.content import Content

from screens.conv2d import grid
from screens.conv2d.grid import TIMES, cells_of, columns_for, grid_lines, places_of
from screens.conv2d.state import NOT_YET, Mark, SweepState, line_of_row, mark_of
from tests.conv2d.made import made
from wizard.conv2d.shapes import (
    Published,
    Row,
    Shape,
    load_presets,
    operation_rows,
    rows_of,
    square,
)
from wizard.conv2d.text import way_of, what_of
from wizard.conv2d.verdicts import Loaded, Verdict
from wizard.report.conv2d_conclusion import failures_text, tally

ROWS = tuple(Row(square(*pair, size)) for pair in ((32, 64), (16, 32)) for size in (64, 32))
CLAIM = Published("hung", 2.5, None, None, "RX 5600 XT", "notes", "gfx1010", "5.7")
PHASES = (
    *("import", "start", "tensors", "sum", "product", "cold", "backward", "step", "warm"),
    *("copy back", "compare", "control", "health", "killed", "running"),
)
Draw = Callable[[SweepState, int, int, int], list[Content]]


def plain(lines: Sequence[Content]) -> list[str]:
    return [line.plain.rstrip() for line in lines]


@pytest.mark.parametrize(("width", "height"), [(74, 12), (78, 17), (114, 33)])
def test_every_preset_keeps_to_its_room_with_the_cursor_in_sight(width: int, height: int) -> None:
    for preset in load_presets():
        state = SweepState(preset.rows)
        for number, row in enumerate(preset.rows, 1):
            verdict = list(Verdict)[number % len(Verdict)]
            state = state.with_result(number, made(row.shape, verdict, cold_s=0.2, warm_s=1e-5))
        for number in range(1, len(preset.rows) + 1):
            lines = grid_lines(state, number, width, height)
            assert len(lines) <= height, (preset.id, number)
            assert max(line.cell_length for line in lines) <= width, (preset.id, number)
            assert any("[" in line.plain for line in lines[1:]), (preset.id, number)


def test_the_grid_has_sizes_down_and_channels_across_in_their_order() -> None:
    state = SweepState(ROWS).with_result(1, made(verdict=Verdict.HUNG)).with_phase(3, "cold")
    assert plain(grid_lines(state, 2, 78, 10))[:3] == [
        "Size      16->32       32->64",
        "32x32     ·           [·]",
        "64x64     > cold       ✗ hung",
    ]


def test_what_is_right_stands_with_its_time() -> None:
    state = SweepState(ROWS).with_result(1, made(cold_s=0.2, warm_s=0.0009))
    assert "64x64     ·           [✓ 0.9 ms]" in plain(grid_lines(state, 1, 78, 10))


def test_a_row_that_is_not_plain_has_a_column_of_its_own_behind_the_plain_ones() -> None:
    rows = (Row(square(1, 8, 9, kernel=5)), Row(Shape(64, 64, 56, 40, stride=2)), *ROWS)
    lines = plain(grid_lines(SweepState(rows), 1, 78, 12))
    assert lines[0].split() == ["Size", "16->32", "32->64", "1->8", "64->64"]
    assert lines[1].split() == ["5x5", "stride", "2"]
    assert [line.split()[0] for line in lines[2:6]] == ["9x9", "32x32", "56x40", "64x64"]


def test_how_a_row_is_measured_is_part_of_its_column() -> None:
    forward, backward = rows_of((ROWS[0],), ("forward", "backward"))
    native = replace(forward, engine="native", setting=(("MIOPEN_FIND_MODE", "2"),))
    assert list(map(way_of, (forward, backward, native))) == [
        "",
        "backward",
        "native MIOPEN_FIND_MODE=2",
    ]


def test_what_has_no_size_or_stands_behind_another_is_counted_below_the_grid() -> None:
    rows = (*ROWS, ROWS[0], *operation_rows(("lstm",)))
    told = "Not in the grid: 1 without a size, 1 repeated. Press v to see them as rows."
    assert told in plain(grid_lines(SweepState(rows), 1, 78, 12))
    assert "not in the grid" not in "".join(plain(grid_lines(SweepState(ROWS), 1, 78, 12)))


def test_a_cell_of_several_rows_shows_the_one_that_is_not_right() -> None:
    state = SweepState((ROWS[0],) * 3).with_result(1, made()).with_result(3, made())
    state = state.with_result(2, made(verdict=Verdict.WRONG))
    assert "64x64    [✗ wrong]" in plain(grid_lines(state, 1, 78, 12))


def test_a_phase_stands_whole_or_as_a_shorter_word_in_a_cell_of_the_grid() -> None:
    for phase in PHASES:
        lines = plain(grid_lines(SweepState(ROWS).with_phase(2, phase), 2, 78, 12))
        (line,) = [line for line in lines if line.startswith("32x32 ")]
        assert "…" not in line, phase
        assert line.split("[> ")[1].partition("]")[0].strip(), phase
        assert line_of_row(SweepState(ROWS).with_phase(2, phase), 2).endswith(phase)


def test_operations_alone_give_no_grid_and_say_where_they_are() -> None:
    rows = operation_rows(("lstm", "batch-norm"))
    assert plain(grid_lines(SweepState(rows), 1, 78, 12))[0].endswith(
        "Press v to see them as rows."
    )
    assert grid.moved(SweepState(rows), 2, 1, 0) == 2


def test_columns_that_do_not_fit_scroll_with_the_cursor() -> None:
    rows = tuple(Row(square(n, n, 32)) for n in range(1, 12))
    first, last = (plain(grid_lines(SweepState(rows), number, 78, 10)) for number in (1, 11))
    assert first[0] == "Columns 1 to 5 of 11 (← →)"
    assert last[0] == "Columns 7 to 11 of 11 (← →)"
    assert "11->11" in last[1]


def test_steps_in_a_sparse_grid_reach_every_row() -> None:
    state = SweepState(next(p for p in load_presets() if p.id == "mobilenetv3").rows)
    reached, waiting = {1}, [1]
    while waiting:
        number = waiting.pop()
        steps = {grid.moved(state, number, *s) for s in ((0, 1), (0, -1), (1, 0), (-1, 0))}
        waiting += steps - reached
        reached |= steps
    assert reached == set(range(1, len(state.rows) + 1))


def test_times_are_bars_on_one_scale_and_what_has_none_says_why() -> None:
    rows = tuple(Row(square(16, 32, size)) for size in (32, 64, 128))
    state = SweepState(rows).with_result(1, made(cold_s=1.0, warm_s=0.01))
    state = state.with_result(2, made(cold_s=100.0, warm_s=0.00001))
    state = state.with_result(3, made(verdict=Verdict.HUNG, detail="no end within 60 s"))
    columns = columns_for(state, 80, times=True)
    assert [column.head for column in columns] == [head for head, _ in TIMES]
    bars = [cells_of(state, number, columns)[-1] for number in (1, 2, 3)]
    assert bars[0] == "█" * 11 + "░" * 8
    assert bars[1] == "█" + "░" * 25
    assert bars[2] == "hung"


def test_what_was_published_for_the_card_and_stack_at_hand_stands_beside_them() -> None:
    rows = tuple(Row(square(16, 32, size), CLAIM) for size in (32, 64))
    measured = Loaded("2.2.2+rocm5.7", "5.7.31921", "AMD Radeon RX 5600 XT", "gfx1010")
    known = SweepState(rows, chip="gfx1010", rocm="5.7")
    seen = SweepState(rows).with_result(1, made(cold_s=0.5, warm_s=0.001, loaded=measured))
    for state in (known, seen):
        assert mark_of(state, 2) == Mark("", "(hung)", "dim")
        assert published_cell(state) == "hung 2.5 s"


@pytest.mark.parametrize(
    ("chip", "rocm"),
    [("gfx1012", "5.7"), ("gfx1010", "5.2"), (None, "5.7"), ("gfx1010", "")],
    ids=("other chip", "other ROCm", "chip unknown", "ROCm unknown"),
)
def test_what_was_published_for_another_card_or_stack_stands_beside_no_shape(
    chip: str | None, rocm: str
) -> None:
    rows = tuple(Row(square(16, 32, size), CLAIM) for size in (32, 64))
    state = SweepState(rows, chip=chip, rocm=rocm)
    assert published_cell(state) == ""
    assert mark_of(state, 2) == NOT_YET


def test_a_row_in_one_line_names_for_which_stack_and_card_something_was_published() -> None:
    state = SweepState((Row(square(16, 32, 64), CLAIM),))
    told = "16->32 3x3 @64x64: not measured, published: hung 2.5 s (ROCm 5.7 on gfx1010)"
    assert line_of_row(state, 1) == told
    vague = replace(CLAIM, rocm=None)
    state = SweepState((Row(square(16, 32, 64), vague),))
    assert line_of_row(state, 1).endswith("published: hung 2.5 s (RX 5600 XT)")


def published_cell(state: SweepState) -> str:
    """What stands in the table, beside the second row."""
    columns = columns_for(state, 80)
    cells = dict(zip((each.head for each in columns), cells_of(state, 2, columns), strict=True))
    return cells["Published"]


def test_on_a_processor_nothing_published_is_shown() -> None:
    rows = (Row(square(16, 32, 32), CLAIM), Row(square(16, 32, 64), CLAIM))
    state = SweepState(rows, device="cpu")
    assert "hung" not in "\n".join(plain(grid_lines(state, 1, 78, 17)))
    assert published_cell(state) == ""


def test_every_verdict_has_a_word_of_six_letters() -> None:
    marks = [mark_of(SweepState(ROWS).with_result(1, made(verdict=v)), 1) for v in Verdict]
    assert [mark.word for mark in marks if len(mark.word) > 6] == []


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        ("ppphh", "16->32 hangs from 64x64 on; the rest is right."),
        ("pphpp", "16->32 hangs at 48x48; the rest is right."),
        ("hhhhh", "16->32 hangs at every size."),
        ("ppphw", "16->32 hangs at 64x64; also 1 wrong."),
        ("ph---", "16->32 hangs at 44x44."),
        ("wphpw", "16->32 hangs at 48x48; also 2 wrong."),
    ],
)
def test_what_fails_is_said_by_channels_and_sizes(verdicts: str, told: str) -> None:
    rows = [Row(square(16, 32, size)) for size in (32, 44, 48, 64, 224)]
    kinds = {"p": Verdict.PASS, "h": Verdict.HUNG, "w": Verdict.WRONG}
    known = [
        (row, made(row.shape, kinds[each]))
        for row, each in zip(rows, verdicts, strict=True)
        if each in kinds
    ]
    assert failures_text(known, len(rows)) == told


def test_channels_that_fail_alike_stand_together_and_many_are_counted() -> None:
    rows = [Row(square(c, 2 * c, size)) for c in (16, 32) for size in (32, 64)]
    known = [(r, made(r.shape, Verdict.HUNG if r.shape.h > 32 else Verdict.PASS)) for r in rows]
    assert failures_text(known, 4) == "16->32 and 32->64 hang at 64x64; the rest is right."
    rows = [Row(square(c, c, size)) for c in (1, 2, 3, 4, 5) for size in (32, 64)]
    known = [(r, made(r.shape, Verdict.HUNG if r.shape.h > 32 else Verdict.PASS)) for r in rows]
    assert failures_text(known, 10) == "5 of 10 shapes hang; the rest is right."


def test_verdicts_are_counted_in_words_with_the_right_ones_first() -> None:
    verdicts = [Verdict.HUNG, *[Verdict.PASS] * 6]
    assert tally(verdicts) == "6 right, 1 hangs"
    assert tally([*verdicts, Verdict.HUNG, Verdict.WRONG]) == "6 right, 2 hang, 1 wrong"


def test_rows_stand_in_the_places_of_their_shapes() -> None:
    places = places_of(ROWS)
    assert (places.sizes, [c.channels for c in places.columns]) == (
        ((32, 32), (64, 64)),
        ["16->32", "32->64"],
    )
    assert places.cells == {(1, 1): (1,), (0, 1): (2,), (1, 0): (3,), (0, 0): (4,)}
    assert places.has_many_sizes


def test_a_row_in_a_few_words_says_each_thing_once() -> None:
    row = replace(ROWS[0], engine="native", log=True)
    assert what_of(row) == "32->64 @64 native"
