"""Program output becomes the same clean lines however its chunks were cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.core.lines import LONGEST_LINE, Lines, clean


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


def all_lines(chunks: list[bytes]) -> list[str]:
    lines = Lines()
    found = [line for chunk in chunks for line in lines.feed(chunk)]
    return [*found, *lines.feed(b"", final=True)]


@given(st.text(alphabet="ab\r\n\té€\x1b[1m"), st.lists(st.integers(0, 1000), max_size=8))
def test_where_the_chunks_are_cut_does_not_matter(text: str, places: list[int]) -> None:
    data = text.encode()
    assert all_lines(cut(data, places)) == all_lines([data])


@given(st.binary(max_size=300))
def test_no_control_character_survives(data: bytes) -> None:
    for line in all_lines([data]):
        assert all(ord(letter) >= 32 and not 127 <= ord(letter) < 160 for letter in line)


def test_a_carriage_return_ends_a_line_and_a_pair_ends_only_one() -> None:
    assert all_lines([b"10 %\r", b"20 %\r", b"\nnext\n"]) == ["10 %", "20 %", "next"]


def test_colours_titles_and_clipboard_writes_are_taken_out() -> None:
    assert clean("\x1b[31mred\x1b[0m \x1b]0;title\x07x \x1b]52;c;aGk=\x1b\\y") == "red x y"


@pytest.mark.parametrize("turned", "\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u2028\u2029")
def test_nothing_is_left_that_shows_a_text_in_another_order_or_on_another_line(turned: str) -> None:
    assert clean(f"rm {turned}x") == "rm x"


def test_megabytes_without_a_line_end_stay_bounded() -> None:
    lines = Lines()
    for _ in range(100):
        assert lines.feed(b"x" * 65_536) == ()
    assert [len(line) for line in lines.feed(b"", final=True)] == [LONGEST_LINE]
