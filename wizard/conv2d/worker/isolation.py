"""Databases of MIOpen for one setting alone: in a folder of their own, gone at the end.

What MIOpen has once found for a shape it takes again, whatever is set by then. So what is measured
under a setting must not see what another one has left, nor leave anything behind.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

from wizard.core.own_files import places

LOCK = "in-use"
FOLDERS = {
    "MIOPEN_USER_DB_PATH": "choices",
    "MIOPEN_CUSTOM_CACHE_DIR": "kernels",
    "TMPDIR": "compiler",
}
"""Found solvers, compiled kernels, and where comgr compiles (it asks for TMPDIR)."""


@dataclass(slots=True)
class Isolation:
    """Folders of one run, one for each way of measuring, made when they are asked for."""

    base: Path
    """Below it each run has a folder."""
    keep: bool = False
    root: Path | None = None
    lock: int = -1
    numbers: dict[Hashable, int] = field(default_factory=dict)

    def folder(self, way: Hashable) -> Path:
        """The folder of one way of measuring. Raises ``OSError`` where none can be made."""
        root = self.root or self._begin()
        folder = root / str(self.numbers.setdefault(way, len(self.numbers)))
        for name in FOLDERS.values():
            (folder / name).mkdir(parents=True, exist_ok=True)
        return folder

    def forget(self, way: Hashable) -> None:
        """Let what was found on this way count no more."""
        if self.root is not None and way in self.numbers:
            shutil.rmtree(self.root / str(self.numbers[way]), ignore_errors=True)

    def close(self) -> Path | None:
        """Remove everything; gives the folder where it is to be kept."""
        root, self.root = self.root, None
        if root is None:
            return None
        if not self.keep:
            shutil.rmtree(root, ignore_errors=True)
        os.close(self.lock)
        return root if self.keep else None

    def _begin(self) -> Path:
        self.base.mkdir(parents=True, exist_ok=True)
        if not self.keep:
            for left in self.base.iterdir():
                _clear_if_left(left)
        self.root = Path(mkdtemp(prefix="run-", dir=self.base))
        self.lock = os.open(self.root / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        return self.root


def isolation(environ: Mapping[str, str], *, keep: bool) -> Isolation:
    """For one run; nothing is made before it is needed."""
    home = environ.get("HOME") or str(Path.home())
    name = "conv2d-kept" if keep else "conv2d"
    return Isolation(Path(places(environ, home).cache) / name, keep)


def leading_to(folder: Path) -> dict[str, str]:
    """The variables that lead MIOpen there."""
    return {variable: str(folder / name) for variable, name in FOLDERS.items()}


def _clear_if_left(folder: Path) -> None:
    """Remove what a run left that was killed: nobody holds its lock any more."""
    with suppress(OSError):
        lock = os.open(folder / LOCK, os.O_RDWR)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
