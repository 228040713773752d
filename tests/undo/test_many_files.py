"""Twenty thousand files go back in seconds, and it is told all the while how far it is."""

from __future__ import annotations

import time
from contextlib import aclosing
from pathlib import Path

from tests.commands.running import wizard
from tests.run.places import places_below
from tests.undo.many_files import FILES, run_with_many_files
from wizard.core.events import CHECKED, REMOVED, Progress
from wizard.host.live import LiveHost
from wizard.run.executor import Live, now
from wizard.run.rollback import Rollback, find_undo, roll_back_folder

LONGEST_S = 30.0
"""About a second on two cores; a machine under load is given more."""


async def test_they_are_all_checked_and_then_all_removed_within_seconds(tmp_path: Path) -> None:
    venv, places = run_with_many_files(tmp_path), places_below(tmp_path)
    began = time.monotonic()
    taking = Rollback(find_undo(places, LiveHost()), Live(places, {}), places)
    async with aclosing(taking.events()) as events:
        told = [event async for event in events if isinstance(event, Progress)]
    assert time.monotonic() - began < LONGEST_S
    assert not venv.exists()
    assert told[-1].unit == REMOVED
    assert told[-1].done == told[-1].total == FILES + 1


def test_each_file_that_is_checked_and_removed_is_told(tmp_path: Path) -> None:
    run_with_many_files(tmp_path, 200)
    found = find_undo(places_below(tmp_path), LiveHost())
    told: list[tuple[int, int, str]] = []
    roll_back_folder(found.folder, found.record, now(), lambda *so: told.append(so))
    checked = [done for done, _, unit in told if unit == CHECKED]
    removed = [done for done, _, unit in told if unit == REMOVED]
    assert checked == list(range(1, 202))
    assert removed == list(range(1, 202))
    assert told.index((1, 201, REMOVED)) > max(i for i, so in enumerate(told) if so[2] == CHECKED)


def test_the_command_tells_every_tenth_of_them(tmp_path: Path) -> None:
    venv = run_with_many_files(tmp_path)
    done = wizard(tmp_path, "rollback", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{FILES + 1:,} files removed" in done.stdout
    assert "Undone." in done.stdout
    assert not venv.exists()
