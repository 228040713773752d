"""Filling a folder: what fails is named, what is missing too, and it is not called done."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from tests.fetch.targets import BARE, PLAIN
from wizard.core.events import Event, PlanFinished, StepFailed
from wizard.core.trouble import Trouble
from wizard.fetch.download import Fetch, Filling, Here, stages
from wizard.fetch.folder import Folder, Sources, Target, in_words
from wizard.host.files import mount_point
from wizard.run.lock import only_one


def fetch(path: Path, target: Target = PLAIN, **pythons: str) -> Fetch:
    named = {name.lstrip("p").replace("_", "."): text for name, text in pythons.items()}
    here = Here(named, "uv", dict(os.environ))
    return Fetch(target, Folder(path), Sources(), here)


def events(filling: Filling) -> list[Event]:
    async def all_of_them() -> list[Event]:
        return [event async for event in filling.events()]

    return asyncio.run(all_of_them())


def test_a_failed_step_names_all_that_is_missing_and_the_folder_is_not_done(tmp_path: Path) -> None:
    seen = events(Filling(fetch(tmp_path / "folder", p3_11="/nonexistent/python3.11")))
    failed = next(event for event in seen if isinstance(event, StepFailed))
    assert "/nonexistent/python3.11 could not be started" in failed.happened
    told = "Remaining steps: Choose the wheels of cpu; Download the wheels of cpu"
    assert told in failed.meaning
    ending = seen[-1]
    assert isinstance(ending, PlanFinished)
    assert not ending.ok
    assert not (tmp_path / "folder/SHA256SUMS").exists()


def test_a_folder_of_somebody_else_is_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    seen = events(Filling(fetch(tmp_path)))
    assert [type(event) for event in seen] == [StepFailed, PlanFinished]
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_folder_that_was_whole_is_not_called_so_while_it_is_filled_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.begin(PLAIN)
    (tmp_path / "wheels.lock").write_text("torch==1\n")
    folder.finish(lambda: False)
    (tmp_path / "wheels.lock").write_text("damaged")
    events(Filling(fetch(tmp_path, p3_11="/nonexistent/python3.11")))
    assert not (tmp_path / "SHA256SUMS").exists()


def test_two_at_once_do_not_fill_the_same_folder(tmp_path: Path) -> None:
    asked = fetch(tmp_path, p3_11="/nonexistent/python3.11")
    asked.folder.begin(PLAIN)
    with only_one(asked.folder.work):
        seen = events(Filling(asked))
    failed = seen[0]
    assert isinstance(failed, StepFailed)
    assert "Another rdna1-setup is" in failed.happened


def test_a_stop_while_a_whole_folder_is_looked_through_leaves_it_whole(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.begin(PLAIN)
    (tmp_path / "wheels.lock").write_text("torch==1\n")
    folder.finish(lambda: False)
    stopped = Filling(fetch(tmp_path))
    stopped.cancel()
    (ending,) = events(stopped)
    assert isinstance(ending, PlanFinished)
    assert (ending.cancelled, ending.changed) == (True, False)
    assert (tmp_path / "SHA256SUMS").exists()


def test_a_full_disk_is_called_so_with_the_file_system_and_the_folder(tmp_path: Path) -> None:
    seen = in_words(OSError(errno.ENOSPC, "No space left on device"), tmp_path)
    assert seen.happened == f"The file system {mount_point(tmp_path)} is full."
    assert str(tmp_path) in seen.meaning
    assert seen.next_step.endswith("Anything already downloaded is kept.")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_in_a_place_of_somebody_else_is_refused_before_anything_is_fetched(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(Trouble, match="no permission to write to") as refused:
        Folder(tmp_path / "deep/folder").require_for(PLAIN)
    assert f"{tmp_path}." in refused.value.happened
    assert "Nothing was downloaded" in refused.value.meaning


def test_a_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(Trouble, match="file is not a folder"):
        Folder(tmp_path / "file/folder").require_for(PLAIN)


def test_a_python_that_machines_lack_comes_with_the_folder(tmp_path: Path) -> None:
    first = stages(fetch(tmp_path, BARE, p3_10="/x"))[0]
    assert (first.text, first.reason) == (
        "Download Python 3.10 for uv",
        "The machines that this folder is for have no suitable Python.",
    )


def test_a_python_that_only_chooses_goes_with_the_work(tmp_path: Path) -> None:
    first = stages(fetch(tmp_path, PLAIN))[0]
    assert first.text == "Download Python 3.11 for uv"
    assert "this machine does not have" in first.reason
