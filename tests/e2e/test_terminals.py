"""Screens and plain text in real terminals of other kinds: colourless, console, ASCII, still."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.homes import Home
from tests.e2e.terminal import Terminal

pytestmark = pytest.mark.e2e

COLOURS = re.compile(rb"\x1b\[([0-9;]*)m")
ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_].*?\x1b\\|.)", re.DOTALL
)
CONSOLE = set("─│┌┐└┘·█░≥≤°±")
"""Of what we draw, the glyphs that console fonts of 256 and 512 glyphs hold (code page 437)."""
QUIET_S = 1.5


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@contextmanager
def demo(home: Home, *options: str, **variables: str) -> Iterator[Terminal]:
    command = (sys.executable, "-m", "wizard", *options, "--demo")
    with Terminal(command, home.environment(), more=variables) as terminal:
        yield terminal


def walk(terminal: Terminal) -> None:
    """Through the screens up to the plan, and out."""
    for drawn, key in (
        ("Quit", "\r"),
        ("Enter Choose", "n"),
        ("What do you want to run?", "\r"),
        ("suggested", "\r"),
        ("Enter Rehearse", ""),
    ):
        terminal.wait_for(drawn, 20)
        terminal.send(key)
    terminal.send("q")
    assert terminal.exit_code() == 0


def colours(drawn: bytes) -> set[tuple[int, int, int]]:
    """Every colour that was asked for as red, green and blue."""
    found = set()
    for codes in COLOURS.findall(drawn):
        numbers = [int(code) for code in codes.split(b";") if code]
        for place, code in enumerate(numbers):
            if code in (38, 48) and numbers[place + 1 : place + 2] == [2]:
                red, green, blue = numbers[place + 2 : place + 5]
                found.add((red, green, blue))
    return found


def test_no_color_draws_in_greys_alone(home: Home) -> None:
    with demo(home, NO_COLOR="1", COLORTERM="truecolor") as terminal:
        walk(terminal)
        seen = colours(terminal.drawn)
    assert len(seen) > 1
    assert {colour for colour in seen if len(set(colour)) > 1} == set()


def test_in_colour_there_are_others(home: Home) -> None:
    """So that the test before could fail."""
    with demo(home, COLORTERM="truecolor") as terminal:
        walk(terminal)
        assert any(len(set(colour)) > 1 for colour in colours(terminal.drawn))


def test_an_ascii_locale_gets_ascii_from_the_screens(home: Home) -> None:
    with demo(home, LC_ALL="C") as terminal:
        walk(terminal)
        assert ESCAPES.sub(b"", terminal.drawn).isascii()


def test_an_ascii_locale_gets_ascii_from_plain_text(home: Home) -> None:
    with demo(home, "--plain", LC_ALL="C") as terminal:
        terminal.wait_for("Quit")
        terminal.send("7\r")
        terminal.wait_for("Carry it out:")
        terminal.wait_for("Quit")
        terminal.send("0\r")
        assert terminal.exit_code() == 0
        drawn = terminal.drawn
    assert drawn.isascii()
    assert b"\\u" not in drawn
    assert b"\\x" not in drawn


def test_the_console_s_own_terminal_shows_no_glyph_that_its_font_lacks(home: Home) -> None:
    with demo(home, TERM="linux") as terminal:
        walk(terminal)
        text = ESCAPES.sub(b"", terminal.drawn).decode()
    assert {glyph for glyph in text if not glyph.isascii()} <= CONSOLE


def test_without_animations_nothing_moves_by_itself(home: Home) -> None:
    with demo(home, TEXTUAL_ANIMATIONS="none") as terminal:
        terminal.wait_for("What do you want to do?")
        terminal.wait_for("Quit")
        terminal.read_on(QUIET_S)  # what is still being drawn
        before = terminal.drawn
        terminal.read_on(QUIET_S)
        assert terminal.drawn == before
        walk(terminal)


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_shows_no_screens_gets_the_plain_road(home: Home, term: str) -> None:
    with demo(home, TERM=term) as terminal:
        terminal.wait_for(f"This terminal cannot show screens (TERM={term})")
        terminal.wait_for("Quit")
        terminal.send("0\r")
        assert terminal.exit_code() == 0
        assert b"\x1b" not in terminal.drawn


def test_ctrl_c_and_ctrl_d_leave_a_question_in_plain_words(home: Home) -> None:
    for key, code in (("\x03", 130), ("\x04", 0)):
        with demo(home, "--plain") as terminal:
            terminal.wait_for("Number (Enter for 1")
            terminal.send(key)
            terminal.wait_for("Nothing was changed")
            assert terminal.exit_code() == code
            assert b"Traceback" not in terminal.drawn
