"""The way back: removes what a run of ours made, and nothing else."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from wizard.run.journal import Journal, Record
from wizard.run.ownership import (
    Owned,
    Print,
    bytecode,
    listing,
    made_with_venv,
    wheel_files,
)

_LAYOUT = ("bin", "include", "lib", "share")
"""Where a venv's own folders lie: only there are emptied folders removed."""


@dataclass(frozen=True, slots=True)
class WayBack:
    """What undoing one run would remove, and what it would leave."""

    run: str
    venv: str
    remove: tuple[str, ...]
    """Files of ours below the venv, relative to it, unchanged since we wrote them."""
    changed: tuple[str, ...]
    """Files of ours that somebody changed since: kept."""
    kept: int
    """Files below the venv that are not ours."""
    kept_bytes: int
    folders: tuple[str, ...]
    """Folders of ours elsewhere, such as the downloads: removed whole."""
    parents: tuple[str, ...]
    """Folders that were made to hold the venv, deepest first: removed when empty."""
    folders_before: tuple[str, ...]
    """Folders that were in the venv's folder before us: kept."""

    def __str__(self) -> str:
        lines = [f"remove {len(self.remove)} files of ours below {self.venv}"]
        if self.changed:
            shown = ", ".join(self.changed[:3]) + (", ..." if len(self.changed) > 3 else "")
            lines.append(f"keep {len(self.changed)} files of ours that were changed: {shown}")
        if self.kept:
            lines.append(f"keep {self.kept} files ({self.kept_bytes} bytes) that are yours")
        lines += [f"remove {folder}" for folder in self.folders]
        return "\n".join(lines)


def find_way_back(record: Record) -> WayBack:
    """What undoing a run would do now; reads only."""
    plan = record.plan
    venv = Path(plan["venv"])
    now = listing(venv)
    ours = {**_left_by_interrupted(record, venv), **Owned(Path(record.folder)).read()}
    ours = {**ours, **_compiled(venv, ours)}
    there = {path: seen for path, seen in ours.items() if path in now.files}
    remove = tuple(sorted(path for path, seen in there.items() if now.files[path] == seen))
    changed = tuple(sorted(set(there) - set(remove)))
    kept = set(now.files) - set(there)
    before = _noted(record, "CreateVenv")
    return WayBack(
        run=record.id,
        venv=str(venv),
        remove=remove,
        changed=changed,
        kept=len(kept),
        kept_bytes=sum(now.files[path][0] for path in kept),
        folders=tuple(folder for folder in _own_folders(record) if Path(folder).is_dir()),
        parents=tuple(before.get("made_folders", ())),
        folders_before=tuple(before.get("folders_before", ())),
    )


def go_back(way: WayBack, record: Record, time: datetime) -> tuple[str, ...]:
    """Remove what the way back names; gives what could not be removed, with the reason."""
    venv = Path(way.venv)
    left = [problem for path in way.remove if (problem := _removed(venv / path))]
    held = frozenset(str(Path(path).parent) for path in way.remove) - {"."}
    _drop_empty(venv, held, frozenset(way.folders_before))
    for folder in way.folders:
        shutil.rmtree(folder, onerror=lambda _f, path, why: left.append(f"{path}: {why[1]}"))
    for parent in way.parents:
        with contextlib.suppress(OSError):
            Path(parent).rmdir()  # only when empty
    state = "partly rolled back" if left else "rolled back"
    Journal(Path(record.folder)).close(state, time.isoformat(timespec="seconds"))
    return tuple(left)


def _removed(path: Path) -> str:
    try:
        path.unlink()
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{path}: {error.strerror}"
    return ""


def _drop_empty(venv: Path, held: frozenset[str], before: frozenset[str]) -> None:
    """Remove folders of the venv's own layout that are empty now, deepest first."""
    folders = (listing(venv).folders | held) - before
    for folder in sorted(folders, key=len, reverse=True):
        if folder in held or folder.split("/", 1)[0] in _LAYOUT:
            with contextlib.suppress(OSError):
                (venv / folder).rmdir()


def _left_by_interrupted(record: Record, venv: Path) -> dict[str, Print]:
    """Files of steps that were begun and never finished, told by what they would write."""
    found: dict[str, Print] = {}
    for number in record.interrupted:
        step = record.plan["steps"][number - 1]
        if step["kind"] == "InstallWheels":
            found |= wheel_files(venv, Path(step["staging"]).glob("*.whl"))
        elif step["kind"] in ("CreateVenv", "RunProgram"):
            found |= made_with_venv(venv, _noted(record, "CreateVenv").get("before", ()))
    return found


def _compiled(venv: Path, ours: Iterable[str]) -> dict[str, Print]:
    """Bytecode that Python made later from sources of ours."""
    found: dict[str, Print] = {}
    for path in ours:
        for compiled in bytecode(venv / path):
            with contextlib.suppress(OSError):
                seen = os.lstat(compiled)
                found[os.path.relpath(compiled, venv)] = (seen.st_size, seen.st_mtime_ns)
    return found


def _noted(record: Record, kind: str) -> dict[str, list[str]]:
    return next((dict(n) for n in record.intents.values() if n.get("kind") == kind), {})


def _own_folders(record: Record) -> tuple[str, ...]:
    return tuple(s["folder"] for s in record.plan["steps"] if s["kind"] == "DropDownloads")
