"""A test of a card: how its hangs are shared out, and what of an earlier start counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.conv2d.made import CARD, made
from tests.conv2d.planting_runs import FIRST, plant
from wizard.conv2d.card_test import (
    Measurement,
    Part,
    finished_lately,
    limit_after,
    other_device,
    setting_after,
    table_hangs,
)
from wizard.conv2d.shapes import Row, square
from wizard.conv2d.stop_reasons import stopped
from wizard.conv2d.sweep import Sweep, SweepDone
from wizard.conv2d.verdicts import Verdict
from wizard.core.own_files import places

SIZES = (32, 44, 64, 224)
TABLE = Sweep("/v/bin/python", tuple(Row(square(16, 32, size)) for size in SIZES))
REACHED = replace(CARD, setting=(("HSA_OVERRIDE_GFX_VERSION", "10.3.0"),))


def table_of(*verdicts: Verdict) -> tuple[SweepDone, ...]:
    results = (made(row.shape, verdict) for row, verdict in zip(TABLE.rows, verdicts, strict=False))
    return (SweepDone(tuple(results), None, 0.0),)


@pytest.mark.parametrize(("allowed", "table"), [(1, 1), (2, 1), (3, 2), (4, 3), (5, 2), (6, 3)])
def test_the_table_leaves_hangs_for_the_searches_where_there_are_enough(
    allowed: int, table: int
) -> None:
    assert table_hangs(allowed) == table


def test_the_limit_is_looked_for_between_the_last_that_is_right_and_the_first_that_fails() -> None:
    (done,) = table_of(Verdict.PASS, Verdict.HUNG, Verdict.HUNG)
    request = limit_after(TABLE, done.results, 4)
    assert request is not None
    assert (request.smallest, request.largest, request.hangs) == (32, 44, 1)
    assert limit_after(TABLE, done.results, 0) is None


def test_many_sizes_are_halved_as_far_as_the_hangs_go() -> None:
    (done,) = table_of(Verdict.PASS, Verdict.PASS, Verdict.PASS, Verdict.HUNG)
    for left, hangs in ((1, 1), (2, 2), (9, 3)):
        request = limit_after(TABLE, done.results, left)
        assert request is not None
        assert (request.smallest, request.largest, request.hangs) == (64, 224, hangs)


def test_nothing_is_searched_where_nothing_fails_or_one_hang_is_left_for_a_setting() -> None:
    (right,), (wrong,) = table_of(Verdict.PASS), table_of(Verdict.HUNG)
    assert limit_after(TABLE, right.results, 9) is None
    assert setting_after(TABLE, right.results, 9) is None
    assert setting_after(TABLE, wrong.results, 1) is None
    assert setting_after(TABLE, wrong.results, 2) is not None


def test_what_ended_within_the_hour_is_taken_and_nothing_else(tmp_path: Path) -> None:
    home, result = places({}, str(tmp_path)), made(TABLE.rows[0].shape)
    environ = {"HOME": str(tmp_path), "HIP_TEST": "0"}
    plant(home, 0, result, request=TABLE)
    soon, late = FIRST + timedelta(minutes=59), FIRST + timedelta(minutes=61)
    found = finished_lately(TABLE, home, environ, soon)
    assert found is not None
    assert [each.verdict for each in found[1].results] == [Verdict.PASS]
    assert finished_lately(TABLE, home, environ, late) is None
    assert finished_lately(replace(TABLE, python="/w/bin/python"), home, environ, soon) is None
    assert finished_lately(TABLE, home, {**environ, "HIP_TEST": "1"}, soon) is None


def test_what_was_stopped_is_gone_on_with(tmp_path: Path) -> None:
    home, result = places({}, str(tmp_path)), made(TABLE.rows[0].shape)
    plant(home, 0, result, request=TABLE, trouble=stopped())
    environ = {"HOME": str(tmp_path), "HIP_TEST": "0"}
    assert finished_lately(TABLE, home, environ, FIRST) is None


@pytest.mark.parametrize(
    ("loaded", "other"),
    [
        (REACHED, ""),
        (replace(REACHED, gfx="gfx1010", setting=()), ""),
        (replace(REACHED, gfx="gfx1036", setting=(), device="AMD Graphics"), "AMD Graphics"),
        (replace(REACHED, hip=None, device="NVIDIA H100"), "NVIDIA H100"),
        (replace(REACHED, hip=None, device="cpu"), "cpu"),
    ],
    ids=["overridden", "its own target", "a processor's graphics", "another maker's", "processor"],
)
def test_only_an_rdna1_card_is_taken_for_one(loaded: object, other: str) -> None:
    assert other_device((made(loaded=loaded),)) == other


def test_what_only_begins_a_search_is_left_out_and_a_stop_is_no_end() -> None:
    shape = TABLE.rows[0].shape
    logged = made(shape, Verdict.HUNG, log=True)
    done = SweepDone((made(shape), logged, replace(logged, asked=(("A", "0"),))), None, 0.0)
    tested = Measurement("/v/bin/python", (Part(TABLE, done),))
    assert [each.log for each in tested.results] == [False, True]
    assert tested.finished
    assert not replace(tested, stopped=True).finished
