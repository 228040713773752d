"""Nothing is redone or undone under a program that still runs out of the venv."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from wizard.run.strays import wait_for_strays
from wizard.run.trouble import Trouble


def running(venv: Path) -> subprocess.Popen[bytes]:
    (venv / "bin").mkdir(parents=True)
    python = venv / "bin/python"
    python.symlink_to(sys.executable)
    waits = "import sys; print('here', flush=True); sys.stdin.read()"
    program = subprocess.Popen(
        (python, "-S", "-c", waits), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert program.stdout is not None
    program.stdout.readline()
    return program


def test_a_program_that_stays_is_named(tmp_path: Path) -> None:
    with running(tmp_path / "venv") as program:
        with pytest.raises(Trouble, match=f"Process {program.pid} still runs"):
            wait_for_strays(tmp_path / "venv", 0.1)
        program.kill()


def test_a_program_that_ends_by_itself_is_waited_for(tmp_path: Path) -> None:
    with running(tmp_path / "venv") as program:
        assert program.stdin is not None
        timer = threading.Timer(0.2, program.stdin.close)
        timer.start()
        wait_for_strays(tmp_path / "venv", 20)
        assert program.wait(20) == 0
        timer.join()


def test_programs_elsewhere_are_not_our_business(tmp_path: Path) -> None:
    with running(tmp_path / "other") as program:
        wait_for_strays(tmp_path / "venv", 0)
        os.kill(program.pid, 9)


def test_a_python_of_an_activated_environment_is_seen_by_its_path(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").symlink_to(sys.executable)
    activated = {**os.environ, "PATH": f"{venv}/bin:{os.environ['PATH']}"}
    waits = "import sys; print('here', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        ("python", "-S", "-c", waits),  # noqa: S607 - as an activated shell starts it
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=activated,
        executable=str(venv / "bin/python"),
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        with pytest.raises(Trouble, match=f"Process {program.pid} still runs"):
            wait_for_strays(venv, 0.1)
        program.kill()


def test_a_program_that_has_loaded_a_library_of_the_environment_is_seen(tmp_path: Path) -> None:
    library = tmp_path / "venv/lib/python3.10/site-packages/torch/lib/libtorch.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"\0" * 4096)
    maps = (
        "import mmap, sys; f = open(sys.argv[1], 'rb');"
        "m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ);"
        "print('here', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        (sys.executable, "-S", "-c", maps, str(library)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        with pytest.raises(Trouble, match=f"Process {program.pid} still runs"):
            wait_for_strays(tmp_path / "venv", 0.1)
        program.kill()
