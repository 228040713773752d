"""What the words of ``conv2d`` ask for: a request, and what to beware of in what was published."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace

from wizard.conv2d.requests import MOST_HANGS, Request, WrongRequest, layers_in
from wizard.conv2d.search.compare_settings import CompareRequest
from wizard.conv2d.search.find_limit import REPEATS, LimitRequest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest
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
from wizard.conv2d.sweep import Deadlines, Sweep, SweepEnvironment

SIZES = (32, 44, 48, 64, 224)
CHANNELS = ((16, 32), (32, 64), (64, 128))
MOST_REPEATS = 1000


def asked_for(arguments: argparse.Namespace) -> tuple[Request, tuple[str, ...]]:
    """What the command line asks for, and what to beware of in what was published of it.

    Raises WrongRequest.
    """
    sweep, cautions = sweep_of(arguments)
    about_settings = arguments.find_setting or arguments.compare_settings
    if arguments.workarounds:
        if arguments.find_limit or about_settings:
            raise WrongRequest("--workarounds is a separate search. Omit the other one.")
        return WorkaroundRequest(replace(sweep, rows=sweep.rows[:1]), arguments.hangs), cautions
    if not about_settings:
        return limit_of(arguments, sweep) or sweep, cautions
    if arguments.find_limit is not None:
        raise WrongRequest("--find-limit is a different search. Use only one of them.")
    if arguments.engine != "configured":
        raise WrongRequest(
            "these settings are for MIOpen. Omit --engine: each engine is tried anyway."
        )
    if arguments.compare_settings:
        return CompareRequest(sweep, arguments.hangs), cautions
    if len(sweep.rows) != 1:
        raise WrongRequest(
            "--find-setting needs exactly one shape, for example --channels 16-32 --sizes 64."
        )
    return SettingRequest(sweep, arguments.hangs), cautions


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
