"""``conv2d --workarounds``: what can be done about a shape that does not pass, measured."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wizard.conv2d.sweep import Sweep, SweepDone
    from wizard.conv2d.workarounds import WorkaroundRequest


def asked_for(arguments: argparse.Namespace, sweep: Sweep) -> WorkaroundRequest | None:
    """The first row of the sweep, and what can be done about it, if that was asked for."""
    from wizard.conv2d.request import WrongRequest
    from wizard.conv2d.workarounds import WorkaroundRequest

    if not arguments.workarounds:
        return None
    if arguments.find_limit or arguments.find_setting or arguments.compare_settings:
        raise WrongRequest("--workarounds is a search of its own: leave out the other one.")
    return WorkaroundRequest(sweep, sweep.rows[0], arguments.hangs)


def told(request: WorkaroundRequest, done: SweepDone, *, as_json: bool) -> int:
    """Print what came out and give the exit code."""
    from wizard.conv2d.verdicts import RIGHT
    from wizard.conv2d.workarounds import tried
    from wizard.report.conv2d_answer import answer_lines

    if done.trouble is not None:
        print(done.trouble.happened, done.trouble.meaning, file=sys.stderr, sep="\n")
        print(done.trouble.next_step, file=sys.stderr)
    if not done.results:
        return 2
    found = tried(request, done.results)
    if as_json:
        print(json.dumps(_form(request, done), indent=1, allow_nan=False))
    else:
        print(*answer_lines(request, done), sep="\n")
    passes = done.results[0].verdict in RIGHT or any(each.passes for each in found)
    return 0 if passes else 1


def _form(request: WorkaroundRequest, done: SweepDone) -> dict[str, Any]:
    from wizard.conv2d.verdicts import result_json
    from wizard.conv2d.workarounds import tried
    from wizard.jsonform import to_json

    return {
        "schema": 1,
        "result": result_json(done.results[0]),
        "alternatives": [
            {
                "title": each.alternative.title,
                "calls": each.alternative.calls,
                "seconds": each.seconds,
                "changes_result": each.alternative.changes_result,
                "beside": each.alternative.beside,
                "result": None if each.result is None else result_json(each.result),
            }
            for each in tried(request, done.results)
        ],
        "trouble": to_json(done.trouble),
    }
