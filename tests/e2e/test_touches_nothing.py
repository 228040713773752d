"""A dry run and the demo change nothing: seen from outside, by strace, over whole sessions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.homes import Home
from tests.e2e.strace import CLOSED_LIST, changes, programs, strace_command
from tests.e2e.terminal import Terminal
from wizard.diagnose.this_machine import READERS

pytestmark = pytest.mark.e2e


KERNEL_LOG = {argv[0] for argv in READERS}
"""What reads the kernel log, for commands that diagnose."""


def check(trace: Path, *more: str) -> None:
    assert list(changes(trace)) == []
    started, *others = programs(trace)
    assert started.startswith("python")
    assert set(others) <= {*CLOSED_LIST, *more}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--dry-run",),
        ("detect", "--json"),
        ("plan", "--stack", "cpu"),
        ("apply", "--dry-run", "--stack", "cpu", "--yes"),
        ("--dry-run", "apply", "--stack", "cpu", "--yes"),
        ("plan", "--stack", "rocm52", "--footprint", "venv+system"),
        ("remove", "--dry-run", "--distribution-rocm"),
        ("clean-up", "--dry-run", "--yes"),
        ("report",),
        ("about",),
        ("rollback", "--list"),
        ("conv2d", "--dry-run"),
        ("test-my-card", "--dry-run"),
        ("test-my-card", "--demo"),
    ],
    ids=" ".join,
)
def test_commands_that_only_look_change_nothing(arguments: tuple[str, ...], tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.folder.mkdir()
    trace = tmp_path / "trace"
    done = subprocess.run(
        (*strace_command(trace), sys.executable, "-m", "wizard", *arguments),
        env=home.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    check(trace, *(KERNEL_LOG if arguments == ("report",) else ()))
    assert list(home.folder.iterdir()) == []


def test_the_demo_walked_through_every_screen_changes_nothing(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.folder.mkdir()
    trace = tmp_path / "trace"
    command = (*strace_command(trace), sys.executable, "-m", "wizard", "--demo")
    with Terminal(command, home.environment()) as terminal:
        for title, key in (
            ("Set up PyTorch", "\r"),
            ("Enter Choose", "n"),
            ("What do you want to run?", "\r"),
            ("Enter Review", "\r"),
            ("Enter rehearses", "\r"),
            ("Demo finished", "\r"),
            ("Enter plays an example", "\r"),
            ("hangs from 44x44 on", "n"),
            ("This was a demo", "q"),
        ):
            terminal.wait_for(title, 120)
            terminal.send(key)
        assert terminal.exit_code() == 0
    check(trace)
    assert list(home.folder.iterdir()) == []
