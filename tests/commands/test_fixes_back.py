"""Plans that mend a finding, carried out here and taken back by `rollback`, also from half-way."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from screens.start import services_for
from tests.commands.running import wizard
from tests.handmade import clean_jammy
from tests.run.places import places_below, plan_of
from wizard.cli.options import parser
from wizard.core.events import Event, PlanFinished, StepFailed
from wizard.core.journal import Kind
from wizard.core.trouble import Trouble
from wizard.diagnose.finding import Finding
from wizard.diagnose.fix import make_fix
from wizard.diagnose.machine import diagnose
from wizard.host.live import LiveHost
from wizard.machine.facts import Machine, Setting
from wizard.operations.resolve import Resolve
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.operations.uv_project import Manifest
from wizard.plan.impossible import PlanImpossible
from wizard.plan.steps import Plan
from wizard.run.executor import Live
from wizard.run.journal import Journal
from wizard.run.obstacles import run_to_resume
from wizard.run.resume import stopped_plan
from wizard.run.runs import read_records
from wizard.system.backup import (
    Backup,
    folder_rows,
    move_aside,
    move_back,
    seen_row,
    write_manifest,
)

LINE = "export HIP_FORCE_COARSE_GRAIN=1"
TEXT = f"alias l=ls\n{LINE}\n# \u00e4, and no end"


def state(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file, but for what the wizard keeps for itself."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".local" not in path.parts)
    return {
        str(path): (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
        for path in files
    }


def content(folder: Path) -> dict[str, bytes]:
    return {name: seen[0] for name, seen in state(folder).items()}


def idle(home: Path, *names: str) -> Machine:
    """A machine whose shell files set a variable that somebody invented."""
    settings = []
    for name in names:
        (home / name).write_text(TEXT)
        told = "invented: nothing reads it"
        settings.append(Setting("HIP_FORCE_COARSE_GRAIN", "1", str(home / name), 2, told))
    machine = clean_jammy()
    access = replace(machine.access, home=str(home))
    return replace(machine, settings=tuple(settings), access=access)


def finding(machine: Machine, cause: str) -> Finding:
    return next(one for one in diagnose(machine).findings if one.cause == cause and one.counts)


def planned(machine: Machine, cause: str) -> Plan:
    return make_fix(LiveHost(), machine, finding(machine, cause))


async def carried_out(home: Path, plan: Plan) -> list[Event]:
    return [event async for event in Live(places_below(home), os.environ).carry_out(plan)]


def ok(events: list[Event]) -> bool:
    assert isinstance(events[-1], PlanFinished)
    return events[-1].ok


async def test_lines_go_and_come_back_to_the_byte(tmp_path: Path) -> None:
    machine = idle(tmp_path, ".bashrc", ".profile")
    before = content(tmp_path)
    assert ok(await carried_out(tmp_path, planned(machine, "noop-setting")))
    assert (tmp_path / ".bashrc").read_text() == TEXT.replace(f"{LINE}\n", "")
    done = wizard(tmp_path, "rollback", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert content(tmp_path) == before


async def test_a_part_of_a_line_goes_and_comes_back_to_the_byte(tmp_path: Path) -> None:
    machine = idle(tmp_path, ".bashrc")
    shared = f"{LINE} HSA_ENABLE_SDMA=0"
    (tmp_path / ".bashrc").write_text(TEXT.replace(LINE, shared))
    before = content(tmp_path)
    assert ok(await carried_out(tmp_path, planned(machine, "noop-setting")))
    rest = TEXT.replace(LINE, "export HSA_ENABLE_SDMA=0")
    assert (tmp_path / ".bashrc").read_text() == rest
    done = wizard(tmp_path, "rollback", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert content(tmp_path) == before


async def test_a_plan_that_stopped_half_way_goes_on_or_comes_back(tmp_path: Path) -> None:
    machine = idle(tmp_path, ".bashrc", ".profile")
    before, plan = content(tmp_path), planned(machine, "noop-setting")
    (tmp_path / ".profile").write_text("changed since\n")
    events = await carried_out(tmp_path, plan)
    failed = next(event for event in events if isinstance(event, StepFailed))
    assert "has changed" in failed.happened
    assert (tmp_path / ".profile").read_text() == "changed since\n"
    assert stopped_plan(Kind.FIX, places_below(tmp_path), cause="noop-setting") == plan
    assert stopped_plan(Kind.FIX, places_below(tmp_path), cause="stale-override") is None
    (tmp_path / ".profile").write_text(TEXT)
    assert ok(await carried_out(tmp_path, plan))
    assert stopped_plan(Kind.FIX, places_below(tmp_path), cause="noop-setting") is None
    assert len(read_records(Path(places_below(tmp_path).runs))) == 1
    assert wizard(tmp_path, "rollback", "--yes").returncode == 0
    assert content(tmp_path) == before


@pytest.mark.parametrize(("kind", "cause"), [(Kind.FIX, "noop-setting"), (Kind.CLEAN_UP, "")])
def test_a_waiting_plan_that_cannot_be_read_is_told_with_its_run(
    tmp_path: Path, kind: Kind, cause: str
) -> None:
    plan = replace(planned(idle(tmp_path, ".bashrc"), "noop-setting"), kind=kind, cause=cause)
    runs = Path(places_below(tmp_path).runs)
    runs.mkdir(parents=True)
    Journal(runs / "one").begin(plan, "2026-01-01T00:00:00+00:00")
    journal = runs / "one" / "journal.jsonl"
    journal.write_text(journal.read_text().replace("TakeLinesOut", "TakeLinesOff"))
    with pytest.raises(PlanImpossible, match="rollback one"):
        stopped_plan(kind, places_below(tmp_path), cause=cause)


INDEX = "https://me:secret@wheels.example/simple"


def waiting_fix(home: Path) -> Path:
    """A fix that stopped before its first step; its uv only notes the password that it gets."""
    told, uv = home / "told", home / "uv"
    uv.write_text(f'#!/bin/sh\nprintf %s "$UV_INDEX_TORCH_PASSWORD" >{told}\nexit 1\n')
    uv.chmod(0o755)
    manifest = Manifest(("torch",), INDEX)
    resolve = Resolve("Wheels.", str(uv), sys.executable, str(home / "work"), manifest)
    plan = replace(plan_of(home, resolve), kind=Kind.FIX, stack="", venv="", cause="numpy2-abi")
    run = Path(places_below(home).runs) / "20260101-000000-aaaaaa"
    run.parent.mkdir(parents=True)
    Journal(run).begin(plan, "2026-01-01T00:00:00+00:00")
    return told


def test_a_fix_goes_on_with_the_login_that_is_given_again_or_asks_for_it(tmp_path: Path) -> None:
    told = waiting_fix(tmp_path)
    words = ("diagnose", "--fix", "numpy2-abi", "--yes")
    refused = wizard(tmp_path, *words)
    assert refused.returncode == 2, refused.stdout
    assert "used https://***@wheels.example/simple with a login" in refused.stderr
    assert "Use --torch-index with that address and login again" in refused.stderr
    assert not told.exists()
    done = wizard(tmp_path, *words, "--torch-index", INDEX)
    assert told.read_text() == "secret", done.stdout + done.stderr
    assert "secret" not in done.stdout + done.stderr


def test_go_on_of_the_screens_takes_the_login_of_this_start_or_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting_fix(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    waits = services_for(parser().parse_args(["--torch-index", INDEX])).runs.unfinished()
    assert waits is not None
    assert waits.plan is not None
    (step,) = waits.plan().steps
    assert isinstance(step, Resolve)
    assert step.manifest.index == INDEX
    waits = services_for(parser().parse_args([])).runs.unfinished()
    assert waits is not None
    assert waits.plan is not None
    with pytest.raises(ValueError, match="Use --torch-index with that address and login"):
        waits.plan()


async def test_undone_from_half_way_all_is_as_it_was(tmp_path: Path) -> None:
    plan = planned(idle(tmp_path, ".bashrc", ".profile"), "noop-setting")
    (tmp_path / ".profile").write_text(f"alias more=less\n{TEXT}")
    before = content(tmp_path)
    assert not ok(await carried_out(tmp_path, plan))
    done = wizard(tmp_path, "rollback", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert content(tmp_path) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_in_a_read_only_folder_nothing_changes_and_it_is_said(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    plan, before = planned(idle(home, ".bashrc"), "noop-setting"), content(home)
    home.chmod(0o555)
    try:
        events = await carried_out(tmp_path, plan)
    finally:
        home.chmod(0o755)
    failed = next(event for event in events if isinstance(event, StepFailed))
    assert "Permission denied" in failed.happened
    assert content(home) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
async def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    plan = planned(idle(tmp_path, ".bashrc"), "noop-setting")
    os.chown(tmp_path / ".bashrc", 1, 1)
    events = await carried_out(tmp_path, plan)
    failed = next(event for event in events if isinstance(event, StepFailed))
    assert "belongs to another user" in failed.happened
    assert (tmp_path / ".bashrc").read_text() == TEXT


def test_packages_are_exchanged_also_where_a_run_of_ours_stands(tmp_path: Path) -> None:
    """The folder of a stack: a second stack is refused there, a fix is not."""
    venv = str(tmp_path / "venv")
    stack = Plan("a" * 12, Kind.INSTALL, "rocm52", "venv", venv, (), None, None, ())
    Journal(tmp_path / "runs/1").begin(stack, "2026-01-01T00:00:00")
    records = read_records(tmp_path / "runs")
    aside = SetAsidePackages("", venv, "", (), (), "", f"{venv}/.rdna1-setup-fix")
    another = replace(stack, id="b" * 12, stack="rocm57", steps=(aside,))
    with pytest.raises(Trouble, match="already contains"):
        run_to_resume(another, records)
    fix = replace(another, kind=Kind.FIX, stack="", cause="numpy2-abi")
    assert run_to_resume(fix, records) is None


async def test_a_later_run_in_the_folder_goes_first(tmp_path: Path) -> None:
    (tmp_path / "venv/bin").mkdir(parents=True)
    machine = idle(tmp_path, "venv/bin/activate")
    assert ok(await carried_out(tmp_path, planned(machine, "noop-setting")))
    places = places_below(tmp_path)
    (fixed,) = read_records(Path(places.runs))
    venv = str(tmp_path / "venv")
    later = Plan("c" * 12, Kind.INSTALL, "rocm57", "venv", venv, (), None, None, ())
    Journal(Path(places.runs) / "9-later").begin(later, "2036-01-01T00:00:00")
    done = wizard(tmp_path, "rollback", "--yes", fixed.id)
    assert done.returncode == 2
    assert "Undo the newer one first: rdna1-setup rollback 9-later" in done.stderr


def test_a_backup_that_comes_back_leaves_another_run_s_notes_alone(tmp_path: Path) -> None:
    (tmp_path / ".rdna1-setup").mkdir()
    notes = tmp_path / ".rdna1-setup/before.json"
    notes.write_text("{}")
    (tmp_path / "numpy.py").write_text("x = 1\n")
    aside = Backup(tmp_path, tmp_path / ".rdna1-setup-fix")
    aside.folder.mkdir()
    row = seen_row(tmp_path, "numpy.py", lambda _: None)
    write_manifest(aside, (*folder_rows(tmp_path, ("numpy.py",)), row))
    assert move_aside(aside) == 1
    assert move_back(aside).left == ()
    assert notes.read_text() == "{}"
    assert not aside.folder.exists()
