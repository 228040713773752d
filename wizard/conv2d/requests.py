"""What can be asked of a runner, as data, as JSON and as words on a command line."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shlex
import sys
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Union

from wizard.conv2d.client import run_sweep
from wizard.conv2d.journal import FORMAT
from wizard.conv2d.layers import LARGEST_FILE, WrongList, line_of, read_layer_list
from wizard.conv2d.search.compare_settings import CompareRequest, compare
from wizard.conv2d.search.find_limit import REPEATS, LimitRequest, find_limit
from wizard.conv2d.search.find_setting import find_smallest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest, find_workarounds
from wizard.conv2d.shapes import (
    DEFAULT,
    WORKS,
    Preset,
    Row,
    find_preset,
    load_operations,
    load_presets,
    operation_rows,
    rows_of,
    square,
)
from wizard.conv2d.sweep import Deadlines, Sweep, SweepEnvironment, SweepEvent
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
    """Carries it out; ``where`` is what ``run_sweep`` takes.

    ``ask`` is how a search asks MIOpen, and ``passed`` are rows that passed elsewhere.
    """
    match request:
        case Sweep():
            return run_sweep(request, **where)
        case LimitRequest():
            return find_limit(request, ask=ask, **where)
        case SettingRequest():
            return find_smallest(request, ask=ask, passed=passed, **where)
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


SIZES = (32, 44, 48, 64, 224)
CHANNELS = ((16, 32), (32, 64), (64, 128))


MOST_HANGS = 20
MOST_REPEATS = 1000


class WrongRequest(Exception):
    """The request cannot be meant, with a text fit to show."""


def sweep_of(arguments: argparse.Namespace) -> tuple[Sweep, tuple[str, ...]]:
    """The sweep that was asked for, and what to beware of in its published figures."""
    if arguments.hangs is not None and not 1 <= arguments.hangs <= MOST_HANGS:
        raise WrongRequest(
            f"each hang may freeze the desktop. Allow a number from 1 to {MOST_HANGS}, for example "
            "--hangs 3."
        )
    named = named_table(arguments)
    if named is not None and (arguments.sizes or arguments.channels):
        raise WrongRequest(
            "--preset, --layers and --layer have their own shapes: omit --sizes and --channels."
        )
    preset = named or next(preset for preset in load_presets() if preset.id == DEFAULT)
    sweep = Sweep(
        python=arguments.python or sys.executable,
        rows=_asked(arguments, preset),
        device=arguments.device,
        spawn=arguments.spawn,
        repeats=_repeats(arguments) or 1,
        deadlines=_deadlines(arguments),
        environment=SweepEnvironment(clean=arguments.clean, keep=arguments.keep_databases),
    )
    return sweep, () if named is None else (_caution(preset),)


def named_table(arguments: argparse.Namespace) -> Preset | None:
    """The table of shapes that was asked for by name, or as a list of layers."""
    if arguments.layers or arguments.layer:
        if arguments.preset:
            raise WrongRequest("--layers and --layer name the shapes: omit --preset.")
        return layers_in(arguments.layers or "", arguments.layer or ())
    if not arguments.preset:
        return None
    preset = find_preset(arguments.preset)
    if preset is None:
        known = ", ".join(preset.id for preset in load_presets())
        raise WrongRequest(f"there is no preset {arguments.preset!r}. Known: {known}.")
    return preset


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


def limit_of(arguments: argparse.Namespace, sweep: Sweep) -> LimitRequest | None:
    """The limit that was asked for, if any; the shape around it is the sweep's first."""
    if arguments.find_limit is None:
        return None
    found = re.fullmatch(r" *([1-9][0-9]{0,3})-([1-9][0-9]{0,3}) *", arguments.range)
    if found is None or int(found[1]) > int(found[2]):
        raise WrongRequest(f"--range {arguments.range!r}: write it like 1-256.")
    if len(sweep.rows) > 1 and sweep.rows[0].shape == sweep.rows[1].shape:
        raise WrongRequest("a limit can be searched for only one kind of --work: name one.")
    smallest, largest = int(found[1]), int(found[2])
    request = LimitRequest(
        replace(sweep, rows=sweep.rows[:1], repeats=1),
        arguments.find_limit,
        smallest,
        largest,
        arguments.hangs,
        _repeats(arguments) or REPEATS,
    )
    try:
        rows_of((request.row_at(smallest),), _works(arguments.work))
    except ValueError as error:
        raise WrongRequest(f"--range {arguments.range!r}: {error}.") from error
    return request


def _asked(arguments: argparse.Namespace, preset: Preset) -> tuple[Row, ...]:
    rows = _rows(arguments, preset) if arguments.operations is None else _operations(arguments)
    measured = tuple(replace(row, engine=arguments.engine, log=arguments.log) for row in rows)
    if arguments.operations is not None:
        return measured
    try:
        return rows_of(measured, _works(arguments.work))
    except ValueError as error:
        raise WrongRequest(f"--work train: {error}.") from error


def _operations(arguments: argparse.Namespace) -> tuple[Row, ...]:
    others = (arguments.preset, arguments.sizes, arguments.channels, arguments.find_limit)
    compares = arguments.compare_settings or arguments.engine == "unfold"
    if any(others) or arguments.work != WORKS[0] or compares:
        raise WrongRequest(
            "--operations cannot be combined with --preset, --sizes, --channels, --find-limit, "
            "--compare-settings, --work or --engine unfold."
        )
    try:
        return operation_rows([name.strip() for name in arguments.operations.split(",") if name])
    except KeyError as error:
        known = ", ".join(operation.id for operation in load_operations())
        raise WrongRequest(f"there is no operation {error}. Known: {known}.") from error


def _works(text: str) -> tuple[str, ...]:
    works = tuple(part.strip() for part in text.split(","))
    if not set(works) <= set(WORKS) or len(set(works)) < len(works):
        raise WrongRequest(f"--work {text!r}: write one or more of {','.join(WORKS)}.")
    return works


def _rows(arguments: argparse.Namespace, preset: Preset) -> tuple[Row, ...]:
    if not (arguments.sizes or arguments.channels):
        return preset.rows
    known = {row.shape: row for row in preset.rows}
    sizes = _sizes(arguments.sizes) if arguments.sizes else SIZES
    channels = _channels(arguments.channels) if arguments.channels else CHANNELS
    shapes = (square(c_in, c_out, size) for c_in, c_out in channels for size in sizes)
    return tuple(known.get(shape, Row(shape)) for shape in shapes)


def _repeats(arguments: argparse.Namespace) -> int | None:
    repeats: int | None = arguments.repeats
    if repeats is not None and not 1 <= repeats <= MOST_REPEATS:
        raise WrongRequest(f"--repeats must be a number from 1 to {MOST_REPEATS}.")
    return repeats


def _sizes(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(re.fullmatch(r" *[1-9][0-9]{0,4} *", part) for part in parts):
        raise WrongRequest(f"--sizes {text!r}: write sizes like 32,44,224.")
    return tuple(int(part) for part in parts)


def _channels(text: str) -> tuple[tuple[int, int], ...]:
    found = [re.fullmatch(r" *([1-9][0-9]{0,4})->?([1-9][0-9]{0,4}) *", p) for p in text.split(",")]
    if not all(found):
        raise WrongRequest(f"--channels {text!r}: write channels like 16-32,64-128.")
    return tuple((int(match[1]), int(match[2])) for match in found if match)


def _deadlines(arguments: argparse.Namespace) -> Deadlines:
    usual = Deadlines()
    for seconds in (arguments.deadline, arguments.import_deadline):
        if seconds is not None and not 0 < seconds <= 86400:
            raise WrongRequest("a deadline must be more than 0 and at most 86400 seconds.")
    return Deadlines(
        imports=arguments.import_deadline or usual.imports,
        first=arguments.deadline or usual.first,
        later=arguments.deadline or usual.later,
    )


def _caution(preset: Preset) -> str:
    return f"{preset.title} ({preset.source}). {' '.join(preset.caution.split())}"


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
