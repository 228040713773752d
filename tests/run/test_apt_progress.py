"""What apt and pip say of their progress becomes values, and nothing else does."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wizard.run.apt_progress import (
    AptNews,
    Changing,
    MediumWanted,
    PackageFailed,
    PipReceived,
    Retrieving,
    SettingsDiffer,
    StatusLines,
    apt_news,
    pip_received,
)

DEBIAN_12 = b"""\
dlstatus:1:0.0000:Retrieving file 1 of 7
dlstatus:2:36.9365:Retrieving file 2 of 7
dlstatus:7:100.0000:Retrieving file 7 of 7
pmstatus:dpkg-exec:0.0000:Running dpkg
pmstatus:libssl3:3.4483:Unpacking libssl3 (amd64)
pmstatus:hello:96.5517:Installed hello (amd64)
pmconffile:/etc/example.conf:40.0000:'/etc/example.conf' '/etc/example.conf.dpkg-new' 1 1 
pmerror:/tmp/clash-1.deb:14.2857:trying to overwrite '/usr/bin/less', which is also in package less
"""  # noqa: W291 - apt 2.6.1 ends that line so
TOLD: tuple[AptNews, ...] = (
    Retrieving(1, 0.0, "Retrieving file 1 of 7"),
    Retrieving(2, 36.9365, "Retrieving file 2 of 7"),
    Retrieving(7, 100.0, "Retrieving file 7 of 7"),
    Changing("dpkg-exec", 0.0, "Running dpkg"),
    Changing("libssl3", 3.4483, "Unpacking libssl3 (amd64)"),
    Changing("hello", 96.5517, "Installed hello (amd64)"),
    SettingsDiffer(
        "/etc/example.conf", 40.0, "'/etc/example.conf' '/etc/example.conf.dpkg-new' 1 1"
    ),
    PackageFailed(
        "/tmp/clash-1.deb",
        14.2857,
        "trying to overwrite '/usr/bin/less', which is also in package less",
    ),
)


def told(chunks: list[bytes]) -> list[AptNews]:
    status = StatusLines()
    news = [each for chunk in chunks for each in status.feed(chunk)]
    return [*news, *status.feed(b"", final=True)]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


NAMES = st.text("abz0.+-/_é ", min_size=1).map(str.strip).filter(bool)
TEXTS = st.text("abc: ()'\"%é[/", max_size=40)
PERCENTS = st.floats(0, 100).map(lambda share: f"{share:.4f}")
KINDS = st.sampled_from(("dlstatus", "pmstatus", "pmerror", "pmconffile", "media-change", "else"))
LINES = st.builds(lambda *fields: ":".join(fields), KINDS, NAMES, PERCENTS, TEXTS)
RUBBISH = st.one_of(st.text(max_size=60), LINES, LINES.map(lambda line: line.replace(":", "", 1)))


def test_what_apt_printed_is_understood_line_by_line() -> None:
    assert told([DEBIAN_12]) == list(TOLD)


@given(st.lists(RUBBISH, max_size=12), st.lists(st.integers(0, 10_000), max_size=12))
def test_where_the_chunks_are_cut_does_not_matter(lines: list[str], places: list[int]) -> None:
    data = DEBIAN_12 + "\n".join(lines).encode("utf-8", "replace")
    assert told(cut(data, places)) == told([data])


@given(st.binary(max_size=400))
def test_bytes_without_meaning_give_nothing_and_no_error(data: bytes) -> None:
    assert told([data.replace(b":", b"")]) == []
    told([data])


@given(NAMES, st.floats(0, 100), TEXTS)
def test_a_text_may_hold_colons(name: str, percent: float, text: str) -> None:
    found = apt_news(f"pmstatus:{name}:{percent:.4f}:{text}")
    assert isinstance(found, Changing)
    assert found.package == name
    assert found.percent == pytest.approx(percent, abs=0.0001)
    assert found.text == text.strip()


@given(RUBBISH)
@example("pmstatus:hello:150.0:too much")
def test_a_percent_is_always_one(line: str) -> None:
    found = apt_news(line)
    if found is not None and not isinstance(found, MediumWanted):
        assert 0 <= found.percent <= 100


@pytest.mark.parametrize(
    "line",
    [
        "",
        ":::",
        "pmstatus:hello:20.0000",
        "pmstatus::20.0000:no package",
        "pmstatus:hello:nan:x",
        "pmstatus:hello:inf:x",
        "pmstatus:hello:-1:x",
        "pmstatus:hello:1e9:x",
        "pmstatus:hello:1_0:x",
        "pmstatus:hello:\N{ARABIC-INDIC DIGIT ONE}:x",
        "dlstatus:one:20.0000:x",
        "status: hello: installed: x",
        "PMSTATUS:hello:20.0000:x",
        "E: Unable to locate package hello: x: y",
    ],
)
def test_what_only_resembles_it_gives_nothing(line: str) -> None:
    assert apt_news(line) is None


def test_a_disc_that_apt_waits_for_is_named() -> None:
    line = "media-change: Debian 12 _Bookworm_:/media/cdrom/:Please insert: 'Debian 12'"
    assert apt_news(line) == MediumWanted(
        "Debian 12 _Bookworm_", "/media/cdrom/", "Please insert: 'Debian 12'"
    )


def test_no_control_character_comes_through() -> None:
    found = apt_news("pmstatus:hello:20.0:\x1b[31mred\x07 \x9b2J end")
    assert found == Changing("hello", 20.0, "red 2J end")


@given(st.integers(0, 10**15), st.integers(0, 10**15))
def test_what_pip_received_is_never_more_than_all(done: int, total: int) -> None:
    found = pip_received(f"Progress {done} of {total}")
    assert found == PipReceived(min(done, total) if total else done, total)


@given(st.text(max_size=60))
def test_other_lines_of_pip_are_no_progress(line: str) -> None:
    assert pip_received(f"Collecting {line}") is None
    assert pip_received(f"Progress 1 of 5{line}x") is None


@pytest.mark.parametrize(
    "line", ["Progress", "Progress 1 of", "Progress -1 of 5", "In Progress 1 of 5", "Progress 1/5"]
)
def test_what_only_resembles_pip_s_progress_gives_nothing(line: str) -> None:
    assert pip_received(line) is None
