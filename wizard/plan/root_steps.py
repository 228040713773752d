"""Steps that only root can do: one kind for each verb of the root helper, and no others.

``str(step)`` is what Review shows; ``request()`` is the very same thing as the helper reads it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Union

from wizard.apt.packages import LocalDeb, Versions
from wizard.apt.sources import KEYRING, PIN, PROFILE, SOURCE
from wizard.operations.groups import AddToGroups, TakeFromGroups
from wizard.plan.apt_steps import (
    UNSETTLED,
    AptChange,
    AptUpdate,
    FinishInterrupted,
    KeepDebs,
    MakeSnapshot,
    MarkPackages,
    RestoreSettings,
)
from wizard.plan.titles import about_path, first_that_fits
from wizard.plan.user_files import Lines, lines_out_text, lines_out_title

__all__ = [
    "UNSETTLED",
    "AddToGroups",
    "AptChange",
    "AptUpdate",
    "FinishInterrupted",
    "KeepDebs",
    "LocalDeb",
    "MakeSnapshot",
    "MarkPackages",
    "PutSystemPathBack",
    "RestoreSettings",
    "RootStep",
    "SetSystemPathAside",
    "TakeFromGroups",
    "Versions",
    "WriteSystemFile",
    "settled",
    "sha256",
]

TITLES = {
    KEYRING: "Add the key that signs the packages",
    SOURCE: "Add the ROCm package source",
    PIN: "Prefer packages from the ROCm source",
    PROFILE: "Set ROCm's paths for every user",
}
"""What it does to write these files of ours."""


@dataclass(frozen=True, slots=True)
class WriteSystemFile:
    """Write a file of the system, whole; what was there is set aside first."""

    reason: str
    path: str
    content: str
    inverse: str
    before: str | None = None
    """SHA-256 of what is there now; None where nothing is. With anything else it is refused."""
    mode: int = 0o644
    needs_root: bool = True
    lines: Lines = ()
    """What goes out of the file, where all else of it stays; empty for a file with a new text."""
    instead: Lines = ()
    """What else these lines set, and where it then stands."""

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        if self.lines:
            return lines_out_title(self.lines, self.path)
        return TITLES.get(self.path) or about_path("Write", self.path, "a system file")

    @property
    def settled(self) -> bool:
        """False while the content is not known, because it was not fetched yet."""
        return bool(self.content)

    def request(self) -> dict[str, Any]:
        """As the helper reads it; raises ValueError while it is not settled."""
        if not self.settled:
            raise ValueError(f"the content of {self.path} has not been downloaded yet")
        return {
            "verb": "write_file",
            "path": self.path,
            "content": self.content,
            "mode": self.mode,
            "before": self.before,
        }

    def __str__(self) -> str:
        if not self.settled:
            return f"as root, write {self.path}; its content is downloaded and checked first"
        over = f", replacing the existing file (SHA-256 {self.before[:12]})" if self.before else ""
        if self.lines:
            return f"as root, {lines_out_text(self.lines, self.instead, self.path)}{over}"
        return f"as root, write {self.path} (mode {self.mode:04o}){over}"


@dataclass(frozen=True, slots=True)
class SetSystemPathAside:
    """Move a file or a tree of the system into the backup on the same file system."""

    reason: str
    path: str
    inverse: str
    may_be_gone: bool = False
    """True where an earlier step may take it away: then this one is done without the helper."""
    needs_root: bool = True

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        name = self.path.rpartition("/")[2]
        whole, short = (f"Move {each} to the backup" for each in (self.path, name))
        return first_that_fits(whole, short, f"Back up {name}", "Back up leftover files")

    def request(self) -> dict[str, Any]:
        """As the helper reads it."""
        return {"verb": "set_aside", "path": self.path}

    def __str__(self) -> str:
        if self.may_be_gone:
            return f"as root, move {self.path}, or what is left of it, into the backup"
        return f"as root, move {self.path} into the backup"


@dataclass(frozen=True, slots=True)
class PutSystemPathBack:
    """Move what was set aside back to its place."""

    reason: str
    path: str
    inverse: str
    needs_root: bool = True

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return about_path("Restore", self.path, "the old file")

    def request(self) -> dict[str, Any]:
        """As the helper reads it."""
        return {"verb": "put_back", "path": self.path}

    def __str__(self) -> str:
        return f"as root, move {self.path} back from the backup"


RootStep = Union[  # noqa: UP007 - a closed union in one list
    AptUpdate,
    AptChange,
    KeepDebs,
    WriteSystemFile,
    SetSystemPathAside,
    PutSystemPathBack,
    AddToGroups,
    TakeFromGroups,
    MarkPackages,
    FinishInterrupted,
    RestoreSettings,
    MakeSnapshot,
]


def settled(steps: Iterable[object]) -> bool:
    """True when every step says exactly what it does, so that the plan can be begun."""
    kinds = (AptChange, KeepDebs, WriteSystemFile)
    return all(step.settled for step in steps if isinstance(step, kinds))


def sha256(content: str) -> str:
    """The hash by which the helper knows a text."""
    return hashlib.sha256(content.encode()).hexdigest()
