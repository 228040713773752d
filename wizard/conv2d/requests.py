"""What can be asked of a runner, as data, as JSON and as words on a command line."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Union

from wizard.conv2d.client import run_sweep
from wizard.conv2d.journal import FORMAT
from wizard.conv2d.layers import LARGEST_FILE, WrongList, layer_line, read_layer_list
from wizard.conv2d.search.compare_settings import CompareRequest, compare
from wizard.conv2d.search.find_limit import REPEATS, LimitRequest, find_limit
from wizard.conv2d.search.find_setting import find_setting
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest, find_workarounds
from wizard.conv2d.shapes import (
    DEFAULT,
    Preset,
    Row,
    load_operations,
    load_presets,
    operation_rows,
    rows_of,
    square,
)
from wizard.conv2d.sweep import Deadlines, Sweep, SweepEvent
from wizard.conv2d.worker.questions import Ask
from wizard.core.amounts import counted
from wizard.core.json_form import WrongForm, to_json, typed
from wizard.core.own_files import places

Request = Union[  # noqa: UP007 - one closed union, matched exhaustively
    Sweep, LimitRequest, SettingRequest, CompareRequest, WorkaroundRequest
]
KINDS: dict[str, type[Request]] = {
    "sweep": Sweep,
    "limit": LimitRequest,
    "setting": SettingRequest,
    "comparison": CompareRequest,
    "workarounds": WorkaroundRequest,
}
"""Every request by the name that its form bears."""
SETTING_PREFIXES = ("HSA_", "HIP_", "ROCR_", "MIOPEN_", "CUDA_VISIBLE", "LD_LIBRARY_PATH")
"""Variables that make the same request another one."""


def request_form(request: Request) -> dict[str, Any]:
    """A request as JSON types."""
    kind = next(name for name, known in KINDS.items() if isinstance(request, known))
    return {"kind": kind, **to_json(request)}


def request_of(form: Mapping[str, Any]) -> Request:
    """The request of a form. Raises ``ValueError`` for what is none."""
    try:
        fields = {name: value for name, value in form.items() if name != "kind"}
        request: Request = typed(fields, KINDS[form["kind"]])
    except (WrongForm, TypeError, LookupError, AttributeError) as error:
        raise ValueError(f"not a request: {error}") from error
    return request


def events_of(
    request: Request, *, ask: Ask | None = None, passed: Sequence[Row] = (), **where: Any
) -> AsyncGenerator[SweepEvent, None]:
    """Carries it out; ``where`` is what ``carried_out`` takes.

    ``ask`` is how a search asks MIOpen, and ``passed`` are rows that passed elsewhere.
    """
    match request:
        case Sweep():
            return run_sweep(request, **where)
        case LimitRequest():
            return find_limit(request, ask=ask, **where)
        case SettingRequest():
            return find_setting(request, ask=ask, passed=passed, **where)
        case CompareRequest():
            return compare(request, **where)
        case WorkaroundRequest():
            return find_workarounds(request, **where)


def name_of(request: Request, environ: Mapping[str, str]) -> str:
    """The name of this very request: the same one again finds its journal.

    How many hangs it may cost does not count: a larger number goes on where a smaller one stopped.
    That of a search for a limit does, for its probes follow from it.
    """
    request = with_hangs(request, None)
    if not isinstance(request, Sweep | LimitRequest):
        request = replace(request, hangs=0)
    setting = sorted(item for item in environ.items() if item[0].startswith(SETTING_PREFIXES))
    text = json.dumps([FORMAT, request_form(request), setting], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def journal_of(request: Request, environ: Mapping[str, str]) -> Path:
    """Where its journal lies."""
    home = environ.get("HOME") or str(Path.home())
    return Path(places(environ, home).conv2d) / f"{name_of(request, environ)}.jsonl"


def sweep_in(request: Request) -> Sweep:
    """How it is measured."""
    return request if isinstance(request, Sweep) else request.sweep


def with_hangs(request: Request, hangs: int | None) -> Request:
    """The same request with so many hangs allowed in all."""
    match request:
        case Sweep():
            return replace(request, hangs=hangs)
        case LimitRequest():
            return replace(request, sweep=replace(request.sweep, hangs=hangs))
        case SettingRequest() | CompareRequest() | WorkaroundRequest():
            return request  # it counts its hangs itself, over all its goes


def described(request: Request) -> str:
    """A request in a few words."""
    match request:
        case Sweep():
            count = len(request.rows)
            noun = "operation" if any(row.operation for row in request.rows) else "shape"
            return f"{counted(count, noun)} on {request.device}"
        case LimitRequest():
            ends = f"{request.smallest}-{request.largest}"
            return f"limit of {request.axis} in {ends} on {request.sweep.device}"
        case SettingRequest():
            return f"setting for {request.row.label} on {request.sweep.device}"
        case CompareRequest():
            return f"comparison of settings on {request.sweep.device}"
        case WorkaroundRequest():
            return f"workarounds for {request.row.label} on {request.sweep.device}"


MOST_HANGS = 20


class WrongRequest(Exception):
    """The request cannot be meant, with a text fit to show."""


def layers_in(path: str, more: Sequence[str] = ()) -> Preset:
    """The layers of a file, if there is one, then those of more lines. Raises WrongRequest."""
    text, name = "", path or "your layers"
    try:
        if path:
            with Path(path).open(encoding="utf-8", errors="replace") as file:
                text = file.read(LARGEST_FILE + 1)
        lines = [*([text] if path else []), *more]
        return read_layer_list("\n".join(lines), Path(name).name)
    except OSError as error:
        raise WrongRequest(f"{name} cannot be read: {error.strerror}.") from error
    except WrongList as error:
        raise WrongRequest(str(error)) from error


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
        *_rows_words(sweep.rows, table),
        *_question_words(request),
        *_hangs_words(request),
        *_manner_words(sweep),
    )


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
    if sweep.environment.clean:
        yield "--clean"
    if sweep.environment.keep:
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
        word for shape in shapes for word in ("--layer", layer_line(shape))
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
