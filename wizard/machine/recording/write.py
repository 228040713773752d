"""Writes a record into a new folder that only its owner may open."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.machine.record import stored
from wizard.machine.recording.recorder import Kept, place_of


class PlaceTaken(ValueError):
    """The folder cannot take a record; its text is fit to show."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it is written: every file below its folder, and the empty folders."""

    files: dict[str, bytes]
    folders: tuple[str, ...]


def layout(kept: Kept, values: dict[str, Any]) -> Record:
    """Where everything lies in the folder of the record: files behind the links that lead there."""
    files = {"record.json": (json.dumps(values, indent=1, ensure_ascii=False) + "\n").encode()}
    for path, content in kept.files.items():
        files.setdefault(f"files{stored(place_of(path, kept.links))}", content)
    folders = {f"files{stored(place_of(path, kept.links))}" for path in kept.folders}
    return Record(files, ("files", *sorted(folders)))


def check_place(folder: Path) -> None:
    """Raises PlaceTaken unless the folder is empty or can be made."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise PlaceTaken(f"{folder} is not a folder. Name a folder that does not exist yet.")
    if folder.is_dir() and any(folder.iterdir()):
        raise PlaceTaken(f"{folder} is not empty. Name a folder that does not exist yet.")
    if not folder.exists() and not folder.parent.is_dir():
        raise PlaceTaken(f"The folder {folder.parent} does not exist.")


def write(record: Record, folder: Path) -> None:
    """Write everything; what is there already is never replaced."""
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    for name in record.folders:
        (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, content in record.files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
