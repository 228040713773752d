"""The folder that needs no internet: what lies where, what it says of itself, whether it is whole.

``fleet.json`` is written last. Without it the folder is not finished, whatever lies in it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wizard.fleet.obstacles import for_another, not_ours, require_writable
from wizard.fleet.target import Target
from wizard.run.downloads.partial import digest
from wizard.run.whole_file import write_whole

SCHEMA = 1
ABOUT, SUMS, START, UNFINISHED = "fleet.json", "SHA256SUMS", "start.sh", ".unfinished"
WHEELS, WIZARD, PYTHON, PROGRAMS = "wheels", "wizard", "python", "bin"
LOCKS = {WHEELS: "wheels.lock", WIZARD: "wizard.lock"}
"""What is in a folder of wheels, each with its hash, as pip and uv read it."""
OURS = frozenset(
    (ABOUT, SUMS, START, UNFINISHED, WHEELS, WIZARD, PYTHON, PROGRAMS, *LOCKS.values())
)


@dataclass(frozen=True, slots=True)
class Folder:
    """One such folder."""

    path: Path

    @property
    def work(self) -> Path:
        """What is needed only until it is finished."""
        return self.path / UNFINISHED

    def begin(self, target: Target) -> None:
        """Make it ours, for this target. Raises Trouble where it is somebody else's, or another."""
        self.require_for(target)
        self.work.mkdir(parents=True, exist_ok=True)
        write_whole(self.work / ABOUT, _text(target))

    def require_for(self, target: Target) -> None:
        """Raise Trouble unless nothing lies there but what we put, for this target. Reads only."""
        self._require_ours()
        about = self.about() or self._begun()
        if about is not None and about.get("target") != asdict(target):
            raise for_another(self.path, about)
        if self.about() is None:
            require_writable(self.path)

    def _require_ours(self) -> None:
        if not os.path.lexists(self.path):
            return
        if not self.path.is_dir():
            raise not_ours(self.path, "it is no folder")
        names = {path.name for path in self.path.iterdir()}
        if names - {UNFINISHED} and not (self.about() or self._begun()):
            raise not_ours(self.path, f"it holds {sorted(names)[0]} and was not begun by us")
        if strange := sorted(names - OURS):
            raise not_ours(self.path, f"it holds {strange[0]}, which is not ours")

    def about(self) -> dict[str, Any] | None:
        """What a finished folder says of itself; None where it is not finished."""
        return _read(self.path / ABOUT)

    def _begun(self) -> dict[str, Any] | None:
        return _read(self.work / ABOUT)

    def unmark(self) -> None:
        """From now on it is not finished."""
        (self.path / ABOUT).unlink(missing_ok=True)

    def files(self) -> Iterator[str]:
        """Names of what lies in it, but for what is needed only until it is finished."""
        for above, folders, names in os.walk(self.path):
            if Path(above) == self.path:
                folders[:] = [name for name in folders if name != UNFINISHED]
            for name in names:
                yield str(Path(above, name).relative_to(self.path))

    def finish(self, target: Target, cancelled: Callable[[], bool]) -> int:
        """Write the hashes and say that it is whole; gives the number of files."""
        names = sorted(name for name in self.files() if name not in (SUMS, ABOUT))
        rows = [f"{digest(self.path / name, cancelled)}  {name}" for name in names]
        if cancelled():
            return 0
        write_whole(self.path / SUMS, "\n".join((*rows, "")))
        write_whole(self.path / ABOUT, _text(target))
        shutil.rmtree(self.work, ignore_errors=True)
        return len(names)

    def sums(self) -> dict[str, str]:
        """Hash by name, as it was written; empty where nothing was."""
        try:
            text = (self.path / SUMS).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return {}
        rows = (line.split("  ", 1) for line in text.splitlines())
        return {row[1]: row[0] for row in rows if len(row) == 2}

    def wrong(self, cancelled: Callable[[], bool]) -> tuple[str, ...]:
        """Names of files that are missing, damaged, or that nobody fetched."""
        known, there = self.sums(), set(self.files()) - {SUMS, ABOUT}
        changed = [
            name
            for name, sha256 in known.items()
            if name in there and digest(self.path / name, cancelled) != sha256
        ]
        return tuple(sorted({*changed, *(known.keys() ^ there)}))


def _text(target: Target) -> str:
    form = {"schema": SCHEMA, "target": asdict(target), "pythons": list(target.brought)}
    return json.dumps(form, indent=1) + "\n"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("schema") == SCHEMA else None
