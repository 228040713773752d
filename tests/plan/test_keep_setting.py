"""A setting that was found is kept for one venv: lines more, and a way back to the byte."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.running import wizard
from wizard.plan.new_environment import MODULE, launcher_text, module_text

OURS = (("HSA_OVERRIDE_GFX_VERSION", "10.3.0"),)
WORDS = ("MIOPEN_DEBUG_CONV_GEMM=0", "MIOPEN_DEBUG_FIND_ONLY_SOLVER=GemmFwdRest;GemmBwdRest")


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """A venv as a run of ours leaves it."""
    folder = tmp_path / "venv"
    site = folder / f"lib/python3.{sys.version_info.minor}/site-packages"
    site.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text(f"version = 3.{sys.version_info.minor}.1\n")
    (site / f"{MODULE}.py").write_text(module_text(OURS, ("LD_LIBRARY_PATH",)))
    launcher = folder / "bin" / "rdna1-python"
    launcher.write_text(launcher_text(str(folder), OURS, ("LD_LIBRARY_PATH",)))
    launcher.chmod(0o755)
    return folder


def files_of(venv: Path) -> dict[str, tuple[bytes, int]]:
    files = (path for path in venv.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path): (path.read_bytes(), path.stat().st_mode) for path in files}


def module_of(venv: Path) -> Path:
    return next(venv.rglob(f"{MODULE}.py"))


def test_it_is_kept_in_every_start_and_undone_to_the_byte(tmp_path: Path, venv: Path) -> None:
    before = files_of(venv)
    done = wizard(tmp_path, "keep", "--venv", str(venv), *WORDS, "--yes")
    assert done.returncode == 0, done.stderr
    assert "os.environ['MIOPEN_DEBUG_CONV_GEMM'] = '0'" in done.stdout  # line by line
    assert re.match(r"Plan \w{12}: keep\n", done.stdout)
    program = (
        f"import sys; sys.path.insert(0, {str(module_of(venv).parent)!r}); import {MODULE}, os\n"
        "print(os.environ['MIOPEN_DEBUG_CONV_GEMM'], os.environ['HSA_OVERRIDE_GFX_VERSION'])"
    )
    seen = subprocess.run(
        (sys.executable, "-B", "-c", program), capture_output=True, text=True, check=True
    )
    assert seen.stdout == "0 10.3.0\n"
    shell = ("sh", "-c", f'sed "s|^exec .*|env|" {venv}/bin/rdna1-python | sh')
    seen = subprocess.run(shell, capture_output=True, text=True, check=True)
    assert set(WORDS) < set(seen.stdout.splitlines())
    again = wizard(tmp_path, "keep", "--venv", str(venv), *WORDS, "--yes")
    assert (again.returncode, "already" in again.stdout) == (0, True)
    back = wizard(tmp_path, "rollback", "--yes")
    assert back.returncode == 0, back.stderr
    assert files_of(venv) == before


def test_a_dry_run_shows_it_and_changes_nothing(tmp_path: Path, venv: Path) -> None:
    before = files_of(tmp_path)
    done = wizard(tmp_path, "keep", "--dry-run", "--venv", str(venv), WORDS[0])
    assert done.returncode == 0
    assert "export MIOPEN_DEBUG_CONV_GEMM=0" in done.stdout
    assert files_of(tmp_path) == before


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("MIOPEN_DEBUG_CONV_GEMM=1", "neither enables nor forces anything"),
        ("LD_PRELOAD=/tmp/x.so", "this program does not know this variable of ROCm"),
        ("MIOPEN_FORCE_RDNA1=1", "no released MIOpen reads it"),
        (
            "MIOPEN_DEBUG_FIND_ONLY_SOLVER=a b",
            "its value contains characters that such variables never need",
        ),
        ("MIOPEN_DEBUG_CONV_GEMM", "NAME=VALUE"),
    ],
)
def test_what_does_nothing_or_is_not_known_is_refused(
    tmp_path: Path, venv: Path, word: str, said: str
) -> None:
    before = files_of(venv)
    done = wizard(tmp_path, "keep", "--venv", str(venv), word, "--yes")
    assert done.returncode == 2
    assert said in done.stderr
    assert files_of(venv) == before


def test_an_environment_of_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    done = wizard(tmp_path, "keep", "--venv", str(tmp_path), WORDS[0], "--yes")
    assert done.returncode == 2
    assert "export MIOPEN_DEBUG_CONV_GEMM=0" in done.stderr
    assert not list(tmp_path.rglob(f"{MODULE}.py"))
