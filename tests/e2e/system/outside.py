"""Programs of the machine that runs the tests, outside of every root."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping

import pytest

DEADLINE_S = 600


def located(*argv: str) -> tuple[str, ...]:
    """The command with the whole path of its program; skips where it is not installed."""
    program = shutil.which(argv[0])
    if program is None:
        pytest.skip(f"{argv[0]} is not installed")
    return (program, *argv[1:])


def run_outside(
    *argv: str,
    text: str = "",
    env: Mapping[str, str] | None = None,
    check: bool = True,
    timeout_s: float = DEADLINE_S,
) -> subprocess.CompletedProcess[str]:
    """A program run to its end; a failure is told with what it said."""
    done = subprocess.run(
        located(*argv),
        input=text,
        capture_output=True,
        text=True,
        errors="replace",
        env=dict(os.environ) if env is None else env,
        check=False,
        timeout=timeout_s,
    )
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(argv)} failed:\n{done.stdout}{done.stderr}")
    return done
