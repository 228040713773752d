"""A plan as a shell script: a shell reads it, no word gets loose, and what shell cannot is not."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path
from shutil import which

import pytest

from tests.run.places import plan_of
from wizard.knowledge.stacks import load_stacks
from wizard.machine.detect import detect
from wizard.machine.recorded import RecordedHost
from wizard.places import places
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.plan.planner import make_plan
from wizard.plan.removal import REMOVAL
from wizard.plan.root_steps import AddToGroups
from wizard.plan.steps import DropDownloads, Plan, RunProgram, Step, WriteFile
from wizard.report.shell_script import only_for_reading, shell_script
from wizard.run.clearing import clearing_plan

MACHINES = sorted((Path(__file__).parents[1] / "machines").iterdir())
HOSTILE = 'it\'s $(touch /tmp/owned) `id` "x" \\ ;&|'


def run(script: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ("/bin/sh", *options), input=script, text=True, capture_output=True, check=False
    )


def script_of(*steps: Step, folder: Path) -> str:
    return "\n".join(shell_script(plan_of(folder, *steps)))


def planned(machine: Path, stack: str, footprint: str) -> Plan | None:
    host = RecordedHost(machine)
    choice = Choice(stack, footprint, f"{host.home}/ai/{stack}", without_card=True)
    try:
        return make_plan(detect(host), choice, places(host.environ, host.home))
    except PlanImpossible:
        return None


@pytest.mark.parametrize("machine", MACHINES, ids=lambda path: str(path.name))
def test_a_shell_reads_the_plan_of_every_stack(machine: Path) -> None:
    found = [planned(machine, s.id, f) for s, f in product(load_stacks(), ("venv", "venv+system"))]
    scripts = ["\n".join(shell_script(plan)) for plan in found if plan]
    for script in scripts:
        assert run(script, "-n").stderr == ""
    program = which("shellcheck")
    if program and scripts:
        done = subprocess.run((program, "-"), input=scripts[0], text=True, capture_output=True)
        assert done.returncode == 0, done.stdout


def test_every_step_stands_there_with_its_reason() -> None:
    plan = planned(next(p for p in MACHINES if p.name == "rx5600xt-noble-rocm57"), "rocm57", "venv")
    assert plan is not None
    script = "\n".join(shell_script(plan))
    for number, step in enumerate(plan.steps, 1):
        assert f"# {number}. {step.reason[:40]}" in script
        assert f"say '[{number}/{len(plan.steps)}] " in script
    assert only_for_reading(plan) == ()


def test_no_word_gets_loose(tmp_path: Path) -> None:
    hostile = tmp_path / HOSTILE
    step = WriteFile(f"{HOSTILE}\n$(id)", str(hostile / "f"), f"{HOSTILE}\nEOF\n", 0o640, HOSTILE)
    program = RunProgram("x", ("printf", "%s", HOSTILE), HOSTILE, environment=(("A", HOSTILE),))
    done = run(script_of(step, program, folder=hostile))
    assert done.returncode == 0, done.stderr
    assert (hostile / "f").read_text() == f"{HOSTILE}\nEOF\n"
    assert oct((hostile / "f").stat().st_mode)[-3:] == "640"
    assert done.stdout.count(HOSTILE) >= 1
    assert not Path("/tmp/owned").exists()


def test_a_file_without_a_last_line_end_stays_so(tmp_path: Path) -> None:
    step = WriteFile("x", str(tmp_path / "f"), "no end", 0o644, "remove it")
    assert run(script_of(step, folder=tmp_path / "v")).returncode == 0
    assert (tmp_path / "f").read_bytes() == b"no end"


def test_what_somebody_made_of_a_file_is_kept_beside_it(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("mine")
    step = WriteFile("x", str(tmp_path / "f"), "ours", 0o644, "remove it")
    assert "f.kept-1" in run(script_of(step, folder=tmp_path / "v")).stdout
    assert (tmp_path / "f.kept-1").read_text() == "mine"


def test_the_first_failure_ends_it(tmp_path: Path) -> None:
    after = WriteFile("x", str(tmp_path / "after"), "", 0o644, "remove it")
    done = run(script_of(RunProgram("x", ("false",), "nothing"), after, folder=tmp_path / "v"))
    assert done.returncode != 0
    assert not (tmp_path / "after").exists()


def test_the_outcome_counts_and_not_the_exit_code(tmp_path: Path) -> None:
    step = RunProgram("x", ("true",), "nothing", creates=(str(tmp_path / "never"),))
    done = run(script_of(step, folder=tmp_path / "v"))
    assert done.returncode == 1
    assert "whatever the program said" in done.stderr


def test_a_second_way_is_gone_when_the_first_fails(tmp_path: Path) -> None:
    made = str(tmp_path / "made")
    step = RunProgram("x", ("false",), "nothing", creates=(made,), otherwise=("touch", made))
    assert run(script_of(step, folder=tmp_path / "v")).returncode == 0


def test_a_folder_of_somebody_else_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv/mine").write_text("mine")
    done = run(script_of(DropDownloads("x", str(tmp_path / "gone")), folder=tmp_path))
    assert (done.returncode, "holds something else" in done.stderr) == (1, True)


def test_a_full_disk_is_seen_before_the_first_step(tmp_path: Path) -> None:
    step = WriteFile("x", str(tmp_path / "f"), "x", 0o644, "remove it")
    plan = replace(plan_of(tmp_path / "new", step), installed_bytes=10**18)
    done = run("\n".join(shell_script(plan)))
    assert (done.returncode, "bytes are needed" in done.stderr) == (1, True)
    assert not (tmp_path / "f").exists()


def test_what_only_root_or_this_program_can_do_stops_it_before_the_first_step(
    tmp_path: Path,
) -> None:
    first = WriteFile("x", str(tmp_path / "f"), "x", 0o644, "remove it")
    joined = AddToGroups("x", "ada", ("render",), "take it out")
    script = script_of(first, joined, folder=tmp_path / "v")
    done = run(script)
    assert (done.returncode, "for reading" in done.stderr) == (1, True)
    assert "# - as root, add ada to render" in script
    assert not (tmp_path / "f").exists()


def test_a_login_in_an_address_is_never_written_down(tmp_path: Path) -> None:
    program = RunProgram("x", ("pip", "--index-url", "https://ada:secret@e.example/"), "nothing")
    script = script_of(program, folder=tmp_path)
    assert "secret" not in script
    assert run(script).returncode == 1


def test_a_plan_that_takes_away_is_for_reading() -> None:
    host = RecordedHost(next(p for p in MACHINES if p.name == "rx5600xt-noble-rocm52-mix"))
    plan = clearing_plan(REMOVAL, ("amd",), detect(host), host)
    script = "\n".join(shell_script(plan))
    assert run(script, "-n").stderr == ""
    assert "No venv." in script
