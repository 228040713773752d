"""``conv2d --workarounds``: what can be done about a shape that does not pass, measured."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from wizard.commands.looking import acts

if TYPE_CHECKING:
    from wizard.conv2d.sweep import Sweep, SweepDone
    from wizard.conv2d.workarounds import WorkaroundRequest


WARNING = (
    "This runs convolutions on the GPU, of which one is known to fail. One that hangs may freeze\n"
    "the desktop, and only a restart may help: save your work first. After {} hangs it ends."
)


def run(arguments: argparse.Namespace) -> int:
    """Measure; 0 when the shape or a way around it passes, 1 when nothing does, 2 for trouble."""
    import asyncio

    from wizard.conv2d.plaintext import follow
    from wizard.conv2d.request import sweep_of
    from wizard.conv2d.workarounds import find_workarounds
    from wizard.report.conv2d import request_lines

    sweep, _ = sweep_of(arguments)
    request = asked_for(arguments, sweep)
    if not acts(arguments):
        print("Nothing is started. Measured would be, until the hangs allowed are spent:\n")
        print(*request_lines(request.rows), sep="\n")
        return 0
    if sweep.device == "cuda":
        print(WARNING.format(request.hangs), end="\n\n", file=sys.stderr)
    done = asyncio.run(follow(find_workarounds(request, resume=arguments.resume)))
    if done is None:
        return 130
    return told(request, done, as_json=arguments.json)


def asked_for(arguments: argparse.Namespace, sweep: Sweep) -> WorkaroundRequest:
    """What is to be measured: the first row of the sweep, and what can be done about it."""
    from wizard.conv2d.request import MOST_HANGS, WrongRequest
    from wizard.conv2d.workarounds import WorkaroundRequest

    if arguments.hangs is None or not 1 <= arguments.hangs <= MOST_HANGS:
        raise WrongRequest("each hang may freeze the desktop: say how often, such as --hangs 3.")
    return WorkaroundRequest(sweep, sweep.rows[0], arguments.hangs)


def told(request: WorkaroundRequest, done: SweepDone, *, as_json: bool) -> int:
    """Print what came out and give the exit code."""
    from wizard.conv2d.models import PASSES
    from wizard.conv2d.workarounds import tried
    from wizard.report.conv2d_workarounds import workaround_lines

    if done.trouble is not None:
        print(done.trouble.happened, done.trouble.meaning, file=sys.stderr, sep="\n")
        print(done.trouble.next_step, file=sys.stderr)
    if not done.results:
        return 2
    found = tried(request, done.results)
    if as_json:
        print(json.dumps(_form(request, done), indent=1, allow_nan=False))
    else:
        print(*workaround_lines(done.results[0], found), sep="\n")
    passes = done.results[0].verdict in PASSES or any(each.passes for each in found)
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
