"""The script that starts the wizard of a folder: what it refuses, in words, before it changes."""

import platform
import subprocess
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from shutil import which

import pytest

from tests.fleet.targets import PLAIN
from wizard.fleet.start import start_text
from wizard.fleet.target import Target

HERE = replace(PLAIN, architecture=platform.machine())


def folder(path: Path, target: Target = HERE) -> Path:
    """A folder whose parts are stand-ins, but whole."""
    contents = {"bin/uv": "#!/bin/sh\nexit 1\n", "wizard/a.whl": "a", "wizard.lock": "a==1\n"}
    contents["start.sh"] = start_text(target)
    for name, text in contents.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    (path / "bin/uv").chmod(0o755)
    rows = (f"{sha256(text.encode()).hexdigest()}  {name}\n" for name, text in contents.items())
    (path / "SHA256SUMS").write_text("".join(rows))
    (path / "fleet.json").write_text("{}")
    return path


def start(path: Path, home: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ("/bin/sh", path / "start.sh", "apply", *words),
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", **more},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_shell_reads_it() -> None:
    target = replace(PLAIN, wizard_python_path="/a folder/with 'quotes'/python3.11")
    subprocess.run(("/bin/sh", "-n"), input=start_text(target), text=True, check=True)


def test_shellcheck_finds_nothing() -> None:
    program = which("shellcheck")
    if program is None:
        pytest.skip("there is no shellcheck")
    done = subprocess.run((program, "-"), input=start_text(PLAIN), text=True, capture_output=True)
    assert done.returncode == 0, done.stdout


def test_an_unfinished_folder_is_refused(tmp_path: Path) -> None:
    made = folder(tmp_path / "folder")
    (made / "fleet.json").unlink()
    done = start(made, tmp_path)
    assert (done.returncode, "is not finished" in done.stderr) == (2, True)


def test_another_architecture_is_refused(tmp_path: Path) -> None:
    done = start(folder(tmp_path / "folder", replace(PLAIN, architecture="sparc")), tmp_path)
    assert (done.returncode, "is for sparc" in done.stderr) == (2, True)


def test_a_damaged_file_is_named_and_nothing_is_changed(tmp_path: Path) -> None:
    made = folder(tmp_path / "folder")
    (made / "wizard/a.whl").write_text("b")
    done = start(made, tmp_path / "home")
    assert done.returncode == 2
    assert "wizard/a.whl: FAILED" in done.stderr
    assert "Nothing was changed" in done.stderr
    assert not (tmp_path / "home").exists()


def test_a_look_needs_no_wheels_and_what_it_runs_is_checked_all_the_same(tmp_path: Path) -> None:
    made = folder(tmp_path / "folder", replace(HERE, wizard_python="3.99"))
    with (made / "SHA256SUMS").open("a") as sums:
        sums.write(f"{'0' * 64}  wheels/torch-1.whl\n")
    assert "wheels/torch-1.whl: FAILED" in start(made, tmp_path).stderr
    assert "has no Python 3.99" in start(made, tmp_path, "--dry-run").stderr
    (made / "bin/uv").write_text("another")
    assert "bin/uv: FAILED" in start(made, tmp_path, "--dry-run").stderr


def test_a_machine_without_the_python_is_told_what_to_install(tmp_path: Path) -> None:
    made = folder(tmp_path / "folder", replace(HERE, wizard_python="3.99"))
    done = start(made, tmp_path)
    assert (done.returncode, "apt install python3.99" in done.stderr) == (2, True)


def test_a_venv_that_cannot_be_made_leaves_nothing_half_done(tmp_path: Path) -> None:
    minor = f"{platform.python_version_tuple()[0]}.{platform.python_version_tuple()[1]}"
    python = Path("/usr/bin") / f"python{minor}"
    if not python.exists():
        pytest.skip(f"there is no {python}")
    done = start(folder(tmp_path / "folder", replace(HERE, wizard_python=minor)), tmp_path)
    assert (done.returncode, "could not be made" in done.stderr) == (2, True)
    assert list((tmp_path / ".local/share/rdna1-setup").iterdir()) == []


def test_a_temporary_one_is_gone_whatever_happens(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    made = folder(tmp_path / "folder")
    start(made, tmp_path / "home", TMPDIR=str(tmp_path / "tmp"), RDNA1_SETUP_TEMPORARY="1")
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (tmp_path / "home").exists()
