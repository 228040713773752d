"""The line of a shell that asks for a request: the way back from ``request``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from wizard.conv2d.asked import Request, sweep_in
from wizard.conv2d.operations import load_operations
from wizard.conv2d.presets import DEFAULT, Preset, Row, load_presets
from wizard.conv2d.search.compare_settings import CompareRequest
from wizard.conv2d.search.find_limit import REPEATS, LimitRequest
from wizard.conv2d.search.setting_request import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest
from wizard.conv2d.shapes import square
from wizard.conv2d.sweep import Deadlines, Sweep
from wizard.conv2d.words.layer_lines import line_of
from wizard.conv2d.works import operation_rows, rows_of

FORWARD = ("forward",)


def request_line(request: Request, table: str = "") -> str:
    """What to type for it. ``table`` is the id of the preset that its rows are of, or the path of
    a list of layers; rows that are of none are named one by one."""
    return shlex.join(("rdna1-setup", "conv2d", *request_words(request, table)))


def request_words(request: Request, table: str = "") -> tuple[str, ...]:
    """The options of ``conv2d`` that ask for it."""
    sweep = sweep_in(request)
    return (
        *("--python", sweep.python, "--device", sweep.device),
        *_rows_words(rows_asked(request), table),
        *_question_words(request),
        *_hangs_words(request),
        *_manner_words(sweep),
    )


def rows_asked(request: Request) -> tuple[Row, ...]:
    """The rows that it is about: every one of a sweep, the one that a search begins with."""
    match request:
        case Sweep():
            return request.rows
        case CompareRequest():
            return request.sweep.rows
        case LimitRequest() | SettingRequest() | WorkaroundRequest():
            return (request.row,)


def _question_words(request: Request) -> Iterator[str]:
    match request:
        case LimitRequest():
            yield from ("--find-limit", request.axis)
            yield from ("--range", f"{request.smallest}-{request.largest}")
            if request.repeats != REPEATS:
                yield from ("--repeats", str(request.repeats))
        case SettingRequest():
            yield "--find-setting"
        case CompareRequest():
            yield "--compare-settings"
        case WorkaroundRequest():
            yield "--workarounds"
        case Sweep():
            pass


def _hangs_words(request: Request) -> tuple[str, ...]:
    hangs = request.hangs
    return () if hangs is None else ("--hangs", str(hangs))


def _manner_words(sweep: Sweep) -> Iterator[str]:
    """What is not usual in how it is measured."""
    if sweep.repeats != 1:
        yield from ("--repeats", str(sweep.repeats))
    usual, deadlines = Deadlines(), sweep.deadlines
    if (deadlines.first, deadlines.later) != (usual.first, usual.later):
        yield from ("--deadline", f"{deadlines.later:g}")
    if deadlines.imports != usual.imports:
        yield from ("--import-deadline", f"{deadlines.imports:g}")
    if sweep.spawn:
        yield "--spawn"
    if sweep.surroundings.clean:
        yield "--clean"
    if sweep.surroundings.keep:
        yield "--keep-databases"


def _rows_words(rows: tuple[Row, ...], table: str) -> Iterator[str]:
    """What names these rows, and what is not usual in them."""
    first = rows[0]
    plain = tuple(replace(row, engine="configured", log=False) for row in rows)
    operations = _operations_words(plain)
    yield from operations or _convolutions_words(plain, table)
    if first.engine != "configured":
        yield from ("--engine", first.engine)
    if first.log:
        yield "--log"


def _operations_words(rows: Sequence[Row]) -> tuple[str, ...]:
    """The ids of operations, all of them unnamed; ``()`` where a row is none."""
    names = [operation.id for operation in load_operations()]
    known = dict(zip(operation_rows(names), names, strict=True))
    if not set(rows) <= set(known):
        return ()
    asked = [known[row] for row in rows]
    return ("--operations",) if asked == names else ("--operations", ",".join(asked))


def _convolutions_words(rows: tuple[Row, ...], table: str) -> Iterator[str]:
    works = tuple(dict.fromkeys(row.work for row in rows))
    yield from _table_words(rows, works, table)
    if works != FORWARD:
        yield from ("--work", ",".join(works))


def _table_words(rows: tuple[Row, ...], works: tuple[str, ...], table: str) -> tuple[str, ...]:
    if "/" in table:
        return ("--layers", table)
    presets = load_presets()
    for preset in sorted(presets, key=lambda each: each.id != table):
        if _with_works(preset.rows, works) == rows:
            return ("--preset", preset.id)
    shapes = list(dict.fromkeys(row.shape for row in rows))
    known = next(preset for preset in presets if preset.id == DEFAULT)
    return _grid_words(rows, works, known) or tuple(
        word for shape in shapes for word in ("--layer", line_of(shape))
    )


def _grid_words(rows: tuple[Row, ...], works: tuple[str, ...], known: Preset) -> tuple[str, ...]:
    """Every size of every pair of channels, with the claims of the default table; or ``()``."""
    claimed = {row.shape: row for row in known.rows}
    sizes = list(dict.fromkeys(row.shape.h for row in rows))
    channels = list(dict.fromkeys((row.shape.c_in, row.shape.c_out) for row in rows))
    shapes = [square(c_in, c_out, size) for c_in, c_out in channels for size in sizes]
    found = tuple(claimed.get(shape, Row(shape)) for shape in shapes)
    if _with_works(found, works) != rows:
        return ()
    pairs = ",".join(f"{c_in}-{c_out}" for c_in, c_out in channels)
    return ("--channels", pairs, "--sizes", ",".join(map(str, sizes)))


def _with_works(rows: tuple[Row, ...], works: tuple[str, ...]) -> tuple[Row, ...]:
    """As ``request`` makes them; nothing for rows that are too small to train."""
    try:
        return rows_of(rows, works)
    except ValueError:
        return ()
