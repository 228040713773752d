"""What PyTorch says of its surroundings, asked with a deadline and told by allow-list."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from wizard.core.fact import Unknown
from wizard.report.sources import NO_ENVIRONMENT, collect_env, known_lines

REAL = """\
<frozen runpy>:128: RuntimeWarning: 'torch.utils.collect_env' found in sys.modules
Collecting environment information...
PyTorch version: 2.2.2+rocm5.7
Is debug build: False
CUDA used to build PyTorch: N/A
ROCM used to build PyTorch: 5.7.31921-d1770ee1b

OS: Ubuntu 22.04.5 LTS (x86_64)
Libc version: glibc-2.35

Python version: 3.10.12 (main, Nov 20 2023, 15:14:05) [GCC 11.4.0] (64-bit runtime)
Python platform: Linux-6.8.0-85-generic-x86_64-with-glibc2.35
Is CUDA available: True
GPU models and configuration: AMD Radeon RX 5700 XT (gfx1010:xnack-)
Nvidia driver version: Could not collect
HIP runtime version: 5.7.31921
MIOpen runtime version: 2.20.0
Is XNNPACK available: True

CPU:
Architecture:                       x86_64
CPU(s):                             12
Model name:                         AMD Ryzen 5 3600 6-Core Processor
Vulnerability Spectre v2:           Mitigation; Retpolines

Versions of relevant libraries:
[pip3] numpy==1.26.4
[pip3] torch==2.2.2+rocm5.7
[conda] numpy                     1.26.4          py310h_0    conda-forge
[pip3] my-secret @ https://me:pw@host/x
HOME=/home/me
""".splitlines()


def environment(folder: Path, script: str) -> str:
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    return str(folder)


def test_known_lines_are_told_and_no_others() -> None:
    left_out = ("<frozen", "Collecting", "Vulnerability", "[pip3] my-secret", "HOME=")
    expected = [line for line in REAL if line and not line.startswith(left_out)]
    assert known_lines(REAL) == expected
    assert len(expected) == 22


def test_its_output_is_told(tmp_path: Path) -> None:
    folder = environment(tmp_path, 'echo "PyTorch version: $1 $2"; echo other')
    told = "PyTorch version: -m torch.utils.collect_env\n"
    assert collect_env(folder, {"PATH": "/usr/bin:/bin"}) == told


def test_one_that_does_not_end_is_ended(tmp_path: Path) -> None:
    folder = environment(tmp_path, "echo PyTorch version: 1; exec sleep 60")
    began = time.monotonic()
    told = collect_env(folder, {"PATH": "/usr/bin:/bin"}, deadline_s=0.5)
    assert time.monotonic() - began < 20
    assert isinstance(told, Unknown)
    assert "did not finish within" in told.because


def test_one_that_prints_without_end_is_ended(tmp_path: Path) -> None:
    folder = environment(tmp_path, "exec yes 'OS: x'")
    told = collect_env(folder, {"PATH": "/usr/bin:/bin"}, deadline_s=1)
    assert isinstance(told, Unknown)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo ImportError: libX; exit 1", "code 1: ImportError: libX"),
        ("exit 3", "code 3: nothing"),
    ],
)
def test_one_that_fails_says_why(tmp_path: Path, script: str, why: str) -> None:
    told = collect_env(environment(tmp_path, script), {"PATH": "/usr/bin:/bin"})
    assert isinstance(told, Unknown)
    assert why in told.because


def test_without_an_environment_nothing_is_started(tmp_path: Path) -> None:
    assert collect_env("", {}) == Unknown(NO_ENVIRONMENT)
    gone = collect_env(str(tmp_path / "gone"), {"PATH": "/usr/bin:/bin"})
    assert isinstance(gone, Unknown)
    assert "could not be started" in gone.because
