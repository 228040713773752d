"""What root's part does to files of the system: write one, move one into the backup, and back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname
from shlex import quote
from typing import Any

from wizard.apt.sources import KEYRING, PIN, PROFILE, SOURCE
from wizard.operations.edit_lines import Lines, lines_out_text, lines_out_title, numbered, rows_of
from wizard.operations.operation import Before, Operation, about_path, first_that_fits
from wizard.operations.root_step import NOTHING_LEFT, RUNS, RootStep, call, not_done

TITLES = {
    KEYRING: "Add the key that signs the packages",
    SOURCE: "Add the ROCm package source",
    PIN: "Prefer packages from the ROCm source",
    PROFILE: "Set ROCm's paths for every user",
}
"""What it does to write these files of ours."""
AS_BEFORE = "This restores the state from before the run."


@dataclass(frozen=True, slots=True)
class WriteSystemFile(RootStep):
    """Write a file of the system, whole; what was there is set aside first."""

    reason: str
    path: str
    content: str
    before: str | None = None
    """SHA-256 of what is there now; None where nothing is. With anything else it is refused."""
    mode: int = 0o644
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
    def effect(self) -> str:
        """The file."""
        return self.path

    @property
    def resolved(self) -> bool:
        """False while the content is not known, because it was not fetched yet."""
        return bool(self.content)

    def request(self) -> dict[str, Any]:
        """As root's part reads it; raises ValueError while it is not resolved."""
        if not self.resolved:
            raise ValueError(f"the content of {self.path} has not been downloaded yet")
        return {
            "verb": "write_file",
            "path": self.path,
            "content": self.content,
            "mode": self.mode,
            "before": self.before,
        }

    def shown(self) -> str:
        """What is written, and over what."""
        if not self.resolved:
            return f"as root, write {self.path}; its content is downloaded and checked first"
        over = f", replacing the existing file (SHA-256 {self.before[:12]})" if self.before else ""
        if self.lines:
            return f"as root, {lines_out_text(self.lines, self.instead, self.path)}{over}"
        return f"as root, write {self.path} (mode {self.mode:04o}){over}"

    def content_lines(self) -> tuple[str, ...]:
        """The lines that go and what comes instead, or the whole text."""
        if self.lines:
            return *numbered(self.lines), *(f"new {line}" for line in numbered(self.instead))
        return rows_of(self.content)

    def by_hand(self) -> Iterator[str]:
        """Keeps what is there, then writes the file."""
        yield call("mkdir", "-p", dirname(self.path))
        yield _keep("cp -a", self.path)
        yield f"printf %s {quote(self.content)} >{quote(self.path)}\n"
        yield call("chmod", f"{self.mode:04o}", self.path)

    def inverse(self, before: Before) -> tuple[Operation, ...]:
        """Move it into the backup, or what was there back."""
        if self.before is not None:
            return (PutSystemPathBack(f"This restores {self.path}.", self.path),)
        why = f"{self.path} did not exist before the run."
        return (SetSystemPathAside(why, self.path, may_be_gone=True),)

    @property
    def undo(self) -> str:
        """What its undo does."""
        return "move the file to the backup" if self.before is None else "restore the old file"


@dataclass(frozen=True, slots=True)
class SetSystemPathAside(RootStep):
    """Move a file or a tree of the system into the backup on the same file system."""

    reason: str
    path: str
    may_be_gone: bool = False
    """True where an earlier step may take it away: then this one is done without root's part."""

    undo = "restore it from the backup"

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        name = self.path.rpartition("/")[2]
        whole, short = (f"Move {each} to the backup" for each in (self.path, name))
        return first_that_fits(whole, short, f"Back up {name}", "Back up leftover files")

    @property
    def effect(self) -> str:
        """What was moved."""
        return f"{self.path}, moved into the backup"

    def request(self) -> dict[str, Any]:
        """As root's part reads it."""
        return {"verb": "set_aside", "path": self.path}

    def shown(self) -> str:
        """What is moved."""
        if self.may_be_gone:
            return f"as root, move {self.path}, or what is left of it, into the backup"
        return f"as root, move {self.path} into the backup"

    def nothing_to_do(self) -> str:
        """An earlier step was expected to take it along, and did."""
        return NOTHING_LEFT if self.may_be_gone and not os.path.lexists(self.path) else ""

    def by_hand(self) -> Iterator[str]:
        """Moves it, if it is there."""
        yield _keep("mv", self.path)

    def inverse(self, before: Before) -> tuple[Operation, ...]:
        """Move it back."""
        return (PutSystemPathBack(f"This restores {self.path}.", self.path),)


@dataclass(frozen=True, slots=True)
class PutSystemPathBack(RootStep):
    """Move what was set aside back to its place."""

    reason: str
    path: str

    undo = "move it to the backup again"

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return about_path("Restore", self.path, "the old file")

    def request(self) -> dict[str, Any]:
        """As root's part reads it."""
        return {"verb": "put_back", "path": self.path}

    def shown(self) -> str:
        """What comes back."""
        return f"as root, move {self.path} back from the backup"

    def by_hand(self) -> Iterator[str]:
        """Nothing: only root's part knows its backup."""
        yield not_done(f"restoring {self.path}. Its backup is in {RUNS}")

    def inverse(self, before: Before) -> tuple[Operation, ...]:
        """Move it into the backup again."""
        return (SetSystemPathAside(AS_BEFORE, self.path),)


def _keep(how: str, path: str) -> str:
    """Keep what lies at a path, if something does."""
    name = quote(path)
    return f'if [ -e {name} ] || [ -L {name} ]; then {how} {name} "$kept/"; fi\n'
