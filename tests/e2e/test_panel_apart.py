"""The wizard killed, or its window closed, while the panel measures: it goes on and is found again.

The program and its terminal are real; torch is the stand-in whose first shape never returns.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.conv2d.apart import Apart, apart, events_of_run
from tests.conv2d.sweeping import environ
from tests.e2e.terminal import Terminal
from wizard.conv2d.journal import read_journal
from wizard.conv2d.runs.folders import live_run
from wizard.conv2d.sweep import SweepDone

pytestmark = pytest.mark.e2e
__all__ = ["apart"]
ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "wizard")


def variables(apart: Apart) -> dict[str, str]:
    own = apart.environ(environ({32: "hang"}))
    return {**own, "PYTHONPATH": f"{ROOT}:{own['PYTHONPATH']}"}


FOCUSED_S = 1.0


def open_panel(terminal: Terminal) -> None:
    terminal.wait_for("c Measure")
    terminal.send("c")
    terminal.wait_for("224x224")


@pytest.mark.parametrize("way", ["killed", "closed", "left"])
async def test_what_the_panel_started_outlives_it_and_is_found_again(
    apart: Apart, way: str
) -> None:
    with Terminal(COMMAND, variables(apart)) as terminal:
        open_panel(terminal)
        terminal.wait_for("Another Python")
        for keys, drawn in (
            ("\x1b[F", "> Another Python"),
            ("\r", "/python"),
            (sys.executable, sys.executable),
            ("\r", "> /"),  # the keys count once the field is left
            ("o\x1b[B\x1b[B\x1b[B ", "< CPU >"),
            ("o", "on the CPU"),
            ("\r", "Measuring"),
        ):
            terminal.send(keys)
            terminal.wait_for(drawn)
            # What is drawn says nothing of who has the focus: a key too early would be typed.
            later = time.monotonic() + FOCUSED_S
            terminal.wait_until(lambda: time.monotonic() > later, "later")  # noqa: B023
        terminal.wait_for("cold")
        run = live_run(apart.places)
        assert run is not None
        if way == "killed":
            os.kill(terminal.pid, signal.SIGKILL)
        elif way == "closed":
            terminal.hang_up()
        else:
            terminal.send("q")
        terminal.wait_for_end()
    assert run.is_alive()

    with Terminal(COMMAND, variables(apart)) as terminal:
        open_panel(terminal)
        terminal.wait_for("Already measuring: 15 shapes on cpu")
        assert live_run(apart.places) == run
        terminal.send("s")
        terminal.wait_for("Stopped after 0 shapes")
        terminal.wait_until(lambda: not run.is_alive(), "the end of the runner")
        terminal.send("q")
        terminal.wait_for_end()
    done = (await events_of_run(run))[-1]
    assert isinstance(done, SweepDone)
    assert done.trouble is not None
    assert done.trouble.happened == "The measurement was stopped."
    assert read_journal(run.journal).under_way is None, "a shape that was stopped is no suspect"
