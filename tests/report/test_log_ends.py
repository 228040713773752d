"""A log of any size and any bytes is told by its two ends."""

import os
from pathlib import Path

import pytest

from wizard.core.fact import Unknown
from wizard.report.sources import HEAD_BYTES, TAIL_BYTES, log_ends


def test_a_short_log_is_told_whole(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("one\ntwo\n")
    assert log_ends(log) == "one\ntwo"


def test_of_a_log_of_100_megabytes_two_ends_are_told_and_no_line_is_cut(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    line = b"HF_TOKEN=hf_QqWwEeRrTtYyUuIiOoPp and more of this line\n"
    with log.open("wb") as file:
        file.write(b"first\n" + line * 2_000)
        file.truncate(100_000_000)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + line * 4_000 + b"last\n")
    text = log_ends(log)
    assert isinstance(text, str)
    assert len(text) < HEAD_BYTES + TAIL_BYTES + 100
    lines = text.splitlines()
    assert (lines[0], lines[-1]) == ("first", "last")
    assert "bytes of this log are left out here]" in text
    assert {one for one in lines if one.startswith("HF_")} == {line.decode().rstrip()}


def test_bytes_that_are_no_text_and_escapes_do_no_harm(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_bytes(b"\xff\xfe \x1b[31mred\x1b[0m \x1b]0;title\x07 hf_\x1b[0mQqWw\n")
    assert log_ends(log) == "\ufffd\ufffd red  hf_QqWw"


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "link"])
def test_what_is_no_log_is_unknown_and_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    log = tmp_path / "log.txt"
    if kind == "folder":
        log.mkdir()
    elif kind == "pipe":
        os.mkfifo(log)
    elif kind == "link":
        log.symlink_to("/etc/passwd")
    assert isinstance(log_ends(log), Unknown)
