"""``conv2d --ask``: what MIOpen would choose from for each shape, without a launch."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from wizard.commands.carrying import refuse
from wizard.commands.looking import acts, host_of, places_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wizard.conv2d.candidates import Asked
    from wizard.conv2d.shapes import Row
    from wizard.conv2d.sweep import Sweep

MEASURING = (
    "Nothing was asked, because a measurement is running. Wait for it to finish, or stop it with "
    "`rdna1-setup conv2d --stop`."
)
NOT_WITH = "--ask launches nothing, so it cannot be combined with {}."


def run(arguments: argparse.Namespace) -> int:
    """Ask; 0 when each shape has candidates, 1 when one has none, 2 when nobody answers.

    Raises WrongRequest.
    """
    import asyncio

    from wizard.conv2d.candidates import Candidates
    from wizard.conv2d.worker.questions import ask_miopen

    sweep, rows = asked_for(arguments)
    if not acts(arguments):
        show(sweep, rows, as_json=arguments.json)
        return 0
    if _is_measuring(arguments):
        return refuse(MEASURING)
    environ, _ = sweep.surroundings.environment(os.environ)
    asked = asyncio.run(ask_miopen(sweep, rows, environ))
    report(rows, asked, as_json=arguments.json)
    known = [each for each in asked if isinstance(each, Candidates)]
    if not known:
        return 2
    return 1 if len(known) < len(rows) or any(each.is_none for each in known) else 0


def asked_for(arguments: argparse.Namespace) -> tuple[Sweep, tuple[Row, ...]]:
    """The rows that are asked about; under each setting of a comparison or a search, if any.

    Raises WrongRequest.
    """
    from dataclasses import replace

    from wizard.conv2d.requests import WrongRequest, sweep_of
    from wizard.conv2d.search.compare_settings import rivals
    from wizard.conv2d.search.setting_search import SettingRequest

    for option in ("find_limit", "workarounds", "operations", "spawn", "keep_databases"):
        if getattr(arguments, option) not in (None, False):
            raise WrongRequest(NOT_WITH.format(f"--{option.replace('_', '-')}"))
    sweep, _ = sweep_of(arguments)
    rows = sweep.rows
    if arguments.compare_settings:
        ways = [rival for rival in rivals() if rival.engine == "configured"]
        rows = tuple(rival.row(row) for row in rows for rival in ways)
    elif arguments.find_setting:
        settings = [(), *((change,) for change in SettingRequest(sweep, rows[0], 1).changes)]
        rows = tuple(replace(row, setting=setting) for row in rows for setting in settings)
    return sweep, rows


def show(sweep: Sweep, rows: Sequence[Row], *, as_json: bool) -> None:
    """What would be asked, for a dry run."""
    from wizard.conv2d.worker.questions import ask_argv
    from wizard.report.conv2d import request_lines

    command = shlex.join(ask_argv(sweep.python))
    if as_json:
        shapes = [row.label for row in rows]
        form = {"schema": 1, "dry_run": True, "command": command, "shapes": shapes}
        print(json.dumps(form))
        return
    print("Nothing is started. MIOpen would be asked about these shapes:\n")
    print(*request_lines(sweep.rows), sep="\n")
    print(f"\nThis command would run. It launches nothing on the card:\n\n  {command}")


def report(rows: Sequence[Row], asked: Sequence[Asked], *, as_json: bool) -> None:
    """Print the answers; why there is none goes to stderr."""
    from wizard.conv2d.candidates import NotAsked
    from wizard.report.conv2d_row import candidates_lines

    silent = all(isinstance(each, NotAsked) for each in asked)
    if as_json:
        forms = [form_of(row, each) for row, each in zip(rows, asked, strict=True)]
        print(json.dumps({"schema": 1, "asked": forms}, indent=1, allow_nan=False))
    elif not silent:
        print(*candidates_lines(rows, asked), sep="\n")
    if silent and isinstance(first := asked[0], NotAsked):
        print(first.why, *([first.next_step] if first.next_step else ()), sep="\n", file=sys.stderr)


def form_of(row: Row, asked: Asked) -> dict[str, Any]:
    """One row of the JSON document: ``candidates``, or None and ``why``."""
    from wizard.conv2d.candidates import NotAsked, candidates_form

    return {
        "label": row.label,
        "shape": {**asdict(row.shape), "label": row.shape.label},
        "work": row.work,
        "setting": dict(row.setting),
        "candidates": None if isinstance(asked, NotAsked) else candidates_form(asked),
        "why": asked.why if isinstance(asked, NotAsked) else "",
    }


def _is_measuring(arguments: argparse.Namespace) -> bool:
    from wizard.conv2d.runs.folders import live_run

    return live_run(places_of(host_of(arguments))) is not None
