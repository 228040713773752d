"""Write a file of ours into an environment: a setting, or the versions that are installed."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.host.distributions import installed_versions
from wizard.host.files import Print, has_text, prints
from wizard.operations.edit_lines import rows_of
from wizard.operations.operation import After, AtOnce, Before
from wizard.system.system import System
from wizard.system.whole_file import draft_of

KEPT_SETTING = re.compile(r"os\.environ\['[A-Z][A-Z0-9_]*'\] = '[^']*'|export [A-Z][A-Z0-9_]*=\S+")
"""A line that ``keep`` adds to a file of ours."""


@dataclass(frozen=True, slots=True)
class WriteFile(AtOnce):
    """Write a file of ours, whole; what somebody made of an earlier one is kept beside it."""

    reason: str
    venv: str
    """The environment that it belongs to."""
    path: str
    content: str
    mode: int = 0o644
    title: str = "Write a file"

    def shown(self) -> str:
        """Where it is written; the content is shown below."""
        return f"write {self.path} (mode {self.mode:04o})"

    def content_lines(self) -> tuple[str, ...]:
        """The whole text."""
        return rows_of(self.content)

    def writes(self) -> tuple[str, ...]:
        """The file."""
        return (self.path,)

    @property
    def effect(self) -> str:
        """The file."""
        return self.path

    def act(self, system: System, before: Before) -> str:
        """Write it."""
        path, told = Path(self.path), ""
        if path.is_file() and not has_text(path, self.content):
            names = (f"{path}.kept-{number}" for number in count(1))
            kept = next(name for name in names if not os.path.lexists(name))
            system.move(self.path, kept)
            told = f"; the old file is kept as {kept}"
        system.write(self.path, self.content, self.mode)
        return f"{len(self.content.encode())} bytes written{told}"

    def verify(self, before: Before) -> After:
        """That it holds our text, or that and settings that ``keep`` added since: written anew, the
        file would lose those."""
        path = Path(self.path)
        if not has_text(path, self.content) and not _adds_settings(path, self.content):
            raise Trouble(
                f"{path} does not hold what was written to it.",
                "Another program may be changing the file.",
                "Run the same command again.",
            )
        return After(files=prints(Path(self.venv), (path,)))

    @property
    def undo(self) -> str:
        """What its undo does."""
        return f"remove {self.path}"

    def remains(self, before: Before) -> Mapping[str, Print]:
        """An unfinished copy, and the file where it holds our text."""
        path = Path(self.path)
        written = (path,) if has_text(path, self.content) else ()
        return prints(Path(self.venv), (draft_of(path), *written))


def _adds_settings(path: Path, ours: str) -> bool:
    """True for a file of ours in which nothing is new but variables."""
    try:
        there = Counter(path.read_text("utf-8").split("\n"))
    except (OSError, UnicodeDecodeError):
        return False
    planned = Counter(ours.split("\n"))
    new = there - planned
    return bool(new) and not planned - there and all(map(KEPT_SETTING.fullmatch, new))


@dataclass(frozen=True, slots=True)
class PinInstalled(AtOnce):
    """Write the versions that the resolver chose as constraints: known only once installed."""

    reason: str
    venv: str
    names: tuple[str, ...]
    path: str
    site: str = ""
    """The site folder of an environment that the user had before; ``""`` for one of ours."""

    title = "Pin package versions"

    def shown(self) -> str:
        """Which versions are written, and where."""
        return f"write the installed versions of {', '.join(self.names)} to {self.path}"

    def writes(self) -> tuple[str, ...]:
        """The file."""
        return (self.path,)

    @property
    def effect(self) -> str:
        """The file."""
        return self.path

    def act(self, system: System, before: Before) -> str:
        """Write them."""
        versions = installed_versions(Path(self.venv), self.site)
        pins = [f"{name}=={versions[name]}" for name in self.names if name in versions]
        system.write(self.path, "".join(f"{pin}\n" for pin in pins))
        return ", ".join(pins) or "none of them is installed"

    def verify(self, before: Before) -> After:
        """That the file is there."""
        path = Path(self.path)
        if not path.is_file():
            raise Trouble(
                f"{path} is missing.",
                "Another program may be changing the environment.",
                "Run the same command again.",
            )
        return After(files=prints(Path(self.venv), (path,)))

    @property
    def undo(self) -> str:
        """What its undo does."""
        return f"remove {self.path}"

    def remains(self, before: Before) -> Mapping[str, Print]:
        """The file, and an unfinished copy."""
        path = Path(self.path)
        return prints(Path(self.venv), (path, draft_of(path)))
