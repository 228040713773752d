"""Whatever becomes of a program that asks, the terminal is the wizard's again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal

SOURCE = Path(__file__).parents[2]
WIZARD = """
import asyncio, os, sys, termios
from wizard.root.rights import ask_here
before = termios.tcgetattr(0)
print("CODE", asyncio.run(ask_here((sys.executable, "-c", sys.argv[1]), 0, 1)), flush=True)
print("OURS", os.tcgetpgrp(0) == os.getpgrp(), flush=True)
print("AS BEFORE", termios.tcgetattr(0) == before, flush=True)
"""
ASKING = """
import os, signal, termios
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.setpgid(0, 0)
terminal = os.open("/dev/tty", os.O_RDWR)
os.tcsetpgrp(terminal, os.getpgrp())
settings = termios.tcgetattr(terminal)
settings[3] &= ~termios.ECHO
termios.tcsetattr(terminal, termios.TCSANOW, settings)
"""


@pytest.mark.parametrize(
    ("ending", "code"), [("os._exit(3)", 3), ("os.kill(os.getpid(), signal.SIGKILL)", -9)]
)
def test_the_terminal_is_given_back_however_the_program_ends(ending: str, code: int) -> None:
    command = (sys.executable, "-c", WIZARD, ASKING + ending)
    with Terminal(command, {**os.environ, "PYTHONPATH": str(SOURCE)}) as screen:
        screen.wait_for(f"CODE {code}")
        screen.wait_for("OURS True")
        screen.wait_for("AS BEFORE True")
