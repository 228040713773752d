"""A log in bounded memory: its newest lines keep their numbers, and a search goes along."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from screens.run.kept_lines import KeptLines
from screens.run.log_search import LogSearch

TEXTS = st.text("aAbB.*[é", max_size=6)
BATCHES = st.lists(st.lists(TEXTS, max_size=8), max_size=12)


def numbered(*counts: int, most: int = 1_000) -> KeptLines:
    lines, number = KeptLines(most_lines=most), 0
    for count in counts:
        lines.add([f"line {number + place}" for place in range(count)])
        number += count
    return lines


def test_the_oldest_lines_go_and_the_others_keep_their_numbers() -> None:
    lines = numbered(4, 3, most=5)
    assert (lines.first, lines.end, len(lines)) == (2, 7, 5)
    assert lines[2] == "line 2"
    assert lines[6] == "line 6"


def test_adding_says_how_many_went() -> None:
    lines = numbered(4, most=5)
    assert lines.add(["a"]) == 0
    assert lines.add(["b", "c"]) == 2


@given(BATCHES)
def test_neither_lines_nor_characters_grow_beyond_their_limits(batches: list[list[str]]) -> None:
    lines, everything = KeptLines(most_lines=10, most_characters=20), list[str]()
    for batch in batches:
        lines.add(batch)
        everything += batch
        kept = lines.between(lines.first, lines.end)
        assert len(kept) <= 10
        assert sum(map(len, kept)) <= 20
        assert kept == everything[lines.first :]
        assert lines.end == len(everything)


def test_one_line_longer_than_all_that_may_be_kept_is_kept_alone() -> None:
    lines = KeptLines(most_characters=10)
    lines.add(["short", "x" * 11])
    assert lines.between(0, 9) == ["x" * 11]


def test_lines_that_went_are_not_among_those_asked_for() -> None:
    lines = numbered(10, most=4)
    assert lines.between(0, 8) == ["line 6", "line 7"]
    assert lines.between(0, 3) == []


def test_the_newest_lines_fit_into_the_bytes_that_a_clipboard_takes() -> None:
    lines = KeptLines()
    lines.add(["first", "é" * 4, "last"])
    assert lines.newest(14) == ["é" * 4, "last"]
    assert lines.newest(13) == ["last"]
    assert lines.newest(100) == ["first", "é" * 4, "last"]


@given(BATCHES, TEXTS.filter(bool), st.integers(1, 20))
def test_a_search_finds_the_same_in_a_log_that_goes_on_as_in_one_that_stands(
    batches: list[list[str]], text: str, most: int
) -> None:
    lines = KeptLines(most_lines=most)
    going_on, standing = LogSearch(lines), LogSearch(lines)
    going_on.begin(text, 0)
    for batch in batches:
        lines.add(batch)
        going_on.go_on()
    standing.begin(text, 0)
    hits = [number for number in range(lines.first, lines.end) if standing.is_hit(number)]
    assert hits == [number for number in range(lines.first, lines.end) if going_on.is_hit(number)]
    folded = text.lower()
    assert hits == [n for n in range(lines.first, lines.end) if folded in lines[n].lower()]


def test_it_begins_with_the_last_hit_that_is_in_view_or_above() -> None:
    search = LogSearch(numbered(30))
    search.begin("line 1", 15)
    assert search.current == 15
    search.begin("line 2", 19)
    assert search.current == 2
    search.begin("line 3", 1)
    assert search.current == 3


def test_up_and_down_go_from_hit_to_hit_and_stop_at_the_ends() -> None:
    search = LogSearch(numbered(30))
    search.begin("LINE 2", 29)
    seen = []
    for by in (-1, -1, 1, 1, 1, *(-1,) * 12):
        search.move(by)
        seen.append(search.current)
    assert seen[:5] == [28, 27, 28, 29, 29]
    assert seen[-1] == seen[-2] == 2
    assert str(search) == "1 of 11 lines"


def test_a_text_that_comes_later_is_found_then() -> None:
    lines = numbered(3)
    search = LogSearch(lines)
    search.begin("error", 2)
    assert str(search) == "in no line"
    search.move(-1)
    assert search.current is None
    lines.add(["Error: no space"])
    search.go_on()
    assert str(search) == "1 line"
    search.move(-1)
    assert search.current == 3


def test_a_hit_whose_line_went_gives_way_to_the_oldest_that_is_left() -> None:
    lines = numbered(5, most=5)
    search = LogSearch(lines)
    search.begin("line", 0)
    assert search.current == 0
    lines.add(["line 5", "line 6"])
    search.go_on()
    assert search.current == 2
    lines.add(["other"] * 5)
    search.go_on()
    assert search.current is None


def test_nothing_is_marked_once_nothing_is_looked_for() -> None:
    search = LogSearch(numbered(5))
    search.begin("line", 3)
    search.begin("", 0)
    assert str(search) == ""
    assert search.current is None
    assert not search.is_hit(3)


def test_what_is_typed_is_no_pattern() -> None:
    lines = KeptLines()
    lines.add(["a.b", "axb", "[a"])
    search = LogSearch(lines)
    search.begin("a.b", 2)
    assert str(search) == "1 of 1 line"
    search.begin("[", 2)
    assert search.current == 2
