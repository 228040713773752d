"""The way back of a run that changed the system: never half of it, and never lost."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from tests.run.places import places_below, plan_of
from wizard.machine.recorded import RecordedHost
from wizard.plan.root_steps import AddToGroups, LocalDeb
from wizard.plan.way_back import WAY_BACK
from wizard.run.journal import Journal, Record, read_record
from wizard.run.system_undo import kept_debs, system_way_back, touched_system
from wizard.run.trouble import Trouble
from wizard.run.undo import can_undo, find_forgettable, find_undo, undo

MACHINE = Path(__file__).parents[1] / "machines/rx5700xt-jammy-clean"
STEP = AddToGroups("x", "owner", ("render",), "taken out")


def run_of(tmp_path: Path, *, begun: bool, stack: str = "rocm52") -> Record:
    plan = replace(plan_of(tmp_path, STEP), stack=stack)
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


def test_the_folder_of_such_a_run_is_never_taken_back_or_forgotten_alone(tmp_path: Path) -> None:
    places, record = places_below(tmp_path), run_of(tmp_path, begun=True)
    shown, time = find_undo(places), datetime(2026, 1, 1, tzinfo=timezone.utc)
    with pytest.raises(Trouble, match="changed packages of the system") as refused:
        undo(shown, places, time)
    assert f"rollback {record.id}" in refused.value.next_step
    assert "UNDO.sh" in refused.value.next_step
    with pytest.raises(Trouble, match="changed packages of the system"):
        find_forgettable(places, record.id)
    assert undo(shown, places, time, system_is_back=True) == ()
    assert not can_undo(places)


def test_a_way_back_is_itself_no_run_to_undo(tmp_path: Path) -> None:
    run_of(tmp_path, begun=True, stack=WAY_BACK)
    assert not can_undo(places_below(tmp_path))
    with pytest.raises(Trouble, match="There is no run to undo"):
        find_undo(places_below(tmp_path))


def test_what_undo_sh_has_taken_back_needs_no_root_any_more(tmp_path: Path) -> None:
    record = run_of(tmp_path, begun=True)
    host, places = RecordedHost(MACHINE), places_below(tmp_path)
    events = tmp_path / "runs" / record.id / "events.jsonl"
    events.parent.mkdir(parents=True)
    for last, undone in (
        ('{"event": "done", "step": 1, "outcome": "x"}\n', False),
        ('{"event": "undone", "failed": 2}\n', False),
        ('{"event": "undone", "failed": 0}\n', True),
        ('{"event": "ready"}\n', False),
    ):
        events.write_text(f"{events.read_text() if events.exists() else ''}{last}")
        assert (system_way_back(record, host, places, tmp_path) is None) == undone, last


def test_package_files_in_the_backup_are_known_by_what_the_helper_told(tmp_path: Path) -> None:
    kept = {"name": "rocm-core", "version": "5.7.1", "path": "/var/x.deb", "sha256": "ab"}
    events = ({"event": "done", "step": 1, "outcome": "kept", "kept": [kept]}, {"event": "ready"})
    text = "".join(f"{json.dumps(event)}\n" for event in events)
    (tmp_path / "events.jsonl").write_text(f"{text}rubbish\n")
    assert kept_debs(tmp_path) == (LocalDeb("/var/x.deb", "ab", "rocm-core", "5.7.1"),)
    assert kept_debs(tmp_path / "absent") == ()
