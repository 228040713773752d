"""Files for others: where a typed path leads, and that nothing is written over unasked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wizard.services.named_files import is_there, not_written, place_of, write_new, write_over


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("~/card.json", "/home/sam/card.json"),
        ("card.json", "/home/sam/card.json"),
        (" /tmp/a b.json ", "/tmp/a b.json"),
        ("a/../b", "/home/sam/a/../b"),
    ],
)
def test_a_path_is_below_the_home_unless_it_says_otherwise(typed: str, path: str) -> None:
    assert str(place_of(typed, "/home/sam")) == path


def test_what_is_there_is_written_over_on_request_alone_and_keeps_its_rights(
    tmp_path: Path,
) -> None:
    path = tmp_path / "card.json"
    assert not is_there(path)
    write_new(path, "one")
    path.chmod(0o640)
    with pytest.raises(FileExistsError):
        write_new(path, "two")
    assert path.read_text() == "one"
    write_over(path, "two")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("two", 0o640)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/nowhere")])
def test_only_a_plain_file_is_written_over(tmp_path: Path, make: object) -> None:
    path = tmp_path / "card.json"
    assert callable(make)
    make(path)
    assert is_there(path)
    with pytest.raises(FileExistsError, match="not a regular file"):
        write_over(path, "text")


def test_what_could_not_be_written_whole_is_not_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    with pytest.raises(UnicodeEncodeError):
        write_new(path, "half \ud800")
    assert not is_there(path)


def test_why_a_file_was_not_written_is_told_in_three_parts(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "card.json"
    with pytest.raises(FileNotFoundError) as raised:
        write_new(path, "text")
    trouble = not_written(path, raised.value)
    assert trouble.happened == f"{path} was not written: No such file or directory."
    assert trouble.meaning == "Nothing was changed."
    assert "Choose another file name" in trouble.next_step
