"""Two runs side by side: verdicts that differ first, ratios of times, whose chip it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.commands.test_conv2d_lines import CLAIM
from tests.conv2d.made import CARD, made
from wizard.conv2d.cards.comparison import compare_results, compare_runs, comparison_form
from wizard.conv2d.cards.result_card import Chip, ResultCard, Stack
from wizard.conv2d.shapes import Preset, Shape, load_presets, square
from wizard.conv2d.verdicts import Loaded, Result, Verdict, chip_measured, is_other_chip
from wizard.report.conv2d import since_lines, sweep_lines
from wizard.report.conv2d_runs import card_lines, compare_lines

RDNA1 = Chip("Radeon RX 5600 XT", "gfx1010", "1002:731f", 6 << 30)
RDNA2 = Chip("Radeon RX 6700 XT", "gfx1031", "1002:73df", 12 << 30)


def card(*results: Result, chip: Chip = RDNA1) -> ResultCard:
    stack = Stack("2.2.2+rocm5.7", "5.7.31921", kernel="6.8.0-45-generic", driver="in-tree")
    return ResultCard(
        "2026-01-02T03:04+00:00", "0", finished=True, chip=chip, stack=stack, results=results
    )


def timed(size: int, warm: float, verdict: Verdict = Verdict.PASS) -> Result:
    return made(square(16, 32, size), verdict, warm_s=warm, cold_s=10 * warm)


BEFORE = (timed(32, 0.01), timed(44, 0.01), timed(48, 0.02), timed(56, 0.01))
AFTER = (
    timed(32, 0.01),
    made(square(16, 32, 44), Verdict.HUNG),
    timed(48, 0.01),
    timed(56, 0.04),
    timed(64, 0.01),
)


def test_verdicts_that_differ_come_first_then_times_by_how_much_they_differ() -> None:
    found = compare_runs(card(*BEFORE), card(*AFTER))
    assert [change.shape.h for change in found.changes] == [44, 56, 48, 32]
    assert [change.differs for change in found.changes] == [True, False, False, False]
    assert [change.warm_ratio for change in found.changes] == [None, 4.0, 0.5, 1.0]
    assert [shape.h for shape, _ in found.only_after] == [64]
    assert found.only_before == ()


def test_a_shape_that_was_measured_several_times_is_one_row() -> None:
    thrice = [timed(44, 0.01), timed(44, 0.03), made(square(16, 32, 44), Verdict.HUNG)]
    (change,) = compare_results(BEFORE, thrice)
    assert change.after.words == "pass 2 of 3"
    assert change.differs
    assert change.warm_ratio == pytest.approx(2.0)


def test_engines_and_variables_of_a_row_keep_rows_apart() -> None:
    native = replace(timed(32, 0.5), engine="native")
    asked = replace(timed(32, 0.7), asked=(("MIOPEN_DEBUG_CONV_GEMM", "0"),))
    backward = replace(timed(32, 0.9), work="backward")
    norm = replace(timed(32, 0.2), work="batch-norm", operation="BatchNorm2d", engine="torch")
    again = (native, asked, backward, norm)
    found = compare_results([*BEFORE, *again], again)
    assert [change.warm_ratio for change in found] == [1.0] * 4
    assert [change.manner.named(change.shape) for change in found] == [
        "16->32 3x3 @32x32 (native)",
        "16->32 3x3 @32x32 (configured MIOPEN_DEBUG_CONV_GEMM=0)",
        "16->32 3x3 @32x32 (configured backward)",
        "BatchNorm2d",
    ]


def test_torch_as_configured_is_the_same_way_on_every_device() -> None:
    on_cpu = replace(timed(32, 0.1), engine="cpu")
    (change,) = compare_results([on_cpu], [timed(32, 0.01)])
    assert change.warm_ratio == pytest.approx(0.1)


def test_what_was_not_measured_is_not_compared() -> None:
    assert compare_results(BEFORE, [made(square(16, 32, 44), Verdict.UNUSABLE)]) == ()


def test_another_chip_than_here_is_labelled_and_a_mixed_pair_is_told() -> None:
    found = compare_runs(card(*BEFORE), card(*AFTER, chip=RDNA2))
    told = "\n".join(compare_lines(found, "gfx1010"))
    first, second = (next(x for x in told.splitlines() if x.startswith(f"{n}: ")) for n in "AB")
    assert "not your chip" not in first
    assert "not your chip" in second
    assert "The chips differ: gfx1010 and gfx1031." in told
    assert comparison_form(found)["same_chip"] is False
    same = "\n".join(compare_lines(compare_runs(card(*BEFORE), card(*AFTER)), "gfx1010"))
    assert "not your chip" not in same
    assert "The chips" not in same


def test_the_table_marks_what_differs_and_tells_the_rest_as_ratios() -> None:
    lines = list(compare_lines(compare_runs(card(*BEFORE), card(*AFTER))))
    rows = [line for line in lines if line.startswith(("* 16", "16"))]
    assert rows[0].split() == ["*", "16->32", "3x3", "@44x44", "pass", "hung", "-", "-"]
    assert rows[1].split()[-2:] == ["x4", "x4"]
    assert "1 of 4 shapes measured in both has a different verdict." in lines
    assert "Only in B: 16->32 3x3 @64x64." in lines


def test_runs_with_nothing_in_common_say_so() -> None:
    (*_, last) = compare_lines(compare_runs(card(timed(32, 1)), card(timed(44, 1))))
    assert "There is nothing to compare" in last


@pytest.mark.parametrize("preset", load_presets(), ids=lambda preset: preset.id)
def test_every_table_fits_80_columns(preset: Preset) -> None:
    results = [made(row.shape, warm_s=123.0, cold_s=4e5) for row in preset.rows]
    slow = [replace(each, verdict=Verdict.OUT_OF_MEMORY, warm_s=0.1) for each in results]
    found = compare_runs(card(*results), card(*slow, chip=RDNA2))
    assert max(map(len, compare_lines(found, "gfx1010"))) < 80


def test_texts_of_others_are_no_escapes_and_stay_in_80_columns() -> None:
    odd = Shape(16, 32, 224, 224, 5, 1, n=16, stride=2, dilation=2, dtype="bfloat16", bias=True)
    evil = made(odd, engine="[bold]" + "x" * 300, asked=(("A" * 90, "B" * 90),))
    theirs = card(evil, chip=Chip("x" * 300, "\x1b[31mgfx", None, 1))
    lines = [*compare_lines(compare_runs(theirs, theirs)), *card_lines(theirs, "gfx1010")]
    assert max(map(len, lines)) < 80
    assert all(line.isprintable() for line in lines)


def test_a_card_tells_the_engine_of_each_result() -> None:
    lines = list(card_lines(card(timed(32, 1), replace(timed(32, 2), engine="unfold"))))
    rows = [line.split() for line in lines if line.startswith(("Shape", "16"))]
    assert rows[0][:3] == ["Shape", "Engine", "Verdict"]
    assert [row[3:5] for row in rows[1:]] == [["miopen", "pass"], ["unfold", "pass"]]


def test_below_a_run_stands_what_changed_since_the_one_before() -> None:
    told = " ".join(since_lines(BEFORE, AFTER))
    assert "1 of 4 shapes measured in both has a different verdict." in told
    assert "16->32 3x3 @44x44: pass, now hung" in told
    assert "--compare" in told
    assert "with torch" not in told
    other = [replace(r, loaded=replace(CARD, torch="1.13.1+rocm5.2")) for r in BEFORE]
    assert "The previous run used torch 1.13.1+rocm5.2." in " ".join(since_lines(other, AFTER))


def test_without_a_run_before_nothing_is_said() -> None:
    assert list(since_lines((), AFTER)) == []
    assert list(since_lines((timed(7, 1),), AFTER)) == []


@pytest.mark.parametrize(
    ("loaded", "chip"),
    [
        (CARD, "gfx1010"),
        (replace(CARD, device="AMD Radeon Graphics"), "gfx1030"),
        (
            replace(
                CARD, device="AMD Radeon Graphics", setting=(("HSA_OVERRIDE_GFX_VERSION", "10"),)
            ),
            None,
        ),
        (Loaded("2.13.0", None, "NVIDIA H100 80GB HBM3"), "NVIDIA H100 80GB HBM3"),
        (Loaded("2.13.0", None, "cpu"), None),
        (Loaded(), None),
    ],
)
def test_an_override_hides_the_chip_and_the_name_of_the_card_tells_it(
    loaded: Loaded, chip: str | None
) -> None:
    assert chip_measured(loaded) == chip


def test_published_figures_of_another_chip_are_labelled() -> None:
    claim = replace(CLAIM, chip="gfx1010")
    assert not is_other_chip(claim, CARD)
    assert not is_other_chip(replace(claim, chip=None), Loaded("2", None, "NVIDIA H100"))
    other = Loaded("2.13.0", None, "NVIDIA H100 80GB HBM3")
    mine, theirs = (
        "\n".join(sweep_lines([made(published=claim, loaded=loaded)])) for loaded in (CARD, other)
    )
    assert "not your chip" not in mine
    assert "(not your chip)" in theirs
