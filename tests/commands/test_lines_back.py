"""A clean-up that edited shell files alone, and its way back by `rollback`."""

from __future__ import annotations

import os
from pathlib import Path

from tests.commands.running import wizard
from tests.run.places import places_below
from wizard.core.events import PlanFinished
from wizard.core.journal import Kind
from wizard.operations.edit_lines import TakeLinesOut, sha256, without_lines
from wizard.plan.removal import system_plan
from wizard.run.executor import Live

SETTINGS = "export ROCM_PATH=/opt/rocm\nexport HSA_OVERRIDE_GFX_VERSION=10.3.0"
TEXT = f"alias l=ls\n{SETTINGS}\nalias m=more"
LINES = tuple(enumerate(TEXT.split("\n"), 1))[1:3]


async def test_lines_go_one_by_one_and_come_back_where_they_stood(tmp_path: Path) -> None:
    bashrc = tmp_path / ".bashrc"
    bashrc.write_text(TEXT)
    bashrc.chmod(0o640)
    kept = without_lines(TEXT, LINES)
    step = TakeLinesOut("x", str(bashrc), LINES, sha256(TEXT), sha256(kept))
    plan = system_plan(Kind.CLEAN_UP, (step,), ())
    events = [e async for e in Live(places_below(tmp_path), os.environ).carry_out(plan)]
    assert isinstance(events[-1], PlanFinished)
    assert events[-1].ok
    assert bashrc.read_text() == kept == "alias l=ls\nalias m=more"
    shown = wizard(tmp_path, "rollback", "--dry-run")
    assert "    | line 2: export ROCM_PATH=/opt/rocm\n" in shown.stdout
    done = wizard(tmp_path, "rollback", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert bashrc.read_text() == TEXT
    assert bashrc.stat().st_mode & 0o777 == 0o640
    assert "There is no run to undo" in wizard(tmp_path, "rollback", "--yes").stderr


async def test_what_the_user_wrote_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    bashrc = tmp_path / ".bashrc"
    bashrc.write_text(TEXT)
    kept = without_lines(TEXT, LINES)
    step = TakeLinesOut("x", str(bashrc), LINES, sha256(TEXT), sha256(kept))
    plan = system_plan(Kind.CLEAN_UP, (step,), ())
    assert [e async for e in Live(places_below(tmp_path), os.environ).carry_out(plan)]
    bashrc.write_text(f"{kept}\nmine\n")
    done = wizard(tmp_path, "rollback", "--yes")
    assert done.returncode == 1
    assert "line 2: export ROCM_PATH=/opt/rocm" in done.stdout
    assert "yourself: line 2: export ROCM_PATH=/opt/rocm; line 3" in done.stdout
    assert bashrc.read_text() == f"{kept}\nmine\n"
    bashrc.write_text(f"{kept}\nmine\n{SETTINGS}\n")
    assert wizard(tmp_path, "rollback", "--yes").returncode == 0
    assert bashrc.read_text() == f"{kept}\nmine\n{SETTINGS}\n"
