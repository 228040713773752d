"""Nothing is redone or undone under a program that is still running out of the venv."""

import fcntl
import mmap
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from wizard.core.trouble import Trouble
from wizard.system.programs import wait_for_strays
from wizard.system.uv import cache_of, lock_of


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
        with pytest.raises(Trouble, match=f"Process {program.pid} is still running"):
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
        with pytest.raises(Trouble, match=f"Process {program.pid} is still running"):
            wait_for_strays(venv, 0.1)
        program.kill()


def test_a_uv_that_installs_into_the_environment_is_seen_by_its_cache(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    venv.mkdir()
    link = tmp_path / "link"
    link.symlink_to(venv)
    waits = "import sys; print('here', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        (sys.executable, "-S", "-c", waits, "--cache-dir", cache_of(str(link))),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        with pytest.raises(Trouble, match=f"Process {program.pid} is still running"):
            wait_for_strays(venv, 0.1)
        wait_for_strays(tmp_path / "other", 0)
        program.kill()


def test_a_uv_that_holds_the_lock_of_the_environment_is_waited_for(tmp_path: Path) -> None:
    lock = Path(lock_of(str(tmp_path)))
    wait_for_strays(tmp_path, 0)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(Trouble, match=f"A uv is still installing packages into {tmp_path}"):
            wait_for_strays(tmp_path, 0.1)
    wait_for_strays(tmp_path, 0)


MAPS = (
    "import mmap, sys; f = open(sys.argv[1], 'rb'); access = int(sys.argv[2]);"
    "m = mmap.mmap(f.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=access);"
    "print('here', flush=True); sys.stdin.read()"
)


def mapping(file: Path, access: int) -> subprocess.Popen[bytes]:
    """A program of another Python that has mapped a file."""
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\0" * 4096)
    program = subprocess.Popen(
        (sys.executable, "-S", "-c", MAPS, str(file), str(access)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert program.stdout is not None
    program.stdout.readline()
    return program


def test_a_program_that_has_loaded_a_library_of_the_environment_is_seen(tmp_path: Path) -> None:
    library = tmp_path / "venv/lib/python3.10/site-packages/torch/lib/libtorch.so"
    with mapping(library, mmap.PROT_READ | mmap.PROT_EXEC) as program:
        with pytest.raises(Trouble, match=f"Process {program.pid} is still running"):
            wait_for_strays(tmp_path / "venv", 0.1)
        program.kill()


@pytest.mark.parametrize(
    ("file", "access"),
    [
        ("envs/other/lib/python3.10/site-packages/other.so", mmap.PROT_READ | mmap.PROT_EXEC),
        ("envs/other/libz.so", mmap.PROT_READ | mmap.PROT_EXEC),
        ("models/mine.safetensors", mmap.PROT_READ),
        ("lib/python3.10/site-packages/data/table.npy", mmap.PROT_READ),
    ],
)
def test_data_of_the_environment_and_an_environment_below_it_make_no_stray(
    tmp_path: Path, file: str, access: int
) -> None:
    with mapping(tmp_path / "venv" / file, access) as program:
        wait_for_strays(tmp_path / "venv", 0)
        program.kill()


def test_a_python_that_was_started_through_a_link_to_the_environment_is_seen(
    tmp_path: Path,
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "venv")
    (tmp_path / "venv").mkdir()
    with running(tmp_path / "link") as program:
        with pytest.raises(Trouble, match=f"Process {program.pid} is still running"):
            wait_for_strays(tmp_path / "venv", 0.1)
        program.kill()


def test_a_relative_start_elsewhere_is_not_taken_for_one_in_the_folder_it_went_to(
    tmp_path: Path,
) -> None:
    venv, other = tmp_path / "venv", tmp_path / "other"
    for folder, target in ((venv, "/bin/sh"), (other, sys.executable)):
        (folder / "bin").mkdir(parents=True)
        (folder / "bin/python").symlink_to(target)
    goes = "import os, sys; os.chdir(sys.argv[1]); print('here', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        ("bin/python", "-S", "-c", goes, str(venv)),  # noqa: S607 - as it is typed
        cwd=other,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        wait_for_strays(venv, 0)
        program.kill()


def test_what_has_started_this_very_program_is_not_asked_to_end(tmp_path: Path) -> None:
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/bin/python").symlink_to(sys.executable)
    waits = "from pathlib import Path; from wizard.system.programs import wait_for_strays;"
    child = f"{waits} wait_for_strays(Path({str(tmp_path / 'venv')!r}), 0)"
    parent = f"import subprocess; subprocess.run(({sys.executable!r}, '-c', {child!r}), check=True)"
    subprocess.run((tmp_path / "venv/bin/python", "-S", "-c", parent), check=True)
