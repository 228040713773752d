"""What goes wrong around a run is said in words; what is not ours outlives every undo."""

import os
import shutil
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.run.places import RunProgram, fake_uv, places_below, plan_of, tree
from tests.run.test_live import ending, events_of, live, two_steps, undo
from tests.run.wheels import make_wheel
from wizard.core.events import Event, Output, StepFailed, StepStarted
from wizard.core.journal import Kind, Record
from wizard.core.trouble import Trouble
from wizard.operations.check_torch import CheckTorch
from wizard.operations.clear_executable_stack import ClearExecutableStack
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.edit_lines import PutLinesBack, sha256, with_lines
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.write_file import WriteFile
from wizard.plan.removal import system_plan
from wizard.plan.steps import Plan
from wizard.run.executor import now
from wizard.run.journal import Journal
from wizard.run.obstacles import require_place
from wizard.run.rollback import newer_run, roll_back_folder
from wizard.run.rollback_folder import find_folder_rollback
from wizard.run.runs import read_records

PACKAGES = "lib/python3.10/site-packages"


def failure(events: list[Event]) -> str:
    failed = next(event for event in events if isinstance(event, StepFailed))
    assert not ending(events).ok
    return failed.happened


def records(home: Path) -> tuple[Record, ...]:
    return read_records(Path(places_below(home).runs))


async def test_a_state_folder_that_cannot_be_made_is_trouble(tmp_path: Path) -> None:
    (tmp_path / ".local").write_text("a file")
    assert "could not be changed" in failure(await events_of(live(tmp_path), two_steps(tmp_path)))


@pytest.mark.parametrize(
    ("file", "target", "words"),
    [
        ("journal.jsonl", "/nowhere/journal", "No such file or directory"),
        ("log.txt", "/dev/full", "No space left on device"),
        ("owned.jsonl", "/dev/full", "No space left on device"),
    ],
)
async def test_notes_of_ours_that_cannot_be_written_are_trouble_that_names_the_run(
    tmp_path: Path, file: str, target: str, words: str
) -> None:
    seen: list[Event] = []
    async with aclosing(live(tmp_path).carry_out(two_steps(tmp_path))) as events:
        async for event in events:
            seen.append(event)
            if isinstance(event, StepStarted) and event.number == 1:
                notes = Path(records(tmp_path)[0].folder, file)
                notes.unlink(missing_ok=True)
                notes.symlink_to(target)
    assert words in failure(seen)
    assert ending(seen).run


async def test_a_parent_that_is_a_file_is_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    venv = str(tmp_path / "file/venv")
    step = CreateEnvironment("x", str(fake_uv(tmp_path)), "/usr/bin/python3", venv, f"{venv}-work")
    events = await events_of(live(tmp_path), replace(plan_of(tmp_path, step), venv=venv))
    assert failure(events) == f"The folder {venv} cannot be created: Not a directory."
    assert records(tmp_path) == ()


@pytest.mark.parametrize("place", ["/proc/x", "/proc/deep/x", "/sys/x", "closed/deep/x"])
async def test_a_place_where_no_folder_can_be_made_is_refused_before_any_step(
    tmp_path: Path, place: str
) -> None:
    if place.startswith("closed") and os.geteuid() == 0:
        pytest.skip("root may write everywhere: run as a user")
    (tmp_path / "closed").mkdir(mode=0o500)
    venv = str(tmp_path / place)
    made = CreateEnvironment("x", str(fake_uv(tmp_path)), "/usr/bin/python3", venv, f"{venv}-work")
    events = await events_of(live(tmp_path), replace(plan_of(tmp_path, made), venv=venv))
    assert failure(events).startswith(f"The folder {venv} cannot be created: ")
    assert not any(isinstance(event, StepStarted) for event in events)
    assert "--venv" in next(e.next_step for e in events if isinstance(e, StepFailed))
    assert records(tmp_path) == ()
    assert not (tmp_path / "closed/deep").exists()


async def test_looking_whether_a_folder_can_be_made_leaves_nothing(tmp_path: Path) -> None:
    for venv in (tmp_path / "new/deep/venv", tmp_path):
        require_place(venv)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("taken", ["pip.conf", "bin/activate", "bin", "lib64", "."])
async def test_what_lies_in_the_way_is_named_and_not_written_over(
    tmp_path: Path, taken: str
) -> None:
    mine = tmp_path / "venv" / taken
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine")
    first, _ = two_steps(tmp_path).steps
    settings = WriteFile(
        "x", str(tmp_path / "venv"), str(tmp_path / "venv/pip.conf"), "ours", 0o644
    )
    events = await events_of(live(tmp_path), plan_of(tmp_path, first, settings))
    assert f"{mine} already exists" in failure(events)
    assert mine.read_text() == "mine"
    assert records(tmp_path) == ()


async def test_a_wheel_that_would_write_over_a_file_of_the_user_is_not_installed(
    tmp_path: Path,
) -> None:
    mine = tmp_path / "venv" / PACKAGES / "thing.py"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    wheels = make_wheel(tmp_path / "wheels", "thing", "1.0", {"thing.py": "theirs"}).parent
    lock = str(tmp_path / "lock")
    step = InstallWheels("x", "true", str(tmp_path / "venv"), str(wheels), lock)
    plan = plan_of(tmp_path, two_steps(tmp_path).steps[0], step)
    assert f"{mine} already exists" in failure(await events_of(live(tmp_path), plan))
    undo(tmp_path)
    assert mine.read_text() == "mine"


async def test_a_record_that_names_a_file_of_the_user_does_not_make_it_ours(
    tmp_path: Path,
) -> None:
    """pip carries rows of a wheel's RECORD over, also those of files that the wheel lacks."""
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv/mine.txt").write_text("mine")
    info = tmp_path / "venv" / PACKAGES / "thing-1.0.dist-info"
    install = f"mkdir -p {info} && echo ../../../mine.txt,, > {info}/RECORD"
    pip = tmp_path / "pip"
    pip.write_text(f'#!/bin/sh\ncase "$2" in install) {install};; esac\n')
    pip.chmod(0o755)
    (tmp_path / "lock").write_text("thing==1.0\n")
    step = InstallWheels("x", str(pip), str(tmp_path / "venv"), "no wheels", str(tmp_path / "lock"))
    plan = plan_of(tmp_path, two_steps(tmp_path).steps[0], step)
    await events_of(live(tmp_path), plan)
    undo(tmp_path)
    assert tree(tmp_path / "venv") == {"mine.txt": "mine"}


async def test_a_program_that_fails_before_the_venv_is_made_makes_nothing_there_ours(
    tmp_path: Path,
) -> None:
    bring = RunProgram("bring a Python", ("false",))
    await events_of(live(tmp_path), plan_of(tmp_path, bring, *two_steps(tmp_path).steps))
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/bin/pip").write_text("mine")
    undo(tmp_path)
    assert (tmp_path / "venv/bin/pip").read_text() == "mine"


async def test_a_venv_made_by_hand_long_after_a_cut_off_run_is_not_ours(tmp_path: Path) -> None:
    async with aclosing(live(tmp_path).carry_out(two_steps(tmp_path))) as events:
        async for event in events:
            if isinstance(event, Output):
                break
    shutil.rmtree(tmp_path / "venv")
    journal = Path(records(tmp_path)[0].folder, "journal.jsonl")
    os.utime(journal, (1_700_000_000, 1_700_000_000))
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/pyvenv.cfg").write_text("mine")
    undo(tmp_path)
    assert (tmp_path / "venv/pyvenv.cfg").read_text() == "mine"


@pytest.mark.parametrize("left", ["pip.conf", ".pip.conf.rdna1-setup"])
async def test_undo_removes_a_file_whose_writing_was_cut_off(tmp_path: Path, left: str) -> None:
    made, _ = two_steps(tmp_path).steps
    settings = WriteFile(
        "x", str(tmp_path / "venv"), str(tmp_path / "venv/pip.conf"), "ours", 0o644
    )
    wall = RunProgram("stops here", ("false",))
    plan = plan_of(tmp_path, made, wall, settings)
    await events_of(live(tmp_path), plan)
    Journal(Path(records(tmp_path)[0].folder)).intend(3, {"kind": "WriteFile"})
    (tmp_path / "venv" / left).write_text("ours")
    undo(tmp_path)
    assert not (tmp_path / "venv").exists()


async def test_a_file_that_the_user_changed_is_kept_beside_the_one_that_is_written_again(
    tmp_path: Path,
) -> None:
    await events_of(live(tmp_path), two_steps(tmp_path))
    launcher = tmp_path / "venv/bin/rdna1-python"
    launcher.write_text("my own line\n")
    assert ending(await events_of(live(tmp_path), two_steps(tmp_path))).ok
    assert launcher.read_text() == "#!/bin/sh\n"
    undo(tmp_path)
    kept = {"bin": "folder", "bin/rdna1-python.kept-1": "my own line\n"}
    assert tree(tmp_path / "venv") == kept


async def test_a_folder_swapped_for_a_link_does_not_lead_undo_astray(tmp_path: Path) -> None:
    await events_of(live(tmp_path), two_steps(tmp_path))
    shutil.move(tmp_path / "venv/lib", tmp_path / "precious")
    (tmp_path / "venv/lib").symlink_to(tmp_path / "precious")
    before = tree(tmp_path / "precious")
    undo(tmp_path)
    assert tree(tmp_path / "precious") == before


async def test_a_library_that_is_a_link_out_of_the_venv_is_left_alone(tmp_path: Path) -> None:
    await events_of(live(tmp_path), two_steps(tmp_path))
    (tmp_path / "system.so").write_text("not even a library")
    folder = tmp_path / "venv" / PACKAGES / "torch/lib"
    folder.mkdir(parents=True)
    (folder / "libx.so").symlink_to(tmp_path / "system.so")
    clear = ClearExecutableStack("x", str(tmp_path / "venv"), ("libx.so",))
    plan = plan_of(tmp_path, *two_steps(tmp_path).steps, clear)
    assert ending(await events_of(live(tmp_path), plan)).ok


async def test_undo_that_is_no_longer_what_was_shown_removes_nothing(tmp_path: Path) -> None:
    await events_of(live(tmp_path), two_steps(tmp_path))
    record = records(tmp_path)[0]
    way = find_folder_rollback(record)
    (tmp_path / "venv/bin/rdna1-python").write_text("my own line\n")
    before = tree(tmp_path / "venv")
    with pytest.raises(Trouble, match="changed"):
        roll_back_folder(way, record, now())
    assert tree(tmp_path / "venv") == before


async def test_a_cut_off_undo_must_be_finished_before_the_folder_is_used_again(
    tmp_path: Path,
) -> None:
    await events_of(live(tmp_path), two_steps(tmp_path))
    record = records(tmp_path)[0]
    Journal(Path(record.folder)).close("partly rolled back", "t")
    assert f"run {record.id}" in failure(await events_of(live(tmp_path), two_steps(tmp_path)))
    undo(tmp_path)
    assert ending(await events_of(live(tmp_path), two_steps(tmp_path))).ok


async def test_a_newer_run_in_the_same_folder_is_found(tmp_path: Path) -> None:
    for second in (1, 2):
        executor = live(tmp_path)
        await events_of(executor, two_steps(tmp_path))
        if second == 1:
            undo(tmp_path)
    newer, older = records(tmp_path)
    assert newer_run(older, (newer, older)) == newer
    assert newer_run(newer, (newer, older)) is None


async def test_lines_that_a_newer_run_put_into_the_folder_go_first(tmp_path: Path) -> None:
    await events_of(live(tmp_path), two_steps(tmp_path))
    launcher = tmp_path / "venv/bin/rdna1-python"
    text, lines = launcher.read_text(), ((1, "export A=1"),)
    after = sha256(with_lines(text, lines))
    step = PutLinesBack("x", str(launcher), lines, sha256(text), after)
    await events_of(live(tmp_path), system_plan(Kind.KEEP, (step,), ()))
    newer, older = records(tmp_path)
    assert newer_run(older, (newer, older)) == newer
    elsewhere = tmp_path / "bashrc"
    elsewhere.write_text(text)
    step = replace(step, path=str(elsewhere))
    await events_of(live(tmp_path), system_plan(Kind.KEEP, (step,), ()))
    newest, newer, older = records(tmp_path)
    assert newer_run(older, (newest, older)) is None


@pytest.mark.parametrize(
    ("line", "stays"), [("export A=1", True), ("rm -rf /", False)], ids=["a setting", "more"]
)
async def test_a_setting_that_was_kept_since_is_not_written_over(
    tmp_path: Path, line: str, stays: bool
) -> None:
    await events_of(live(tmp_path), two_steps(tmp_path))
    launcher = tmp_path / "venv/bin/rdna1-python"
    ours = launcher.read_text()
    launcher.write_text(f"{ours}{line}\n")
    assert ending(await events_of(live(tmp_path), two_steps(tmp_path))).ok
    assert launcher.read_text() == (f"{ours}{line}\n" if stays else ours)


async def test_temporary_files_of_a_killed_program_do_not_stay(tmp_path: Path) -> None:
    litter = RunProgram("x", ("sh", "-c", 'echo much > "$TMPDIR/much"; kill -9 $$'))
    events = await events_of(live(tmp_path), plan_of(tmp_path, litter))
    assert "signal 9" in failure(events)
    assert not list(Path(records(tmp_path)[0].folder).rglob("much"))


ANSWER = '{"torch": "1.13", "torch_folder": "/x", "device": "cpu", "matmul": "right"'


@pytest.mark.parametrize("answer", ["", ANSWER, "[]", "{}", '{"torch": "1.13"}', "\\377"])
async def test_a_torch_that_ends_without_a_whole_answer_is_trouble(
    tmp_path: Path, answer: str
) -> None:
    failed = failure(await events_of(live(tmp_path), check(tmp_path, answer)))
    assert "ended without a" in failed


async def test_what_torch_says_is_shown_without_control_characters(tmp_path: Path) -> None:
    answer = '{"error": "bad\\\\n\\\\u001b]0;title\\\\u0007 thing"}'
    events = await events_of(live(tmp_path), check(tmp_path, answer))
    told = [line for event in events if isinstance(event, Output) for line in event.lines]
    assert told == ["error: bad", " thing"]
    assert "\x1b" not in failure(events)


def check(folder: Path, answer: str) -> Plan:
    python = folder / "python"
    python.write_text(f"#!/bin/sh\nprintf '{answer}' > \"$5\"\n")
    python.chmod(0o755)
    return plan_of(folder, CheckTorch("see", str(python), "1.13", "cpu"))


async def test_a_venv_script_that_the_user_changed_survives_the_undo_of_a_failed_run(
    tmp_path: Path,
) -> None:
    made, _ = two_steps(tmp_path).steps
    await events_of(live(tmp_path), plan_of(tmp_path, made, RunProgram("x", ("false",))))
    (tmp_path / "venv/pyvenv.cfg").write_text("my own words")
    undo(tmp_path)
    assert tree(tmp_path / "venv") == {"pyvenv.cfg": "my own words"}
