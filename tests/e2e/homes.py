"""A home of its own for an end-to-end test, and what lies in it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2]
OURS = ".local/state/rdna1-setup"
"""Journals and logs stay after an undo, and the undo says so."""
UV_NOTE = "uv_cache.json"


def python_310() -> Path:
    """A Python 3.10 that makes venvs, from RDNA1_SETUP_PYTHONS or the PATH; skips without one."""
    folders = os.environ.get("RDNA1_SETUP_PYTHONS", "").split(":") + os.environ["PATH"].split(":")
    for folder in filter(None, folders):
        python = Path(folder) / "python3.10"
        ensurepip = python.resolve().parents[1] / "lib/python3.10/ensurepip"
        if os.access(python, os.X_OK) and ensurepip.is_dir():
            return python
    pytest.skip("there is no Python 3.10 that makes venvs (RDNA1_SETUP_PYTHONS names folders)")


def without_pythons(*names: str) -> str:
    """A PATH without the folders that have one of these."""
    folders = os.environ["PATH"].split(":")
    return ":".join(f for f in folders if not any((Path(f) / name).exists() for name in names))


@dataclass(frozen=True)
class Home:
    """A home folder and the wizard run as its owner."""

    folder: Path
    path: str = os.environ["PATH"]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """The wizard as a process in a session of its own; output is piped."""
        return subprocess.Popen(
            (sys.executable, "-m", "wizard", *arguments),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, timeout_s: float = 600) -> subprocess.CompletedProcess[str]:
        """The wizard run to its end."""
        with self.start(*arguments) as process:
            output, errors = process.communicate(timeout=timeout_s)
        return subprocess.CompletedProcess(arguments, process.returncode, output, errors)

    def environment(self) -> dict[str, str]:
        """Variables of this home; the caller's own XDG folders do not leak in."""
        kept = {
            n: v for n, v in os.environ.items() if not n.startswith(("XDG_", "HSA_", "MIOPEN_"))
        }
        return {
            **kept,
            "HOME": str(self.folder),
            "PATH": self.path,
            # pip asks rustc for its version, and rustup writes its settings into a new home.
            "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")),
            "PYTHONPATH": str(SOURCE),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def listing(self) -> dict[str, str]:
        """Everything in the home but our state folder: digests, link targets, folders."""
        return {
            name: seen
            for name, seen in listing(self.folder).items()
            if not name.startswith(OURS) and name not in (".local", ".local/state")
        }


def wait_for(folder: Path, pattern: str, seconds: float = 600) -> None:
    """Return once something below a folder fits the pattern."""
    limit = time.monotonic() + seconds
    while not _is_there(folder, pattern):
        assert time.monotonic() < limit, f"{pattern} never appeared below {folder}"
        time.sleep(0.02)


def _is_there(folder: Path, pattern: str) -> bool:
    try:
        return any(folder.glob(pattern))
    except FileNotFoundError:  # a folder went while we looked
        return False


def listing(folder: Path) -> dict[str, str]:
    """Everything below a folder; what holds times by name only: bytecode, and a note of uv's."""
    found: dict[str, str] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_dir():
            found[name] = "folder"
        elif path.suffix == ".pyc":
            found[name] = "bytecode"
        elif path.name == UV_NOTE:
            found[name] = "the time of a wheel"
        elif path.name == "RECORD":
            rows = path.read_bytes().splitlines(keepends=True)
            kept = b"".join(row for row in rows if UV_NOTE.encode() not in row)
            found[name] = hashlib.sha256(kept).hexdigest()
        else:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
