"""Runners in a home of their own: started, looked at, and none of them left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import aclosing, suppress
from pathlib import Path

import psutil
import pytest

from tests.conv2d.sweeping import environ
from wizard.conv2d.requests import Request
from wizard.conv2d.runs.events import followed
from wizard.conv2d.runs.folders import Run
from wizard.conv2d.runs.runner import start_run
from wizard.conv2d.sweep import SweepEvent
from wizard.core.own_files import Places, places

MARK = "RDNA1_SETUP_TEST_OF"
GONE_S = 20.0
"""How long what was told to go may take on a busy machine."""


class Apart:
    """A home in which runners work."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def places(self) -> Places:
        return places({}, str(self.folder))

    def environ(self, variables: dict[str, str] | None = None) -> dict[str, str]:
        """Variables for a runner; all that it starts inherits the mark."""
        own = {"HOME": str(self.folder), MARK: str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        return {**(environ() if variables is None else variables), **own}

    def start(self, request: Request, variables: dict[str, str] | None = None) -> Run:
        """A run that is under way."""
        run = start_run(self.places, request, self.environ(variables))
        assert isinstance(run, Run), run
        return run

    def processes(self) -> list[psutil.Process]:
        """All that bear the mark, but this process."""
        return [process for process in psutil.process_iter() if self._bears_mark(process)]

    def wait_until_idle(self) -> list[psutil.Process]:
        """What is still there after all had time to go."""
        return list(psutil.wait_procs(self.processes(), timeout=GONE_S)[1])

    def _bears_mark(self, process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return process.pid != os.getpid() and process.environ().get(MARK) == str(self.folder)
        return False


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Apart]:
    """A home in which nothing is left running."""
    home = Apart(tmp_path)
    yield home
    left = home.wait_until_idle()
    for process in left:
        with suppress(psutil.Error):
            process.kill()
    assert left == []


async def events_of_run(run: Run) -> list[SweepEvent]:
    """Every event of a run, to its end."""
    async with aclosing(followed(run)) as events:
        return [event async for event in events]


def roles_of(run: Run) -> dict[str, psutil.Process]:
    """The processes of a run: ``runner``, ``measure``, ``child`` and ``reference``."""
    process = run.process()
    if process is None or not process.is_alive():
        return {}
    found: dict[str, psutil.Process] = {}
    with suppress(psutil.Error):
        found["runner"] = psutil.Process(process.pid)
        for worker in found["runner"].children():
            words = worker.cmdline()
            role = next((word for word in ("measure", "reference") if word in words), "")
            if role:
                found[role] = worker
            for child in worker.children() if role == "measure" else ():
                found["child"] = child
    return found
