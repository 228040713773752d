"""Headless commands around their edges: signals, closed streams, sudo, damaged journals."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.commands.running import MACHINE, ROOT, environment, wizard
from tests.run.places import places_below, plan_of
from wizard.core.journal import SCHEMA
from wizard.plan.form import plan_form

APPLY = """
import asyncio, os, sys
from pathlib import Path
from tests.run.places import RunProgram, places_below, plan_of
from wizard.cli.execution import follow
from wizard.run.executor import Live
home = Path(sys.argv[1])
plan = plan_of(home, RunProgram("waits", ("sh", "-c", sys.argv[2])),
               RunProgram("after", ("touch", str(home / "after"))))
executor = Live(places_below(home), os.environ)
sys.exit(asyncio.run(follow(executor.carry_out(plan), executor.cancel, as_json=False)))
"""


def applying(
    home: Path, script: str, ignored: signal.Signals | None = None
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        (sys.executable, "-c", APPLY, str(home), script),
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=partial(signal.signal, ignored, signal.SIG_IGN) if ignored else None,
    )


def line_with(run: subprocess.Popen[str], word: str) -> str:
    assert run.stdout is not None
    return next(line for line in run.stdout if word in line)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_lets_the_step_end_and_says_so(
    tmp_path: Path, number: signal.Signals
) -> None:
    door = tmp_path / "door"
    os.mkfifo(door)
    with applying(tmp_path, f"echo here; cat {door}") as run:
        line_with(run, "    here")
        run.send_signal(number)
        assert run.stderr is not None
        assert "Stopping after this step, or immediately" in run.stderr.readline()
        door.write_text("")
        output, _ = run.communicate(timeout=20)
    assert run.returncode == 130
    assert "Stopped at a safe point" in output
    assert not (tmp_path / "after").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_that_is_ignored_from_the_start_stops_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    """nohup ignores the hang-up, and a shell Ctrl+C for what it starts behind itself."""
    door = tmp_path / "door"
    os.mkfifo(door)
    with applying(tmp_path, f"echo here; cat {door}", ignored=number) as run:
        line_with(run, "    here")
        run.send_signal(number)
        door.write_text("")
        _, errors = run.communicate(timeout=20)
    assert (run.returncode, errors) == (0, "")
    assert (tmp_path / "after").exists()


def test_the_second_signal_ends_the_running_program_at_once(tmp_path: Path) -> None:
    with applying(tmp_path, "echo here; echo $$; sleep 60") as run:
        line_with(run, "    here")
        child = int(line_with(run, ""))
        run.send_signal(signal.SIGINT)
        assert run.stderr is not None
        run.stderr.readline()
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=20)
    assert run.returncode == 130
    assert "The run stopped during a step" in errors
    assert not Path(f"/proc/{child}").exists()


def test_a_reader_that_leaves_stops_the_run_at_a_safe_point_and_never_looks_like_success(
    tmp_path: Path,
) -> None:
    with applying(tmp_path, "echo here; sleep 0.2; echo there") as run:
        line_with(run, "    here")
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        assert run.wait(20) == 130
        assert run.stderr.read() == ""
    assert not (tmp_path / "after").exists()


def test_json_without_yes_asks_nothing_and_does_nothing(tmp_path: Path) -> None:
    done = wizard(tmp_path, "apply", "--stack", "cpu", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--yes" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be behind sudo")
@pytest.mark.parametrize(
    "command",
    [
        "apply --stack cpu --yes",
        "rollback --yes",
        "report --record record",
        "diagnose --fix noop-setting --yes",
    ],
)
def test_sudo_is_refused_where_files_would_become_root_s(tmp_path: Path, command: str) -> None:
    done = wizard(tmp_path, *command.split(), SUDO_USER="ada")
    assert done.returncode == 2
    assert "Start it again without sudo" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    ["--stack cpu --venv ~nosuchuser/x\udcff", "--stack cpu --venv /", "--stack x"],
)
def test_a_choice_that_cannot_be_is_refused_in_words(tmp_path: Path, options: str) -> None:
    done = wizard(tmp_path, "plan", *options.split())
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("rdna1-setup: ")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "| head -1"])
@pytest.mark.parametrize("command", ["plan --stack cpu", "apply --stack cpu", ""])
def test_closed_streams_are_no_traceback(tmp_path: Path, closed: str, command: str) -> None:
    done = subprocess.run(
        ("/bin/sh", "-c", f"{sys.executable} -m wizard {command} {closed}"),
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def run_folder(home: Path, name: str, *lines: object) -> None:
    folder = Path(places_below(home).runs, name)
    folder.mkdir(parents=True)
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / "journal.jsonl").write_text(text)


def begin(home: Path, plan_id: str = "one") -> dict[str, object]:
    plan = plan_form(plan_of(home, plan_id=plan_id))
    return {"event": "begin", "schema": SCHEMA, "time": "t", "plan": plan}


def test_undo_does_not_reach_past_a_run_whose_journal_it_cannot_read(tmp_path: Path) -> None:
    run_folder(tmp_path, "20260101-a", begin(tmp_path))
    run_folder(tmp_path, "20260102-b", {"event": "begin", "schema": SCHEMA + 1, "plan": {}})
    for arguments in ((), ("20260102-b",)):
        done = wizard(tmp_path, "rollback", "--yes", *arguments)
        assert done.returncode == 2
        assert "20260102-b is damaged or was written by a newer version" in done.stderr
    assert "20260102-b  its journal is damaged" in wizard(tmp_path, "rollback", "--list").stdout
    assert wizard(tmp_path, "rollback", "--yes", "20260101-a").returncode == 0


def test_an_older_run_is_not_undone_below_a_newer_one_in_the_same_folder(tmp_path: Path) -> None:
    run_folder(tmp_path, "20260101-a", begin(tmp_path))
    run_folder(tmp_path, "20260102-b", begin(tmp_path, "two"))
    done = wizard(tmp_path, "rollback", "--yes", "20260101-a")
    assert done.returncode == 2
    assert "Run 20260102-b is newer" in done.stderr


def test_undo_with_a_state_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    run_folder(tmp_path, "20260101-a", begin(tmp_path))
    (Path(places_below(tmp_path).state) / "lock").mkdir()
    done = wizard(tmp_path, "rollback", "--yes")
    assert done.returncode == 1
    assert "could not be changed" in done.stdout


def test_options_before_a_command_count_as_those_behind_it(tmp_path: Path) -> None:
    done = wizard(tmp_path, "--dry-run", "apply", "--stack", "cpu", "--yes")
    assert done.returncode == 0
    assert "Nothing was changed, because this was a dry run." in done.stdout
    assert list(tmp_path.iterdir()) == []
    record = str(ROOT / "tests" / "machines" / "rx5700xt-jammy-clean")
    before = wizard(tmp_path, "--machine", record, "detect")
    assert "RECORDED MACHINE" in before.stdout
    assert before.stdout == wizard(tmp_path, "detect", "--machine", record).stdout


def test_undo_tells_no_run_at_all_from_a_run_that_it_does_not_know(tmp_path: Path) -> None:
    assert wizard(tmp_path, "rollback", "--list").stdout == "No runs yet.\n"
    nothing = wizard(tmp_path, "rollback", "--yes")
    assert nothing.returncode == 2
    assert "There is no run to undo." in nothing.stderr
    unknown = wizard(tmp_path, "rollback", "--yes", "20260101-a")
    assert unknown.returncode == 2
    assert "There is no run 20260101-a to undo." in unknown.stderr


def test_a_wheelhouse_that_is_not_there_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    house = str(tmp_path / "wheels")
    done = wizard(tmp_path, "apply", "--stack", "cpu", "--wheelhouse", house, "--yes")
    assert done.returncode == 2
    assert done.stderr == f"rdna1-setup: --wheelhouse {house}: there is no such folder.\n"
    assert list(tmp_path.iterdir()) == []


def test_the_refusal_without_a_card_names_the_option_that_installs_for_another_machine(
    tmp_path: Path,
) -> None:
    words = ("apply", "--stack", "rocm57", "--dry-run", "--machine")
    refused = wizard(tmp_path, *words, "tests/machines/no-amd-gpu")
    assert refused.returncode == 2
    assert "no AMD card was found" in refused.stderr
    assert "--without-card" in refused.stderr
    done = wizard(tmp_path, *words, "tests/machines/no-amd-gpu", "--without-card")
    assert done.returncode == 0


@pytest.mark.parametrize("command", ["plan", "apply"])
def test_a_dry_run_names_each_step_once(tmp_path: Path, command: str) -> None:
    words = ("--stack", "native", "--machine", MACHINE)
    steps = json.loads(wizard(tmp_path, "plan", "--json", *words).stdout)["steps"]
    told = wizard(tmp_path, command, "--dry-run", *words).stdout.splitlines()
    for number, step in enumerate(steps, 1):
        assert told.count(f"{number:2}. {step['title']}") == 1
        assert sum(line[6:] == step["text"] for line in told) == 1


@pytest.mark.parametrize("command", ["plan", "apply"])
def test_a_dry_run_ends_with_how_to_start_what_was_asked_for(tmp_path: Path, command: str) -> None:
    words = (command, "--dry-run", "--stack", "native", "--app", "comfyui", "--machine", MACHINE)
    told = wizard(tmp_path, *words).stdout
    assert "Installation instructions are shown at the end." in " ".join(told.split())
    end = told[told.index("== After the installation") :]
    assert "    $ git clone https://github.com/" in end
    assert "/ai/native/bin/rdna1-python main.py\n" in end
    assert end.rstrip().endswith("/ai/native/bin/python")


@pytest.mark.parametrize("command", ["clean-up", "plan --clean-up"])
def test_a_dry_run_that_installs_nothing_names_no_program(tmp_path: Path, command: str) -> None:
    machine = str(ROOT / "tests" / "machines" / "rx5600xt-noble-rocm57")
    told = wizard(tmp_path, *command.split(), "--dry-run", "--machine", machine)
    assert told.returncode == 0
    assert "After the installation" not in told.stdout


@pytest.mark.parametrize("command", ["plan", "apply"])
def test_the_head_of_a_plan_names_where_the_run_is_recorded(tmp_path: Path, command: str) -> None:
    words = (command, "--dry-run", "--stack", "rocm62", "--machine", MACHINE)
    told = wizard(tmp_path, *words, "--without-groups").stdout
    assert "/.local/state/rdna1-setup/runs\n" in told
    assert "Downloads go to ~/.cache/rdna1-setup until" in told
    system = wizard(tmp_path, *words, "--footprint", "venv+system").stdout
    assert "log and backup of root: /var/lib/rdna1-setup" in " ".join(system.split())


def test_a_plan_names_the_file_that_checks_torch_with_its_folder(tmp_path: Path) -> None:
    told = wizard(tmp_path, "plan", "--stack", "native", "--machine", MACHINE).stdout
    assert f"    torch_check.py: {ROOT}/assets/torch_check.py\n" in told
