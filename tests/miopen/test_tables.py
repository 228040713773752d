"""The program that makes the tables: what it writes is what was answered."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.miopen.tables import (
    CHIPS,
    DIRECTIONS,
    DTYPES,
    answer_text,
    numbered,
    question,
    settings,
    shapes,
    table_of,
)
from wizard.knowledge.solvers import (
    FIND_MODE,
    FIND_MODES,
    Answer,
    _answer,
    load_families,
    load_table,
)

ABOUT = {"rocm": "1.2", "miopen": "0.1", "origin": "", "databases": "none", "date": ""}
SOLVERS = ("GemmFwdRest", "ConvDirectNaiveConvFwd", "fft")


def test_a_table_says_what_was_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(5)  # noqa: S311 - no secret
    said = {
        (chip.partition(":")[0], key): {
            (shape, direction, dtype): " ".join(random.sample(SOLVERS, 2))
            for shape in shapes()
            for direction in DIRECTIONS
            for dtype in DTYPES
        }
        for chip in CHIPS
        for key, _ in settings()
    }
    (tmp_path / "asked").mkdir()
    (tmp_path / "asked" / "rocm-1.2.json").write_text(json.dumps({**ABOUT, **table_of(said)}))
    monkeypatch.setattr("wizard.knowledge.solvers.FOLDER", tmp_path)
    load_table.cache_clear()

    table = load_table("1.2")
    assert table is not None
    for chip, (key, _), shape in zip(CHIPS * 9, settings(), shapes(), strict=False):
        name = chip.partition(":")[0]
        found = table.answer(shape.label, f"{name} backward_data float16", key)
        assert found is not None
        assert " ".join(found.solvers) == said[name, key][shape, "backward_data", "float16"]
    load_table.cache_clear()


def test_an_answer_becomes_one_line_and_is_read_back() -> None:
    solvers = [{"name": "GemmFwdRest"}, {"name": "Naive"}]
    refused = {"refused": "miopenStatusNotImplemented", "also": ["Winograd"]}
    for answer, text, read in (
        (
            {"solvers": solvers, "also": ["Winograd"], "source": "estimates"},
            "GemmFwdRest Naive | Winograd",
            Answer(("GemmFwdRest", "Naive"), ("Winograd",)),
        ),
        (
            {"solvers": solvers, "also": [], "source": "prediction"},
            "prediction: GemmFwdRest Naive",
            Answer(("GemmFwdRest", "Naive"), word="prediction"),
        ),
        (
            refused,
            "miopenStatusNotImplemented: | Winograd",
            Answer(also=("Winograd",), word="miopenStatusNotImplemented"),
        ),
        ({"solvers": [], "also": [], "source": "estimates"}, "nothing:", Answer(word="nothing")),
        (search(["Naive"], "estimates"), "Naive", Answer(("Naive",))),
        (search([], "estimates"), "nothing:", Answer(word="nothing")),
        (search([], "find-db"), "find-db:", Answer(word="find-db")),
    ):
        assert answer_text(answer) == text
        assert _answer(text) == read


def search(names: list[str], source: str) -> dict[str, Any]:
    return {"solvers": [], "also": [], "source": source, "find": {"applicable": names}}


def test_repeated_numbers_are_counted() -> None:
    assert numbered([7, 7, 7, 2, 7]) == "7*3 2 7"


def test_every_variable_that_the_search_tries_is_asked_about() -> None:
    families = load_families()
    tried = {family.off for family in families} | set(product([FIND_MODE], FIND_MODES))
    assert {(each,) for each in tried} <= {setting for _, setting in settings()}


def test_a_question_has_the_shape_its_direction_and_its_format() -> None:
    shape = next(shape for shape in shapes() if shape.stride == 2)
    form = question(shape, "backward_weights", "float16")
    assert (form["c"], form["k"], form["stride"]) == (shape.c_in, shape.c_out, [2, 2])
    assert (form["direction"], form["dtype"]) == ("backward_weights", "float16")
