"""How a search asks MIOpen on this machine, and about what that passed in earlier runs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from wizard.conv2d.asked import Request, sweep_in
from wizard.conv2d.presets import Row
from wizard.conv2d.runs.folders import runs_of
from wizard.conv2d.runs.history import told_by
from wizard.conv2d.search.setting_request import SettingRequest
from wizard.conv2d.verdicts import RIGHT
from wizard.conv2d.words.repro import row_of
from wizard.conv2d.worker.questions import ask_miopen
from wizard.core.own_files import Places, places

NEWEST = 5
"""Runs that are read."""
MOST_ROWS = 40


def asking(request: Request, environ: Mapping[str, str]) -> dict[str, Any]:
    """How a search on this machine asks MIOpen: for ``events_of``."""
    if not isinstance(request, SettingRequest):
        return {"ask": ask_miopen}
    home = environ.get("HOME") or str(Path.home())
    return {"ask": ask_miopen, "passed": rows_that_passed(places(environ, home), request)}


def rows_that_passed(there: Places, request: Request) -> tuple[Row, ...]:
    """Rows that MIOpen got right under the same Python, with nothing set; the newest first."""
    sweep = sweep_in(request)
    found: dict[Row, None] = {}
    alike = (
        run
        for run in runs_of(there)
        if (other := sweep_in(run.request)).python == sweep.python and other.device == sweep.device
    )
    for run in islice(alike, NEWEST):
        for result in told_by(run).done.results:
            if result.verdict in RIGHT and result.engine == "miopen" and not result.asked:
                found.setdefault(row_of(result))
    return tuple(islice(found, MOST_ROWS))
