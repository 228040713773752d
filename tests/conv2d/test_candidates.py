"""Candidates as values: when they are all, when there is one, and how they are told."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest

from wizard.conv2d.candidates import (
    Candidates,
    Choice,
    Library,
    NotAsked,
    Solver,
    questions,
    why_not,
)
from wizard.conv2d.shapes import Row, Shape, operation_rows
from wizard.report.conv2d_row import MORE, asked_text, candidates_lines, workspace_text

ROW = Row(Shape(16, 32, 64, 64))
GEMM = Solver("GemmFwdRest", "gemm", 2_359_296, 12.5)


def candidates(*choices: Choice, **setting: str) -> Candidates:
    library = Library("/lib/libMIOpen.so", "/lib/libMIOpen.so.1.0", "3.5.1", "gfx1010")
    return Candidates(choices, replace(library, setting=tuple(setting.items())))


FORWARD = Choice("forward", (GEMM,), (), "estimates")


@pytest.mark.parametrize(
    ("setting", "source", "complete"),
    [
        ({}, "estimates", True),
        ({"MIOPEN_DEBUG_CONV_GEMM": "0"}, "estimates", True),
        ({"MIOPEN_FIND_MODE": "NORMAL"}, "estimates", False),
        ({"MIOPEN_FIND_MODE": "3"}, "estimates", False),
        ({"MIOPEN_FIND_MODE": "FAST"}, "prediction", True),
        ({"MIOPEN_FIND_ENFORCE": "3"}, "estimates", False),
        ({"MIOPEN_DEBUG_FIND_ONLY_SOLVER": "GemmFwdRest"}, "estimates", False),
        ({}, "prediction", False),
    ],
)
def test_a_search_may_time_others_in_some_modes(
    setting: dict[str, str], source: str, complete: bool
) -> None:
    found = candidates(replace(FORWARD, source=source), **setting)
    assert found.is_complete is complete
    assert found.only == ("GemmFwdRest" if complete else "")
    lines = " ".join(candidates_lines([ROW], [found]))
    assert (textwrap.shorten(MORE, 400) in lines) is not complete


def test_none_and_several_candidates_have_no_name_of_the_only_one() -> None:
    none = candidates(Choice("forward", refused="miopenStatusNotImplemented"))
    assert (none.only, none.is_none) == ("", True)
    several = candidates(replace(FORWARD, also=("ConvBinWinogradRxSf2x3g1",)))
    assert (several.only, several.is_none) == ("", False)


def test_a_direction_without_any_is_told() -> None:
    weights = Choice("backward_weights", refused="miopenStatusNotImplemented")
    found = candidates(FORWARD, weights)
    assert found.is_none
    assert asked_text(found) == (
        "forward: GemmFwdRest (2.4 MB); weight gradient: none (MIOpen refuses it: "
        "miopenStatusNotImplemented)"
    )


def test_what_a_database_knew_is_told_as_such() -> None:
    text = asked_text(candidates(replace(FORWARD, source="find-db")))
    assert text == "GemmFwdRest (2.4 MB) (known from earlier searches)"


@pytest.mark.parametrize(
    ("row", "device", "words"),
    [
        (ROW, "cpu", "The processor does not use MIOpen."),
        (replace(ROW, engine="native"), "cuda", "The engine native does not use MIOpen."),
        (operation_rows(["lstm"])[0], "cuda", "Only convolutions can be asked about"),
        (Row(Shape(1, 1, 8, 8, dtype="float64")), "cuda", "float64 convolutions without MIOpen"),
        (Row(Shape(2, 2, 8, 8, groups=2, dilation=2)), "cuda", "dilated convolutions in groups"),
    ],
)
def test_what_torch_computes_without_miopen_is_not_asked(row: Row, device: str, words: str) -> None:
    found = why_not(row, device)
    assert isinstance(found, NotAsked)
    assert words in found.why
    assert why_not(ROW, "cuda") is None


def test_each_work_asks_about_what_torch_computes_for_it() -> None:
    asked = {
        work: [each["direction"] for each in questions(replace(ROW, work=work))]
        for work in ("forward", "backward", "train")
    }
    assert asked == {
        "forward": ["forward"],
        "backward": ["forward", "backward_data", "backward_weights"],
        "train": ["forward", "backward_weights"],
    }


def test_memory_has_one_decimal_where_that_tells_something() -> None:
    sizes = (0, 590_000, 2_359_296, 2_000_000_000)
    assert [workspace_text(size) for size in sizes] == ["0", "590 kB", "2.4 MB", "2.0 GB"]
