"""A report is written whole into a new folder, or not at all."""

from __future__ import annotations

import errno
import os
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from wizard.core.trouble import Trouble
from wizard.report.bundle import ReportFile, ReportFiles, write_folder

FILES = (ReportFile("report.md", "", "# a\n", ()), ReportFile("logs/x.txt", "", "ä\n", ()))
PAPERS = ReportFiles(FILES, ())


def test_files_lie_in_a_folder_that_only_its_owner_opens(tmp_path: Path) -> None:
    folder = tmp_path / "a report"
    assert write_folder(PAPERS, folder) == (folder,)
    assert (folder / "logs/x.txt").read_text("utf-8") == "ä\n"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "logs").stat().st_mode & 0o777 == 0o700
    assert (folder / "report.md").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a report"]


def test_the_same_goes_into_one_file(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    assert write_folder(PAPERS, folder, zipped=True) == (folder, tmp_path / "report.zip")
    with zipfile.ZipFile(tmp_path / "report.zip") as packed:
        assert packed.namelist() == ["report/report.md", "report/logs/x.txt"]
        assert packed.read("report/logs/x.txt") == "ä\n".encode()
    assert (tmp_path / "report.zip").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report", "report.zip"]


@pytest.mark.parametrize("there", ["folder", "file", "link", "zip"])
def test_what_is_there_is_never_written_over(tmp_path: Path, there: str) -> None:
    folder = tmp_path / "report"
    if there == "folder":
        folder.mkdir()
    elif there == "file":
        folder.write_text("mine")
    elif there == "link":
        folder.symlink_to(tmp_path / "nowhere")
    else:
        (tmp_path / "report.zip").write_text("mine")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(Trouble, match="already exists"):
        write_folder(PAPERS, folder, zipped=True)
    assert sorted(tmp_path.iterdir()) == before


def test_without_a_folder_above_it_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="there is no folder"):
        write_folder(PAPERS, tmp_path / "no" / "report")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_takes_all_the_others_with_it(tmp_path: Path) -> None:
    broken = ReportFiles((*FILES, ReportFile("report.md", "", "twice", ())), ())
    with pytest.raises(Trouble, match="File exists"):
        write_folder(broken, tmp_path / "report", zipped=True)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    if os.geteuid():
        pytest.skip("only root can mount a small file system")
    mount = ("mount", "-t", "tmpfs", "-o", "size=64k", "none", str(tmp_path))
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield tmp_path
    unmount = ("umount", "--lazy", str(tmp_path))
    subprocess.run(unmount, check=False)


@pytest.mark.e2e
def test_a_full_disk_leaves_nothing_behind(small_disk: Path) -> None:
    large = ReportFiles((*FILES, ReportFile("large.txt", "", "x" * 100_000, ())), ())
    with pytest.raises(Trouble, match="No space left on device"):
        write_folder(large, small_disk / "report")
    assert list(small_disk.iterdir()) == []


def test_a_disk_that_knows_no_links_takes_the_one_file_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)  # as FAT answers; none can be mounted in a test
    write_folder(PAPERS, tmp_path / "report", zipped=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report", "report.zip"]
