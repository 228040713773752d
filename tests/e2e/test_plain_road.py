"""The plain road in a real terminal: installed, measured, diagnosed, taken back, by answers alone.

The torch that is installed is a stand-in (``small_torch``); the one that is measured is real.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.homes import Home
from tests.e2e.terminal import Terminal
from tests.run.server import Manner, WheelIndex

pytestmark = pytest.mark.e2e

SLOW = Manner(rest_s=0.01)
"""Of what comes within a moment, nobody is told each tenth."""
PYTHONS = [path for path in os.environ.get("RDNA1_SETUP_TORCH_PYTHONS", "").split(":") if path]
WHY_NONE = "RDNA1_SETUP_TORCH_PYTHONS names no Python that has torch (split by colons)"
MENU = "What do you want to do?"
QUESTION = "): "
"""How a question by numbers ends; what stands before it is the number that Enter takes."""


@contextmanager
def plain(home: Home, *more: str, **variables: str) -> Iterator[Terminal]:
    own = ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL")
    environment = {n: v for n, v in home.environment().items() if n not in own}
    environment["PIP_TRUSTED_HOST"] = "127.0.0.1"
    command = (sys.executable, "-m", "wizard", "--plain", *more)
    with Terminal(command, environment, more=variables) as terminal:
        yield terminal


def answer(terminal: Terminal, question: str, text: str, seconds: float = 60) -> None:
    """Waits for a question that is ready for its answer, and answers it."""
    terminal.wait_for(question, seconds)
    terminal.wait_until(lambda: terminal.text().rstrip("\n").endswith((": ", "] ")), question, 20)
    terminal.send(f"{text}\r")


def number_of(terminal: Terminal, choice: str) -> str:
    """The number of a choice that was told since the last answer."""
    terminal.wait_for(choice)
    found = re.search(rf"^ +(\d+)  {re.escape(choice)}", terminal.text(), re.MULTILINE)
    assert found is not None, terminal.text()
    return found[1]


def install(terminal: Terminal) -> None:
    answer(terminal, MENU, "1")
    answer(terminal, "What do you want to run?", "0")
    answer(terminal, "Which stack?", number_of(terminal, "cpu: torch for the processor"))
    answer(terminal, "Which folder?", "")
    answer(terminal, "Carry out this plan? [y/N]", "y")
    answer(terminal, "Installed. Measure it now?", "2", 300)


def transcript(terminal: Terminal) -> str:
    """All of it as a reader gets it: the terminal driver alone adds carriage returns."""
    return terminal.drawn.decode().replace("\r\n", "\n")


def test_a_script_installs_measures_diagnoses_and_takes_back(
    home: Home, wheels: tuple[Path, ...]
) -> None:
    if not PYTHONS:
        pytest.skip(WHY_NONE)
    before = home.listing()
    with (
        WheelIndex(wheels, metadata=True, manner=SLOW) as index,
        plain(home, "--torch-index", index.simple) as terminal,
    ):
        install(terminal)
        assert (home.folder / "ai/cpu/bin/rdna1-python").exists()
        answer(terminal, MENU, "2")
        answer(
            terminal, "Which Python do you want", number_of(terminal, "another one: I will type it")
        )
        answer(terminal, "has torch", PYTHONS[0])
        answer(terminal, "On which device?", "2")
        answer(terminal, "What do you want to know?", "1")
        answer(terminal, MENU, "3", 300)
        answer(terminal, "Which finding do you want to see?", "0")
        answer(terminal, MENU, "6")
        answer(terminal, "Which run do you want to undo?", "1")
        answer(terminal, "Roll back? [y/N]", "y")
        answer(terminal, MENU, "0")
        assert terminal.exit_code() == 0
        told = transcript(terminal)
    assert home.listing() == before
    assert_speakable(told)
    assert_announced(told)
    assert len(re.findall(r"^\d+/15   pass", told, re.MULTILINE)) == 15
    assert "Undone." in told


def assert_speakable(told: str) -> None:
    """Nothing that moves a cursor, and no line that is too long but a path by itself, with or
    without the mark that its command goes on."""
    assert "\x1b" not in told
    assert "\r" not in told
    assert not set(told) & set("━█░▏")
    long = [line for line in told.split("\n") if len(line) > 79]
    assert [line for line in long if len(line.removesuffix(" \\").split()) > 1] == []
    assert all("/" in line for line in long)


def assert_announced(told: str) -> None:
    """The download and each shape of the sweep are told as they come, every tenth of the way."""
    step = re.search(
        r"^\[\d+/\d+\] download every file.*?^    ok, ", told, re.MULTILINE | re.DOTALL
    )
    assert step is not None
    download = step[0]
    percents = [int(text) for text in re.findall(r"^ +(\d+) % \(", download, re.MULTILINE)]
    tenths = [percent // 10 for percent in percents]
    assert tenths == sorted(set(tenths))
    assert set(range(1, 10)) <= set(tenths), download
    shapes = re.findall(r"^(\d+)/15 .*deadline", told, re.MULTILINE)
    assert shapes == [str(number) for number in range(1, 16)]
