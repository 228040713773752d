"""Everything about one row, in words: for the panel, and where it is printed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conv2d.made import CARD, made
from wizard.conv2d.hangs import NEXT_STEPS, HangClass
from wizard.conv2d.shapes import Published, Row, operation_rows, square
from wizard.conv2d.verdicts import Control, Loaded, Result, Verdict
from wizard.report.conv2d_row import Place, details, equivalents

CLAIM = Published("hung", None, None, None, "RX 5600 XT: over 2000 s", "notes 003", "gfx1010")
ROW = Row(square(16, 32, 64), CLAIM)
GPU, CPU = Place("/v/bin/python", "cuda", "gfx1010"), Place("/v/bin/python", "cpu")
HUNG = made(
    verdict=Verdict.HUNG,
    detail="no answer within 60 s in its first call; the process was killed. "
    "spinning kernel: the card was 99 % busy",
    hang_class="spinning kernel",
    because="the card was 99 % busy",
    log_line="MIOpen(HIP): Info2 [ConvDirectNaiveConvFwd]",
    control=Control("16->32 3x3 @32x32", Verdict.PASS, ""),
)


def told(row: Row, result: Result | None = None, place: Place = GPU) -> dict[str, str]:
    return {each.title: "\n".join(each.lines) for each in details(row, result, place)}


def test_a_hang_is_told_with_its_class_its_proof_and_what_to_do() -> None:
    found = told(ROW, HUNG)
    assert found["Verdict"] == (
        "hung: no answer within 60 s in its first call; the process was killed"
    )
    assert found["Kind of hang"] == "spinning kernel"
    assert found["Evidence"] == "the card was 99 % busy"
    assert found["What to do about it"] == NEXT_STEPS[HangClass.SPINNING]
    assert found["MIOpen's log"] == "MIOpen(HIP): Info2 [ConvDirectNaiveConvFwd]"
    assert found["Control"] == "16->32 3x3 @32x32 was right both before and after it"
    assert found["Times and memory"] == "not measured"


def test_a_kind_of_hang_that_only_a_later_version_knows_is_told_all_the_same() -> None:
    found = told(ROW, replace(HUNG, hang_class="melted", because=None))
    assert found["Kind of hang"] == "melted"
    assert found["What to do about it"] == "this version does not know this kind of hang"


def test_a_hang_on_a_processor_gets_no_advice_for_a_card() -> None:
    found = told(ROW, replace(HUNG, engine="cpu", loaded=Loaded("2.13.0", None, "cpu")), CPU)
    assert "What to do about it" not in found


def test_right_numbers_are_told_with_times_memory_and_what_rounding_explains() -> None:
    right = made(
        cold_s=0.5, warm_s=0.0009, memory_bytes=2_100_000, max_abs_error=2.1e-6, tolerance=2e-5
    )
    found = told(ROW, right)
    assert found["Times and memory"].splitlines() == [
        "cold 500.00 ms (the first call, including compilation)",
        "warm 0.90 ms (median of later calls)",
        "memory 2 MB",
    ]
    assert found["Error"] == (
        "largest difference from the reference 2.1e-06; rounding explains 2e-05"
    )
    assert "What it means" not in found


def test_numbers_that_are_none_are_counted() -> None:
    wrong = made(verdict=Verdict.WRONG, nonfinite=7, part="gradient of the weights")
    assert told(ROW, wrong)["Error"] == (
        "7 values are infinite or not a number (of the gradient of the weights)"
    )


def test_what_was_loaded_is_told_with_its_libraries_and_variables() -> None:
    loaded = replace(CARD, libraries=("/v/libMIOpen.so.1",), setting=(("MIOPEN_FIND_MODE", "2"),))
    measured = made(loaded=loaded, asked=(("X", "1"),), runs=3, failed=1, process="spawn")
    found = told(ROW, measured)
    assert found["What was loaded"].splitlines() == [
        "torch 2.2.2+rocm5.7, ROCm 5.7.31921",
        "device AMD Radeon RX 5600 XT, which the runtime calls gfx1030:xnack-",
        "variables set: MIOPEN_FIND_MODE=2",
        "/v/libMIOpen.so.1",
    ]
    assert found["Measured with"].splitlines() == [
        "engine miopen, forward, in a separate process (spawn)",
        "set for it: X=1",
        "3 launches, 1 of them not right",
    ]


@pytest.mark.parametrize(
    ("result", "place", "last"),
    [
        (None, GPU, "by notes 003"),
        (None, replace(GPU, chip=None), "by notes 003"),
        (None, replace(GPU, chip="gfx1012"), "not your chip: reported for gfx1010"),
        (made(), replace(GPU, chip="gfx1012"), "by notes 003"),
        (
            made(loaded=replace(CARD, device="NVIDIA H100", hip=None)),
            GPU,
            "not your chip: reported for gfx1010",
        ),
        (None, CPU, "reported for a GPU, which says nothing about a processor"),
        (made(engine="cpu"), GPU, "reported for a GPU, which says nothing about a processor"),
    ],
)
def test_whose_a_published_figure_is_stands_below_it(
    result: Result | None, place: Place, last: str
) -> None:
    lines = told(ROW, result, place)["Published"].splitlines()
    assert lines[:2] == ["hung (RX 5600 XT: over 2000 s)", "by notes 003"]
    assert lines[-1] == last


def test_a_row_that_was_not_measured_has_its_commands_and_no_invented_figure() -> None:
    found = told(Row(ROW.shape))
    assert list(found) == [
        "Verdict",
        "Published",
        "The same measurement from a shell",
        "The same measurement with MIOpen's own driver (in ROCm's package miopen-hip)",
    ]
    assert found["Verdict"] == "not measured"
    assert found["Published"] == "nothing for this shape"


def test_a_row_that_is_being_measured_says_what_it_is_at() -> None:
    assert told(ROW, None, replace(GPU, now="cold"))["Verdict"] == "being measured: cold"


def test_commands_are_given_for_what_they_can_do_alone() -> None:
    (lstm,) = operation_rows(("lstm",))
    (shell,) = equivalents(lstm, GPU)
    assert shell.lines == ("rdna1-setup conv2d --python /v/bin/python --operations lstm",)
    assert shell.is_command
    (shell,) = equivalents(ROW, CPU)
    assert shell.lines[0].endswith("--layer '16 32 3 64x64' --device cpu")
    _, driver = equivalents(replace(ROW, engine="native"), GPU)
    assert (driver.lines, driver.is_command) == (
        ("none, because MIOpenDriver cannot run this shape",),
        False,
    )
    (driver,) = equivalents(ROW, replace(GPU, python=""))
    assert driver.lines[0].startswith("MIOpenDriver conv ")
