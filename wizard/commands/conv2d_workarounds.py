"""``conv2d --workarounds``: what can be done about a shape that does not pass, measured."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wizard.conv2d.search.workarounds import WorkaroundRequest
    from wizard.conv2d.sweep import Sweep, SweepDone


def asked_for(arguments: argparse.Namespace, sweep: Sweep) -> WorkaroundRequest | None:
    """The first row of the sweep, and what can be done about it, if that was asked for."""
    from wizard.conv2d.requests import WrongRequest
    from wizard.conv2d.search.workarounds import WorkaroundRequest

    if not arguments.workarounds:
        return None
    if arguments.find_limit or arguments.find_setting or arguments.compare_settings:
        raise WrongRequest("--workarounds is a separate search. Omit the other one.")
    return WorkaroundRequest(sweep, sweep.rows[0], arguments.hangs)


def exit_code(request: WorkaroundRequest, done: SweepDone) -> int:
    """0 where the shape passes or a way around it does, 2 where nothing was measured."""
    from wizard.conv2d.search.workarounds import tried
    from wizard.conv2d.verdicts import RIGHT

    if not done.results:
        return 2
    passes = any(each.passes for each in tried(request, done.results))
    return 0 if passes or done.results[0].verdict in RIGHT else 1


def form(request: WorkaroundRequest, done: SweepDone) -> dict[str, Any]:
    """What ``--json`` prints of it alone."""
    from wizard.conv2d.search.workarounds import tried
    from wizard.conv2d.verdicts import result_json

    return {
        "result": result_json(done.results[0]) if done.results else None,
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
    }
