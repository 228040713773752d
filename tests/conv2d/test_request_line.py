"""A request as a line of a shell: what it asks for is that very request."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from wizard.cli.conv2d_request import asked_for
from wizard.cli.options import parser
from wizard.conv2d.caution import USUAL
from wizard.conv2d.requests import Request, layers_in, request_line, with_hangs
from wizard.conv2d.search.compare_settings import CompareRequest
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest
from wizard.conv2d.shapes import (
    Row,
    Shape,
    load_operations,
    load_presets,
    operation_rows,
    rows_of,
    square,
)
from wizard.conv2d.sweep import Deadlines, Sweep, SweepEnvironment

PYTHON = "/home/sam/my venv/bin/python"
PRESETS = {preset.id: preset for preset in load_presets()}
ODD = Row(Shape(3, 64, 224, 112, 7, 3, n=2, stride=2, dilation=2, dtype="float16", bias=True))
PLAIN = Row(square(16, 32, 64))
SWEEP = Sweep(PYTHON, (PLAIN,))


def parsed(line: str) -> Request:
    """What the command makes of the line."""
    words = shlex.split(line)
    assert words[0] == "rdna1-setup"
    arguments = parser().parse_args(words[1:])
    given = arguments.hangs
    arguments.hangs = USUAL if given is None else given
    return with_hangs(asked_for(arguments)[0], given)


def limit(row: Row, **fields: object) -> LimitRequest:
    sweep = replace(SWEEP, rows=(row,), hangs=2)
    return replace(LimitRequest(sweep, "size", 1, 256, 2), **fields)  # type: ignore[arg-type]


REQUESTS: tuple[Request, ...] = (
    SWEEP,
    replace(SWEEP, device="cpu", repeats=3, hangs=4, spawn=True),
    replace(SWEEP, deadlines=Deadlines(imports=300, first=20, later=20)),
    replace(SWEEP, environment=SweepEnvironment(clean=True, keep=True)),
    *(replace(SWEEP, rows=preset.rows) for preset in PRESETS.values()),
    replace(SWEEP, rows=rows_of(PRESETS["notes002"].rows, ("train", "forward"))),
    replace(SWEEP, rows=(replace(ODD, engine="unfold", log=True),)),
    replace(SWEEP, rows=(ODD, PLAIN)),
    replace(SWEEP, rows=rows_of((ODD, PLAIN), ("backward", "train"))),
    replace(SWEEP, rows=PRESETS["default"].rows[:2]),
    replace(SWEEP, rows=operation_rows()),
    replace(SWEEP, rows=tuple(replace(r, engine="native") for r in operation_rows(["lstm"]))),
    *(replace(SWEEP, rows=operation_rows([each.id])) for each in load_operations()),
    limit(ODD, axis="batch"),
    limit(replace(PLAIN, work="backward"), axis="channels-out", smallest=3, repeats=7),
    SettingRequest(SWEEP, 5),
    SettingRequest(replace(SWEEP, rows=(ODD,), device="cpu"), 3),
    CompareRequest(replace(SWEEP, rows=PRESETS["default"].rows, repeats=2), 1),
    WorkaroundRequest(SWEEP, 2),
)


def test_the_line_of_a_request_asks_for_that_request() -> None:
    lines = [(request_line(each), each) for each in REQUESTS]
    assert [(line, each) for line, each in lines if parsed(line) != each] == []


def test_a_list_of_layers_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "my layers.txt"
    path.write_text("16 32 3 64x64 times 3\n3 64 7 224x224 stride 2 # the first one\n")
    sweep = replace(SWEEP, rows=layers_in(str(path)).rows)
    line = request_line(sweep, str(path))
    assert f"--layers '{path}'" in line
    assert parsed(line) == sweep


def test_a_preset_is_named_by_its_id_and_not_shape_by_shape() -> None:
    for name, preset in PRESETS.items():
        assert f"--preset {name}" in request_line(replace(SWEEP, rows=preset.rows), name)
