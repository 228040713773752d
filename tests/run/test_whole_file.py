"""A small file of ours is written whole, with its own mode, and through nobody's link."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wizard.operations.write_file import PinInstalled, WriteFile
from wizard.system.lock import write_requirements
from wizard.system.partial_download import PartialDownload
from wizard.system.system import System
from wizard.system.whole_file import draft_of, write_whole

SYSTEM = System({}, "", lambda: False)
WRITERS: dict[str, Callable[[Path], object]] = {
    "a setting": lambda path: WriteFile("", "/", str(path), "ours\n", 0o755).act(SYSTEM, {}),
    "pins": lambda path: PinInstalled("", str(path.parent), (), str(path)).act(SYSTEM, {}),
    "a lock": lambda path: write_requirements(path, ()),
    "what is known of a download": lambda path: PartialDownload(path.with_suffix("")).record(
        "1234"
    ),
}


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
def test_a_file_has_the_mode_that_was_asked_for_whatever_the_umask(
    tmp_path: Path, umask: int, mode: int
) -> None:
    path = tmp_path / "new" / "folder" / "file"
    for text in ("first", "sec\u00f6nd"):
        write_whole(path, text, mode)
        assert path.read_text("utf-8") == text
        assert path.stat().st_mode & 0o7777 == mode
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS.keys())
def test_what_lies_where_the_draft_goes_is_replaced_and_never_written_through(
    tmp_path: Path, write: Callable[[Path], object]
) -> None:
    precious, path = tmp_path / "precious", tmp_path / "file.json"
    precious.write_text("theirs")
    draft_of(path).symlink_to(precious)

    write(path)

    assert precious.read_text() == "theirs"
    assert path.is_file()
    assert not path.is_symlink()
    assert not os.path.lexists(draft_of(path))


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS.keys())
def test_a_link_in_its_place_gives_way_and_its_target_stays(
    tmp_path: Path, write: Callable[[Path], object]
) -> None:
    precious, path = tmp_path / "precious", tmp_path / "file.json"
    precious.write_text("theirs")
    path.symlink_to(precious)

    write(path)

    assert precious.read_text() == "theirs"
    assert not path.is_symlink()


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, "old", 0o644)
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\udcff", 0o644)
    assert path.read_text() == "old"
