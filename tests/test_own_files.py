"""Files and folders of ours: private, and refused where somebody else may have put them there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from wizard.conv2d.journal import open_journal
from wizard.core.own_files import open_private, private_folder, read_private

NOBODY = 65534
CREATE = os.O_RDWR | os.O_CREAT


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_others_could_read_becomes_private(tmp_path: Path) -> None:
    folder, file = tmp_path / "folder", tmp_path / "file"
    folder.mkdir(mode=0o755)
    file.touch(mode=0o644)
    private_folder(folder)
    os.close(open_private(file, CREATE))

    assert (mode_of(folder), mode_of(file)) == (0o700, 0o600)


def test_reading_changes_no_mode(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"text")
    file.chmod(0o644)

    assert read_private(file, 3) == b"tex"
    assert mode_of(file) == 0o644


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.touch()
    link.symlink_to(target)
    with pytest.raises(PermissionError, match="it is a link"):
        open_private(link, CREATE)
    with pytest.raises(PermissionError, match="it is a link"):
        open_journal(link, resume=True)


def test_a_pipe_in_place_of_a_file_neither_blocks_nor_counts(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PermissionError, match="it is not a file"):
        open_private(tmp_path / "pipe", os.O_RDONLY)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_somebody_else_is_refused(tmp_path: Path) -> None:
    folder, file = tmp_path / "folder", tmp_path / "file"
    folder.mkdir()
    file.touch()
    for path in (folder, file):
        os.chown(path, NOBODY, NOBODY)
    with pytest.raises(PermissionError, match="another user"):
        private_folder(folder)
    with pytest.raises(PermissionError, match="another user"):
        open_private(file, CREATE)
