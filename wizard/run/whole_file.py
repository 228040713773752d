"""Small files of ours, written whole: after a kill there is the old one or the new one."""

from __future__ import annotations

import os
from pathlib import Path

READABLE = 0o644
"""The mode of a file that is no program."""


def draft_of(path: Path) -> Path:
    """Where a file of ours is written before it takes its name."""
    return path.with_name(f".{path.name}.rdna1-setup")


def write_whole(path: Path, text: str, mode: int = READABLE) -> None:
    """Write a text with exactly this mode; a link at its place gives way to the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_of(path)
    draft.unlink(missing_ok=True)  # left by a kill, or a link that must not be written through
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), mode)  # the umask has a say in open
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
