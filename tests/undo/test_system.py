"""The way back of a run that changed the system: never half of it, and never lost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.machine.records import make
from tests.run.places import places_below, plan_of
from wizard.apt.packages import LocalDeb
from wizard.core.events import Output, StepFailed
from wizard.core.journal import Kind, Record
from wizard.core.trouble import Trouble
from wizard.host.host import Host
from wizard.machine.recorded import RecordedHost
from wizard.operations.edit_lines import PutLinesBack, TakeLinesOut
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import AptChange, RestoreSettings
from wizard.operations.system_files import WriteSystemFile
from wizard.plan.form import plan_of as read_plan
from wizard.plan.removal import system_plan
from wizard.plan.rollback import make_rollback
from wizard.plan.steps import Plan, Step
from wizard.run.journal import Journal
from wizard.run.obstacles import run_to_resume
from wizard.run.rehearsal import Rehearsal
from wizard.run.rollback import Rollback, Undo, find_forgettable, find_undo
from wizard.run.rollback_folder import find_folder_rollback
from wizard.run.rollback_system import (
    SystemRollback,
    find_system_rollback,
    kept_debs,
    touched_system,
)
from wizard.run.runs import can_undo, read_record

HOST = RecordedHost(Path(__file__).parents[1] / "machines/rx5700xt-jammy-clean")
STEP = AddToGroups("x", "owner", ("render",))


def run_of(tmp_path: Path, *, begun: bool, kind: Kind = Kind.INSTALL) -> Record:
    plan = replace(plan_of(tmp_path, STEP), kind=kind)
    folder = Path(places_below(tmp_path).runs) / "20260101-000000-aaaaaa"
    folder.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder)
    journal.begin(plan, "now")
    if begun:
        journal.intend(1, {})
    found = read_record(folder)
    assert found is not None
    return found


def test_a_run_that_began_a_step_of_root_s_touched_the_system(tmp_path: Path) -> None:
    assert not touched_system(run_of(tmp_path / "a", begun=False))
    assert touched_system(run_of(tmp_path / "b", begun=True))


@pytest.mark.parametrize("change", [{"kind": "JoinClub"}, {"groups": 7}])
def test_a_step_of_root_s_that_cannot_be_read_is_never_taken_for_nothing(
    tmp_path: Path, change: dict[str, object]
) -> None:
    record = run_of(tmp_path, begun=True)
    steps = [{**step, **change} for step in record.plan["steps"]]
    unreadable = replace(record, plan={**record.plan, "steps": steps})
    assert touched_system(unreadable)
    with pytest.raises(Trouble, match="cannot be read") as told:
        find_system_rollback(unreadable, HOST, places_below(tmp_path))
    assert "UNDO.sh" in told.value.next_step


def test_such_a_run_is_never_forgotten(tmp_path: Path) -> None:
    places, record = places_below(tmp_path), run_of(tmp_path, begun=True)
    with pytest.raises(Trouble, match="changed system packages, or files") as refused:
        find_forgettable(places, record.id)
    assert f"rollback {record.id}" in refused.value.next_step
    assert "UNDO.sh" in refused.value.next_step


def test_a_rollback_is_itself_no_run_to_undo(tmp_path: Path) -> None:
    run_of(tmp_path, begun=True, kind=Kind.ROLLBACK)
    assert not can_undo(places_below(tmp_path))
    with pytest.raises(Trouble, match="There is no run to undo"):
        find_undo(places_below(tmp_path), HOST)


def test_what_undo_sh_has_undone_needs_no_root_any_more(tmp_path: Path) -> None:
    record = run_of(tmp_path, begun=True)
    host, places = HOST, places_below(tmp_path)
    events = tmp_path / "runs" / record.id / "events.jsonl"
    events.parent.mkdir(parents=True)
    for last, undone in (
        ('{"event": "done", "step": 1, "outcome": "x"}\n', False),
        ('{"event": "undone", "failed": 2}\n', False),
        ('{"event": "undone", "failed": 0}\n', True),
        ('{"event": "ready"}\n', False),
    ):
        events.write_text(f"{events.read_text() if events.exists() else ''}{last}")
        assert (find_system_rollback(record, host, places, tmp_path).plan is None) == undone, last


@pytest.mark.parametrize(
    ("groups", "nothing"), [("render:x:9:", True), ("render:x:9:owner", False)]
)
def test_a_group_that_root_never_joined_needs_no_root_to_be_undone(
    tmp_path: Path, groups: str, nothing: bool
) -> None:
    """Where sudo gave no rights, the run must not be one that only root can undo."""
    host = make(tmp_path / "host", {"/etc/group": groups, "/var/lib/dpkg/status": STATUS})
    record, places = run_of(tmp_path, begun=True), places_below(tmp_path)
    assert (find_system_rollback(record, host, places, tmp_path).plan is None) == nothing


def test_package_files_in_the_backup_are_known_by_what_the_helper_told(tmp_path: Path) -> None:
    kept = {"name": "rocm-core", "version": "5.7.1", "path": "/var/x.deb", "sha256": "ab"}
    events = ({"event": "done", "step": 1, "outcome": "kept", "kept": [kept]}, {"event": "ready"})
    text = "".join(f"{json.dumps(event)}\n" for event in events)
    (tmp_path / "events.jsonl").write_text(f"{text}rubbish\n")
    assert kept_debs(tmp_path) == (LocalDeb("/var/x.deb", "ab", "rocm-core", "5.7.1"),)
    assert kept_debs(tmp_path / "absent") == ()


def removal_of(*for_good: tuple[str, str]) -> AptChange:
    names = ("comgr", "rocm-core")
    return AptChange("", remove=names, expect_remove=names, for_good=for_good)


async def test_what_was_removed_for_good_is_named_before_and_after(tmp_path: Path) -> None:
    step = removal_of(("comgr", "1.0"), ("rocm-core", "2.0"))
    run_without_folder(tmp_path, step)
    places = places_below(tmp_path)
    shown = find_undo(places, HOST)
    assert shown.system.lost == step.for_good
    for package in ("comgr 1.0", "rocm-core 2.0"):
        assert f"not restored: {package} was removed permanently" in str(shown)
    left = replace(shown, system=SystemRollback(lost=shown.system.lost))
    taking = Rollback(left, Rehearsal(), places)
    events = [event async for event in taking.events()]
    (said,) = (event.lines for event in events if isinstance(event, Output))
    assert [line.split(" was ")[0] for line in said] == ["comgr 1.0", "rocm-core 2.0"]
    (failed,) = (event for event in events if isinstance(event, StepFailed))
    assert failed.happened.startswith(
        "The run was undone, except for 2 things: comgr 1.0 was removed"
    )
    assert "The run is now listed as undone." in failed.meaning
    assert not can_undo(places)


STATUS = """\
Package: comgr
Status: install ok installed
Version: 1.0

Package: raytracer
Status: install ok installed
Version: 1
Depends: comgr (>= 1)

Package: editor
Status: install ok installed
Version: 1
"""


def test_what_others_need_is_not_taken_away_and_nothing_is_begun(tmp_path: Path) -> None:
    step = AptChange("", install=(("comgr", "1.0"),), expect_install=(("comgr", "1.0"),))
    record = run_without_folder(tmp_path, step)
    host = make(
        tmp_path / "x", {"/var/lib/dpkg/status": STATUS}, answers={"DPKG_PACKAGES": [COMGR]}
    )
    with pytest.raises(Trouble, match="installed: raytracer") as refused:
        find_undo(places_below(tmp_path), host)
    assert "run `sudo apt-get remove raytracer`, then" in refused.value.next_step
    alone = make(
        tmp_path / "y",
        {"/var/lib/dpkg/status": STATUS.replace("Depends", "Suggests")},
        answers={"DPKG_PACKAGES": [COMGR]},
    )
    way = find_system_rollback(record, alone, places_below(tmp_path)).plan
    assert way is not None
    assert way.steps[0].expect_remove == ("comgr",)  # type: ignore[union-attr]


def test_what_was_not_removed_after_all_is_not_lost(tmp_path: Path) -> None:
    record = run_without_folder(tmp_path, removal_of(("comgr", "1.0")))
    host = make(tmp_path / "x", {"/etc/hostname": ""}, answers={"DPKG_PACKAGES": [COMGR]})
    assert find_system_rollback(record, host, places_below(tmp_path), tmp_path).lost == ()


async def test_what_somebody_else_has_changed_since_stays_and_is_named(tmp_path: Path) -> None:
    path = "/etc/profile.d/rdna1-setup-rocm.sh"
    steps = (
        WriteSystemFile("", path, "ours\n"),
        AptChange("", install=(("comgr", "0.9"),), expect_install=(("comgr", "0.9"),)),
    )
    record, places = run_without_folder(tmp_path, *steps), places_below(tmp_path)
    events = tmp_path / "runs" / record.id / "events.jsonl"

    def changed(host: Host) -> tuple[str, ...]:
        return find_system_rollback(record, host, places, tmp_path).changed

    bare = {"DPKG_PACKAGES": ["editor\t1\tii \tx"]}
    ours = make(tmp_path / "x", {path: "ours\n"}, answers=bare)
    theirs = make(tmp_path / "y", {path: "mine\n"}, answers={"DPKG_PACKAGES": [COMGR]})
    assert changed(theirs) == ()  # root never began: nothing of it is the run's
    events.parent.mkdir(parents=True)
    events.write_text('{"event": "ready"}\n')
    assert changed(ours) == ()
    assert changed(theirs) == (
        "comgr 1.0 was installed since the run",
        f"{path} was changed after the run wrote it",
    )
    way = find_system_rollback(record, theirs, places, tmp_path).plan
    assert way is not None
    assert [type(step) for step in way.steps] == [RestoreSettings]
    left = SystemRollback(changed=changed(theirs))
    shown = replace(find_undo(places, theirs), system=left)
    assert all(f"leave unchanged: {each}" in str(shown) for each in left.changed)
    happened = [event async for event in Rollback(shown, Rehearsal(), places).events()]
    (said,) = (event.lines for event in happened if isinstance(event, Output))
    assert said == left.changed


COMGR = "comgr\t1.0\tii \tROCm <x@amd.com>"
OUT = TakeLinesOut("x", "/home/sam/.bashrc", ((1, "export A=1"),), "a", "b")


def noted_plan(record: Record) -> Plan:
    return read_plan(record.plan)


def run_without_folder(
    tmp_path: Path, *steps: Step, name: str = "20260101-000000-aaaaaa"
) -> Record:
    """A run about the system alone, whose steps have begun."""
    folder = Path(places_below(tmp_path).runs) / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder)
    journal.begin(system_plan(Kind.CLEAN_UP, steps, ()), "now")
    for number in range(1, len(steps) + 1):
        journal.intend(number, {})
    found = read_record(folder)
    assert found is not None
    return found


def test_a_run_that_only_edited_files_of_the_user_has_a_rollback(tmp_path: Path) -> None:
    record = run_without_folder(tmp_path, OUT)
    assert touched_system(record)
    assert make_rollback(noted_plan(record), (1,), (), {}, run=record.id).steps == (
        PutLinesBack(
            "This restores the state from before the run.",
            OUT.path,
            OUT.lines,
            "b",
            "a",
        ),
    )


async def test_undoing_a_run_without_a_folder_touches_nothing_where_it_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places, record = places_below(tmp_path), run_without_folder(tmp_path, OUT)
    here = tmp_path / "project"
    for name in ("bin", "lib", "include"):  # as in a venv: empty ones of those are removed
        (here / name).mkdir(parents=True)
    (here / "bin" / "mine").write_text("mine")
    monkeypatch.chdir(here)
    shown = Undo(record, find_folder_rollback(record))
    assert "remove" not in str(shown)
    assert [event async for event in Rollback(shown, Rehearsal(), places).events()]
    assert sorted(path.name for path in here.rglob("*")) == ["bin", "include", "lib", "mine"]
    assert read_record(Path(record.folder)) is not None
    assert not can_undo(places)


def test_of_two_runs_about_the_system_the_newer_goes_first(tmp_path: Path) -> None:
    older = run_without_folder(tmp_path, OUT)
    run_without_folder(tmp_path, STEP, name="20260102-000000-bbbbbb")
    with pytest.raises(Trouble, match="Run 20260102-000000-bbbbbb is newer"):
        find_undo(places_below(tmp_path), HOST, older.id)


def test_a_run_without_a_folder_takes_no_folder_that_one_was_started_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = run_without_folder(tmp_path, OUT)
    (tmp_path / "venv").mkdir()
    monkeypatch.chdir(tmp_path / "venv")
    assert run_to_resume(plan_of(tmp_path, STEP), (record,)) is None
