"""The small emulator shows what was written, and believes nothing that it does not know."""

from __future__ import annotations

import pytest

from tests.layout.emulator import Emulator

DRAWN = "\x1b[?1049h\x1b[?25l\x1b[2;3H\x1b[1;38;2;1;2;3mabc\x1b[0m\r\nde\x1b]7777;3\x07\x1b[1;9Hü界"
SHOWN = ("        ü界", "  abc", "de")


def shown(written: bytes, step: int) -> tuple[str, ...]:
    emulator = Emulator(11, 3)
    for place in range(0, len(written), step):
        emulator.feed(written[place : place + step])
    assert emulator.told == "7777;3"
    return emulator.rows


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
def test_what_was_written_stands_there_wherever_it_was_cut(step: int) -> None:
    assert shown(DRAWN.encode(), step) == SHOWN


def test_later_text_stands_over_earlier_one() -> None:
    emulator = Emulator(5, 1)
    emulator.feed(b"abcde\x1b[1;2HXY")
    assert emulator.rows == ("aXYde",)
    emulator.feed(b"\x1b[2J")
    assert emulator.rows == ("",)


@pytest.mark.parametrize("escape", ["\x1b[5A", "\x1b[3K", "\x1b7", "\t", "\x1b[1 q\x1b[2!p"])
def test_an_escape_that_it_does_not_know_is_said(escape: str) -> None:
    with pytest.raises(ValueError, match="not known"):
        Emulator(5, 1).feed(f"{escape}.".encode())


@pytest.mark.parametrize("text", ["abcdef", "\x1b[2;1Ha", "\x1b[1;5H界"])
def test_text_over_the_edge_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="over the edge"):
        Emulator(5, 1).feed(text.encode())
