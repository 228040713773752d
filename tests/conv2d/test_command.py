"""The headless command: tables, JSON, exit codes."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.commands.running import wizard
from tests.conv2d.sweeping import environ
from wizard.__main__ import main

ROOT = Path(__file__).parents[2]
SMALL = ("--sizes", "4,6", "--channels", "1-3,1-4", "--deadline", "1")


class Home:
    """A home of its own, in which the command is run as a whole process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def variables(self, extra: dict[str, str]) -> dict[str, str]:
        path = f"{ROOT}:{extra.get('PYTHONPATH', '')}"
        clean = {"HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        return {**extra, **clean, "PYTHONPATH": path}

    def start(self, *arguments: str, **extra: str) -> subprocess.Popen[str]:
        """The command as a process."""
        return subprocess.Popen(
            (sys.executable, "-m", "wizard", "conv2d", *arguments),
            env=self.variables({**environ(), **extra}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, **extra: str) -> tuple[int, str, str]:
        """Exit code and outputs of the command."""
        with self.start(*arguments, **extra) as process:
            output, errors = process.communicate(timeout=60)
        return process.returncode, output, errors


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def measured(home: Home, worker_python: str, *arguments: str, **extra: str) -> tuple[int, str, str]:
    """A measurement on the processor."""
    return home.run("--python", worker_python, "--device", "cpu", *SMALL, *arguments, **extra)


def test_json_comes_alone_on_stdout_and_all_right_is_zero(home: Home, worker_python: str) -> None:
    code, output, errors = measured(home, worker_python, "--json")

    document = json.loads(output)
    assert (code, document["schema"], document["trouble"]) == (0, 1, None)
    labels = [result["shape"]["label"] for result in document["results"]]
    assert labels == [
        "1->3 3x3 @4x4", "1->3 3x3 @6x6", "1->4 3x3 @4x4", "1->4 3x3 @6x6",
    ]  # fmt: skip
    assert {result["verdict"] for result in document["results"]} == {"pass"}
    assert "1/4 1->3 3x3 @4x4" in errors


def test_the_table_shows_verdicts_and_one_bad_shape_is_exit_one(
    home: Home, worker_python: str
) -> None:
    faults = environ({4: "wrong"})["FAKE_TORCH"]
    code, output, _ = measured(home, worker_python, FAKE_TORCH=faults)

    head, *rows = output.split("\n\n")[0].splitlines()
    assert head.split()[:4] == ["Shape", "Verdict", "Cold", "Warm"]
    assert [row.split()[3] for row in rows] == ["pass", "pass", "wrong", "wrong"]
    assert code == 1
    assert "4 shapes: 2 right, 2 wrong, 0 hung, on cpu" in output
    assert max(map(len, output.splitlines())) < 80


def test_published_figures_stand_in_the_table_and_their_caution_before_it(
    home: Home, worker_python: str
) -> None:
    arguments = ("--python", worker_python, "--device", "cpu", "--preset", "notes002", "--dry-run")
    code, output, _ = home.run(*arguments)

    assert code == 0
    row = next(line for line in output.splitlines() if "16->32 3x3 @64x64" in line)
    assert "published: hung" in row


def test_a_dry_run_names_shapes_and_command_and_starts_nothing(home: Home) -> None:
    code, output, _ = home.run("--dry-run", "--python", "/nowhere/python", *SMALL)

    assert code == 0
    assert "1->4 3x3 @6x6" in output
    assert "/nowhere/python" in output
    assert "conv2d_worker.py measure --device cuda" in output
    assert list(home.folder.iterdir()) == []


def test_a_gpu_is_only_measured_after_a_warning(home: Home, worker_python: str) -> None:
    asked = ("--python", worker_python, *SMALL)
    code, _, errors = home.run(*asked, FAKE_TORCH_HIP="5.2")
    assert (code, "device:" in errors) == (2, False)
    assert "there is no terminal in which to prompt" in errors

    code, _, errors = home.run(*asked, "--yes", "--even-if-in-use", FAKE_TORCH_HIP="5.2")
    assert code == 0
    warning = errors.index("may freeze the desktop")
    assert warning < errors.index("device: Fake RX 5600 XT, gfx1030")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--preset", "nonsense"), "Known: default, notes000-sizes"),
        (("--sizes", "32,big"), "write sizes like 32,44,224"),
        (("--channels", "16"), "write channels like 16-32,64-128"),
        (("--preset", "notes002", "--sizes", "32"), "shapes: omit --sizes"),
        (("--deadline", "0"), "more than 0"),
    ],
)
def test_what_cannot_be_meant_is_exit_two(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    code = main(["conv2d", "--python", "/nowhere/python", *arguments])

    output, errors = capsys.readouterr()
    assert (code, output) == (2, "")
    assert words in errors


def test_a_python_that_cannot_be_started_is_exit_two(home: Home) -> None:
    code, output, errors = home.run("--device", "cpu", "--python", "/nowhere/python")

    assert (code, output) == (2, "")
    assert "could not be started" in errors
    assert "Traceback" not in errors


def test_how_a_child_ended_is_known_where_the_starter_ignores_the_end_of_children(
    home: Home, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 4\n")
    python.chmod(0o755)
    command = (sys.executable, "-m", "wizard", "conv2d", *SMALL, "--device", "cpu", "--foreground")
    done = subprocess.run(
        ("/bin/bash", "-c", "trap '' CHLD; exec \"$@\"", "bash", *command, "--python", str(python)),
        env=home.variables(environ()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ended with status 4" in done.stderr


def test_a_folder_that_may_not_be_written_is_exit_two(home: Home, worker_python: str) -> None:
    (home.folder / "file").write_text("in the way")
    state = str(home.folder / "file")
    code, _, errors = measured(home, worker_python, XDG_STATE_HOME=state)

    assert code == 2
    assert "The journal" in errors
    assert "set XDG_STATE_HOME" in errors


def ended(descriptor: int) -> bool:
    """True once the process behind this descriptor has ended, within ten seconds."""
    readable, _, _ = select.select([descriptor], [], [], 10)
    os.close(descriptor)
    return bool(readable)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)]
)
def test_stopped_half_way_and_run_again_it_ends_the_same(
    home: Home, worker_python: str, number: signal.Signals, code: int
) -> None:
    shapes = (*SMALL, "--json", "--foreground")
    arguments = ("--python", worker_python, "--device", "cpu", *shapes)
    stuck = environ({4: "hang"})["FAKE_TORCH"]
    with home.start(*arguments, "--deadline", "30", FAKE_TORCH=stuck) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("3/4 1->4"):
                break
        workers = [os.pidfd_open(p.pid) for p in psutil.Process(process.pid).children(True)]
        os.kill(process.pid, number)
        process.communicate(timeout=20)
    assert process.returncode == code
    assert len(workers) == 3  # the parent, its child, and the reference
    assert all(ended(worker) for worker in workers)

    code_again, output, errors = home.run(*arguments, "--deadline", "30")
    assert code_again == 0
    assert [result["verdict"] for result in json.loads(output)["results"]] == ["pass"] * 4
    assert "Continuing an unfinished measurement. Results so far: 2." in errors
    assert ("Trying it once more" in errors) == (number == signal.SIGKILL)


def test_resume_says_why_an_unfinished_run_is_not_continued(
    home: Home, worker_python: str, tmp_path: Path
) -> None:
    """Stopped, then asked for with another shape, another setting, as it was, and once more."""
    stuck = environ({4: "hang"})["FAKE_TORCH"]
    words = ("--python", worker_python, "--device", "cpu", *SMALL, "--deadline", "30")
    with home.start(*words, FAKE_TORCH=stuck) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("3/4 1->4"):
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)

    def told(*more: str, **extra: str) -> str:
        return " ".join(home.run(*words, *more, **extra)[2].split())

    started = (
        "does not match what you asked for, so the measurement starts over. The differences are: "
    )
    assert f"{started}the shapes, --work, --engine or --log." in told("--sizes", "4", "--resume")
    assert f"{started}--repeats." in told("--repeats", "2", "--resume")
    shell = (
        f"{started}shell variables that ROCm reads, such as those beginning with HSA_ or MIOPEN_."
    )
    assert shell in told("--resume", MIOPEN_FIND_MODE="1")
    other = tmp_path / "another"
    other.symlink_to(worker_python)
    python = told("--python", str(other), "--resume")
    assert f"{started}--python, which was {worker_python} and is {other} now." in python
    assert "does not match" not in told("--no-resume", "--repeats", "3")
    again = told("--resume")
    assert "Continuing an unfinished measurement. Results so far: 2." in again
    assert "does not match" not in again
    assert "There is no unfinished run to resume, so the measurement starts over." in told(
        "--resume"
    )
    assert "no unfinished run" not in told()


def test_a_recorded_machine_is_measured_with_a_python_that_it_has(tmp_path: Path) -> None:
    machines = ROOT / "tests" / "machines"
    words = ("conv2d", "--dry-run", "--machine")
    told = wizard(tmp_path, *words, str(machines / "rx5500xt-bookworm-distro")).stdout
    assert "  /home/owner/stable-diffusion-webui/venv/bin/python " in told
    without = wizard(tmp_path, *words, str(machines / "rx5700xt-jammy-clean")).stdout
    assert "  python3 " in without
