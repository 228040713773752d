"""The live road through the screens, in a real terminal, with real processes and a real index.

torch is a stand-in (``small_torch``); detection, Python, pip, downloads, journal and undo are real.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.e2e.homes import Home, listing
from tests.e2e.small_torch import SIZE
from tests.e2e.terminal import Terminal
from tests.run.server import Manner, WheelIndex

pytestmark = pytest.mark.e2e

TORCH = "/files/torch-2.13.0-py3-none-any.whl"
HELD = Manner(hold_at=0.4)
"""The download stands still at 40 % until the test lets go."""
INSTALLED = "Press Enter to measure"
"""Said when the run has ended; the bar tells how it went a moment before, and no key counts yet."""


@contextmanager
def wizard(home: Home, index: WheelIndex, *more: str) -> Iterator[Terminal]:
    command = (sys.executable, "-m", "wizard", "--torch-index", index.simple, *more)
    # A torch of the site's own would be taken before the small one of this test.
    own = ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL")
    environment = {n: v for n, v in home.environment().items() if n not in own}
    with Terminal(command, environment) as terminal:
        yield terminal


def walk_to_apply(terminal: Terminal) -> None:
    """From Welcome to a running plan, by keys; the processor is what is suggested here.

    A run that waits is gone on with: what it is for is not asked again.
    """
    menu = re.compile("> (Set up PyTorch|Continue)")
    terminal.wait_until(lambda: bool(menu.search(terminal.text())), "the menu")
    goes_on = "> Continue" in terminal.text()
    terminal.send("\r")
    terminal.wait_for("Enter Choose")
    terminal.send("\r")
    if not goes_on:
        terminal.wait_for("What do you want to run?")
        terminal.send("\r")
    terminal.wait_for("cpu (suggested)")
    terminal.send("\r")
    terminal.wait_for("Enter continues it" if goes_on else "Enter installs")
    terminal.send("\r")


def ours(home: Home) -> list[psutil.Process]:
    """Processes that belong to this home, other than the test itself."""
    marked = f"HOME={home.folder}"
    found = []
    for process in psutil.process_iter():
        try:
            environment = Path(f"/proc/{process.pid}/environ").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if marked in environment.split("\0") and process.status() != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


def wait_until_alone(home: Home, seconds: float = 20) -> None:
    limit = time.monotonic() + seconds
    while left := ours(home):
        assert time.monotonic() < limit, [process.cmdline() for process in left]
        time.sleep(0.1)


def test_the_whole_road_in_a_terminal_and_back_again(home: Home, wheels: tuple[Path, ...]) -> None:
    before, venv = home.listing(), home.folder / "ai" / "cpu"
    with WheelIndex(wheels, metadata=True, manner=HELD) as index:
        with wizard(home, index) as terminal:
            walk_to_apply(terminal)
            terminal.wait_for("[1/", 120)
            terminal.wait_for("MB of 2", 240)
            terminal.wait_for("torch-2.13.0", 60)
            assert re.search(r"━ +\d+%", terminal.text())
            index.served.released.set()
            terminal.wait_for(INSTALLED, 240)
            assert "steps done" in terminal.text()
            terminal.send("\r")
            terminal.wait_for("~/ai/cpu")
            terminal.wait_for("on the CPU")
            terminal.send("n")
            terminal.wait_for("PyTorch is installed")
            assert (venv / "bin" / "rdna1-python").is_file()
            terminal.send("q")
            assert terminal.exit_code() == 0
        (venv / "model.bin").write_text("mine too")
        with wizard(home, index) as terminal:
            terminal.wait_for("undo the last run")
            terminal.send("r")
            terminal.wait_for("y rolls back")
            terminal.send("y")
            terminal.wait_for("Rolled back.")
            terminal.send("\r")  # not Esc: with the next key it could be read as Alt and that key
            terminal.wait_for("What do you want to do?")
            terminal.send("q")
            assert terminal.exit_code() == 0
    left = {name: seen for name, seen in home.listing().items() if name not in before}
    assert set(left) == {"ai", "ai/cpu", "ai/cpu/model.bin"}


def test_an_index_that_is_gone_is_told_in_plain_words_and_can_be_undone(
    home: Home, wheels: tuple[Path, ...]
) -> None:
    with WheelIndex(wheels, metadata=True) as index:
        gone = index.simple
    with WheelIndex(wheels) as index, wizard(home, index, "--torch-index", gone) as terminal:
        walk_to_apply(terminal)
        terminal.wait_for("What went wrong", 300)
        terminal.wait_for("What to do:")
        terminal.wait_for("Press Enter to try again.")
        assert "failed" in terminal.text()
        terminal.send("q")
        assert terminal.exit_code() == 1
    wait_until_alone(home)
    assert home.run("rollback", "--yes").returncode == 0


def test_cancel_stops_inside_a_download_and_the_same_plan_goes_on(
    home: Home, wheels: tuple[Path, ...]
) -> None:
    with WheelIndex(wheels, metadata=True, manner=HELD) as index, wizard(home, index) as terminal:
        walk_to_apply(terminal)
        terminal.wait_for("MB of 2", 240)
        terminal.send("q")
        terminal.send("c")
        terminal.wait_for("Stop safely?")
        terminal.send("y")
        index.served.released.set()
        terminal.wait_for("Stopped as you asked. Press Enter to continue.", 60)
        terminal.send("\r")
        terminal.wait_for("Enter continues it")
        terminal.send("\r")
        terminal.wait_for(INSTALLED, 240)
        assert "already done" in terminal.text()
        terminal.send("q")
        assert terminal.exit_code() == 0
        # Two fifths were there when it stopped. What was on its way then, in the kernel, is lost.
        assert index.sent(TORCH) <= 1.25 * SIZE


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGKILL, signal.SIGTERM])
def test_a_wizard_that_is_ended_leaves_no_child_and_the_rerun_goes_on(
    home: Home, wheels: tuple[Path, ...], number: signal.Signals
) -> None:
    venv = home.folder / "ai" / "cpu"
    with WheelIndex(wheels, metadata=True) as index:
        for moment in ("lock --project", "pip install"):
            with wizard(home, index) as terminal:
                walk_to_apply(terminal)
                terminal.wait_until(partial(runs, home, moment), f"{moment} runs")
                if number is signal.SIGHUP:
                    terminal.hang_up()
                else:
                    os.kill(terminal.pid, number)
                terminal.wait_for_end()
                wait_until_alone(home)
        with wizard(home, index) as terminal:
            walk_to_apply(terminal)
            terminal.wait_for(INSTALLED, 240)
            terminal.send("q")
            assert terminal.exit_code() == 0
    assert "bin/rdna1-python" in listing(venv)
    assert home.run("rollback", "--yes").returncode == 0
    assert not venv.exists()


def test_a_wizard_whose_terminal_vanishes_without_a_signal_ends(home: Home) -> None:
    command = (sys.executable, "-m", "wizard", "--demo")
    with Terminal(command, home.environment(), owned=False) as terminal:
        terminal.wait_for("What do you want to do?")
        terminal.hang_up()
        terminal.wait_for_end()


def runs(home: Home, words: str) -> bool:
    """True while a program of this home has these words in its command line."""
    return any(words in line for line in command_lines(home))


def command_lines(home: Home) -> Iterator[str]:
    for process in ours(home):
        with suppress(psutil.Error):
            yield " ".join(process.cmdline())
