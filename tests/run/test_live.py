"""A real run: journal first, outcomes verified, resumed after a kill, undone without loss."""

import os
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.run.places import RunProgram, fake_uv, places_below, plan_of, tree
from tests.run.wheels import make_wheel
from wizard.core.events import Event, Output, PlanFinished, StepFailed, StepFinished
from wizard.host.distributions import missing_files
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.groups import AddToGroups
from wizard.operations.install_python import InstallPython
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.write_file import WriteFile
from wizard.plan.steps import Plan
from wizard.run.executor import Live, now
from wizard.run.rehearsal import Rehearsal
from wizard.run.rollback import roll_back_folder
from wizard.run.rollback_folder import find_folder_rollback
from wizard.run.runs import read_records


async def events_of(executor: Live | Rehearsal, plan: Plan) -> list[Event]:
    async with aclosing(executor.carry_out(plan)) as events:
        return [event async for event in events]


def live(home: Path) -> Live:
    return Live(places_below(home), os.environ)


def undo(home: Path) -> None:
    record = read_records(Path(places_below(home).runs))[0]
    assert roll_back_folder(find_folder_rollback(record), record, now()) == ()


def creates(folder: Path, venv: str) -> CreateEnvironment:
    uv = str(fake_uv(folder))
    return CreateEnvironment("a folder of its own", uv, "/usr/bin/python3", venv, f"{venv}-work")


def two_steps(folder: Path) -> Plan:
    venv = str(folder / "venv")
    return plan_of(
        folder,
        CreateEnvironment(
            "a folder of its own", str(fake_uv(folder)), "/usr/bin/python3", venv, f"{venv}-work"
        ),
        WriteFile("settings", venv, f"{venv}/bin/rdna1-python", "#!/bin/sh\n", 0o755),
    )


def ending(events: list[Event]) -> PlanFinished:
    assert isinstance(events[-1], PlanFinished)
    return events[-1]


async def test_a_plan_is_carried_out_step_by_step_and_verified(tmp_path: Path) -> None:
    events = await events_of(live(tmp_path), two_steps(tmp_path))
    assert ending(events).ok
    assert [e.outcome for e in events if isinstance(e, StepFinished)][1] == "10 bytes written"
    assert (tmp_path / "venv/bin/rdna1-python").stat().st_mode & 0o777 == 0o755
    assert Output(("made",)) in events
    assert "made" in Path(ending(events).log).read_text()


async def test_the_same_plan_again_changes_nothing(tmp_path: Path) -> None:
    await events_of(live(tmp_path), two_steps(tmp_path))
    before = tree(tmp_path / "venv")
    events = await events_of(live(tmp_path), two_steps(tmp_path))
    assert ending(events).ok
    assert not ending(events).changed
    assert tree(tmp_path / "venv") == before
    assert len(read_records(Path(places_below(tmp_path).runs))) == 1


async def test_a_program_whose_outcome_is_missing_fails_although_it_exits_with_0(
    tmp_path: Path,
) -> None:
    step = InstallPython("liar", "/bin/true", "3.10", str(tmp_path))
    events = await events_of(live(tmp_path), plan_of(tmp_path, step))
    assert not ending(events).ok
    failed = next(event for event in events if isinstance(event, StepFailed))
    assert "did not create" in failed.happened


async def test_the_first_failure_ends_the_plan_and_a_rerun_goes_on_behind_the_done_steps(
    tmp_path: Path,
) -> None:
    first, last = two_steps(tmp_path).steps
    door = tmp_path / "door"
    waits = RunProgram("the door", ("test", "-e", str(door)))
    plan = plan_of(tmp_path, first, waits, last)
    assert not ending(await events_of(live(tmp_path), plan)).ok
    assert not (tmp_path / "venv/bin/rdna1-python").exists()
    door.touch()
    events = await events_of(live(tmp_path), plan)
    assert ending(events).ok
    assert [e.already_done for e in events if isinstance(e, StepFinished)] == [True, False, False]


async def test_undo_leaves_the_folder_as_it_was_and_keeps_what_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv/before.txt").write_text("mine")
    await events_of(live(tmp_path), two_steps(tmp_path))
    (tmp_path / "venv/lib/python3.10/site-packages/later.py").write_text("mine too")
    undo(tmp_path)
    assert tree(tmp_path / "venv") == {
        "before.txt": "mine",
        "lib": "folder",
        "lib/python3.10": "folder",
        "lib/python3.10/site-packages": "folder",
        "lib/python3.10/site-packages/later.py": "mine too",
    }


async def test_two_runs_that_begin_within_one_second_have_two_journals(tmp_path: Path) -> None:
    moment = now()
    for _ in range(2):
        executor = Live(places_below(tmp_path), os.environ, clock=lambda: moment)
        assert ending(await events_of(executor, two_steps(tmp_path))).ok
        undo(tmp_path)
    assert len(read_records(Path(places_below(tmp_path).runs))) == 2


async def test_undo_keeps_a_file_of_ours_that_the_user_changed(tmp_path: Path) -> None:
    await events_of(live(tmp_path), two_steps(tmp_path))
    launcher = tmp_path / "venv/bin/rdna1-python"
    launcher.write_text("#!/bin/sh\n# my own line\n")
    way = find_folder_rollback(read_records(Path(places_below(tmp_path).runs))[0])
    assert way.changed == ("bin/rdna1-python",)
    undo(tmp_path)
    assert tree(tmp_path / "venv") == {
        "bin": "folder",
        "bin/rdna1-python": "#!/bin/sh\n# my own line\n",
    }


async def test_undo_removes_the_parents_that_were_made_for_the_venv(tmp_path: Path) -> None:
    venv = str(tmp_path / "new" / "deep" / "venv")
    made = CreateEnvironment(
        "a folder", str(fake_uv(tmp_path)), "/usr/bin/python3", venv, f"{venv}-work"
    )
    await events_of(live(tmp_path), plan_of(tmp_path / "new" / "deep", made))
    assert Path(venv).is_dir()
    undo(tmp_path)
    assert not (tmp_path / "new").exists()


async def test_a_venv_of_somebody_else_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv/pyvenv.cfg").write_text("home = /usr/bin\n")
    events = await events_of(live(tmp_path), two_steps(tmp_path))
    failed = next(event for event in events if isinstance(event, StepFailed))
    assert "did not create" in failed.happened
    assert tree(tmp_path / "venv") == {"pyvenv.cfg": "home = /usr/bin\n"}


async def test_where_nobody_grants_root_its_step_fails_with_words_and_nothing_later_is_done(
    tmp_path: Path,
) -> None:
    asked: list[tuple[str, ...]] = []

    async def refuse(argv: tuple[str, ...], stdin: int, stdout: int) -> int:
        asked.append(argv)
        return 1

    plan = plan_of(tmp_path, AddToGroups("x", "me", ("render",)), *two_steps(tmp_path).steps)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/sudo").touch(0o755)  # only looked for: who is asked is given
    environ = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    executor = Live(places_below(tmp_path), environ, ask_for_rights=refuse)
    events = await events_of(executor, plan)
    failed = next(event for event in events if isinstance(event, StepFailed))
    assert failed.number == 1
    assert "root" in failed.happened
    assert len(asked) == 1
    assert asked[0][-1].endswith("assets/root")
    assert not ending(events).ok
    assert not (tmp_path / "venv").exists()


async def test_a_second_run_at_the_same_time_is_refused(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    waits = RunProgram("waits", ("cat", str(fifo)))
    async with aclosing(live(tmp_path).carry_out(plan_of(tmp_path, waits))) as events:
        await anext(events)
        second = await events_of(live(tmp_path), two_steps(tmp_path))
    failed = next(event for event in second if isinstance(event, StepFailed))
    assert f"process {os.getpid()}" in failed.happened


async def test_cancelling_stops_between_two_steps_and_a_rerun_goes_on(tmp_path: Path) -> None:
    executor = live(tmp_path)
    seen: list[Event] = []
    async with aclosing(executor.carry_out(two_steps(tmp_path))) as events:
        async for event in events:
            seen.append(event)
            if isinstance(event, StepFinished):
                executor.cancel()
    assert ending(seen).cancelled
    assert not (tmp_path / "venv/bin/rdna1-python").exists()
    assert ending(await events_of(live(tmp_path), two_steps(tmp_path))).ok


async def test_a_run_cut_off_inside_making_the_venv_starts_that_step_anew(tmp_path: Path) -> None:
    plan = two_steps(tmp_path)
    async with aclosing(live(tmp_path).carry_out(plan)) as events:
        async for event in events:
            if isinstance(event, Output):
                break  # as if killed: the step has an intent and no outcome
    record = read_records(Path(places_below(tmp_path).runs))[0]
    assert record.interrupted == (1,)
    events_again = await events_of(live(tmp_path), plan)
    assert ending(events_again).ok
    undo(tmp_path)
    assert not (tmp_path / "venv").exists()


async def test_undo_of_a_cut_off_run_removes_the_half_made_venv_only(tmp_path: Path) -> None:
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv/notes.txt").write_text("mine")
    async with aclosing(live(tmp_path).carry_out(two_steps(tmp_path))) as events:
        async for event in events:
            if isinstance(event, Output):
                break
    undo(tmp_path)
    assert tree(tmp_path / "venv") == {"notes.txt": "mine"}


async def test_a_full_disk_is_trouble_with_words(tmp_path: Path) -> None:
    step = WriteFile("x", "/dev", "/dev/full/settings", "text", 0o644)
    events = await events_of(live(tmp_path), plan_of(tmp_path, step))
    failed = next(event for event in events if isinstance(event, StepFailed))
    assert "could not be changed" in failed.happened


async def test_a_rehearsal_tells_every_step_and_changes_nothing(tmp_path: Path) -> None:
    plan = two_steps(tmp_path)
    before = tree(tmp_path)
    events = await events_of(Rehearsal(), plan)
    assert tree(tmp_path) == before
    assert Output(("| #!/bin/sh",)) in events
    assert ending(events).ok
    assert not ending(events).changed


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere: run as a user")
async def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    step = WriteFile("x", str(tmp_path), str(tmp_path / "closed" / "file"), "text", 0o644)
    events = await events_of(live(tmp_path), plan_of(tmp_path, step))
    failed = next(event for event in events if isinstance(event, StepFailed))
    assert "Permission denied" in failed.happened


async def test_a_cut_off_installation_leaves_no_folder_that_uv_takes_for_a_package(
    tmp_path: Path,
) -> None:
    """uv calls a package installed when its dist-info folder is there, even an empty one."""
    packages = tmp_path / "venv/lib/python3.10/site-packages"
    wheels = make_wheel(tmp_path / "wheels", "thing", "1.0", {"thing/__init__.py": "x = 1\n"})
    (packages / "thing").mkdir(parents=True)
    (packages / "thing/__init__.py").write_text("x = 1\n")
    (packages / "thing-1.0.dist-info").mkdir()
    (packages / "thing-1.0.dist-info/METADATA").write_text("Name: thing\n")
    (packages / "mine.py").write_text("mine")
    step = InstallWheels("x", "uv", str(tmp_path / "venv"), str(wheels.parent), "lock")
    assert {Path(path).parent.name for path in step.remains({"there": []})} == {
        "thing",
        "thing-1.0.dist-info",
    }
    assert {Path(path).name for path in step.emptied} >= {"thing", "thing-1.0.dist-info"}


def test_a_file_that_an_installed_package_lacks_is_missed(tmp_path: Path) -> None:
    info = tmp_path / "venv/lib/python3.10/site-packages/thing-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "RECORD").write_text("thing.py,,\nthing-1.0.dist-info/RECORD,,\n")
    lock = tmp_path / "lock.txt"
    lock.write_text("thing==1.0 --hash=sha256:0\nother==2 --hash=sha256:0\n")
    missing = missing_files(tmp_path / "venv", lock)
    assert missing == (str(info.parent / "thing.py"), "other")
