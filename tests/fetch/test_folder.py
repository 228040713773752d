"""The folder: ours or not, for whom, whole or not."""

import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.fetch.targets import PLAIN
from wizard.core.trouble import Trouble
from wizard.fetch.folder import Folder


def never() -> bool:
    return False


def finished(path: Path) -> Folder:
    folder = Folder(path)
    folder.begin(PLAIN)
    (path / "wheels").mkdir()
    (path / "wheels/torch-1.whl").write_text("torch")
    (path / "wheels.lock").write_text("torch==1\n")
    folder.finish(never)
    return folder


def test_a_finished_folder_is_whole_and_says_what_it_is_for(tmp_path: Path) -> None:
    folder = finished(tmp_path / "new")
    assert folder.wrong(never) == ()
    assert folder.target() == asdict(PLAIN)
    assert not folder.work.exists()


def test_the_tool_of_every_system_checks_it(tmp_path: Path) -> None:
    folder = finished(tmp_path)
    check = ("sha256sum", "--quiet", "--check", "SHA256SUMS")
    assert subprocess.run(check, cwd=folder.path, check=False).returncode == 0
    (tmp_path / "wheels/torch-1.whl").write_text("tarch")
    done = subprocess.run(check, cwd=folder.path, capture_output=True, text=True, check=False)
    assert (done.returncode, "wheels/torch-1.whl: FAILED" in done.stdout) == (1, True)


def test_one_that_is_filled_again_is_not_finished_and_knows_what_was_ours(tmp_path: Path) -> None:
    folder = finished(tmp_path)
    folder.begin(PLAIN)
    folder.reopen()
    assert not (tmp_path / "SHA256SUMS").exists()
    assert "wheels/torch-1.whl" in folder.sums()


@pytest.mark.parametrize(
    ("spoil", "wrong"),
    [
        (lambda path: (path / "wheels/torch-1.whl").write_text("tarch"), "wheels/torch-1.whl"),
        (lambda path: (path / "wheels.lock").unlink(), "wheels.lock"),
        (lambda path: (path / "wheels/evil-1.whl").write_text("x"), "wheels/evil-1.whl"),
    ],
)
def test_what_is_damaged_missing_or_added_is_found(tmp_path: Path, spoil, wrong) -> None:  # type: ignore[no-untyped-def]
    folder = finished(tmp_path)
    spoil(tmp_path)
    assert folder.wrong(never) == (wrong,)


def test_a_folder_with_somebody_s_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_text("mine")
    with pytest.raises(Trouble, match=r"photo\.jpg"):
        Folder(tmp_path).begin(PLAIN)
    assert [path.name for path in tmp_path.iterdir()] == ["photo.jpg"]


def test_what_somebody_put_beside_ours_is_refused(tmp_path: Path) -> None:
    folder = finished(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(Trouble, match=r"notes\.txt, which rdna1-setup did not make"):
        folder.begin(PLAIN)


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(Trouble, match="it is not a folder"):
        Folder(tmp_path / "file").begin(PLAIN)


def test_a_folder_for_other_machines_is_refused_finished_or_not(tmp_path: Path) -> None:
    other = replace(PLAIN, release="13")
    with pytest.raises(Trouble, match=r"release 12"):
        finished(tmp_path / "one").begin(other)
    begun = Folder(tmp_path / "two")
    begun.begin(PLAIN)
    with pytest.raises(Trouble, match="for other machines"):
        begun.begin(other)


def test_one_that_was_killed_before_its_first_word_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / ".unfinished").mkdir()
    Folder(tmp_path).begin(PLAIN)


def test_a_stop_while_hashes_are_made_finishes_nothing(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.begin(PLAIN)
    folder.finish(lambda: True)
    assert not folder.finished
    assert folder.work.is_dir()
