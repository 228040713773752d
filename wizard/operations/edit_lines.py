"""Take single lines out of the user's own files, and put them back; never the rest."""

from __future__ import annotations

import hashlib
import os
import stat
from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from wizard.core.amounts import counted
from wizard.core.trouble import Trouble
from wizard.operations.operation import After, AtOnce, Before, Operation, about_path
from wizard.system.system import System

Lines = tuple[tuple[int, str], ...]
"""1-based numbers of lines, and each line as it stands there."""


class EditLines(AtOnce):
    """An edit of a file of the user's: with any other content nothing is done."""

    __slots__ = ()
    reaches_out: ClassVar[bool] = True
    reason: str
    path: str
    lines: Lines
    before: str
    after: str
    instead: Lines

    @abstractmethod
    def edited(self, text: str) -> str:
        """The text after it; raises ValueError where a line of it has changed."""

    def act(self, system: System, before: Before) -> str:
        """Edit the file, unless it is done already. Raises Trouble or OSError."""
        file = Path(self.path).resolve()  # who keeps it elsewhere and links to it wants the link
        text = _read(file)
        if _hash(text) == self.after:
            return "already done"
        if self.is_done_otherwise(text):
            return "the lines are already restored"
        if _hash(text) != self.before:
            raise Trouble(
                f"{self.path} has changed.",
                "The file was changed after the plan was made. This run did not change it.",
                f"Make the plan again, or {self} yourself: {'; '.join(numbered(self.lines))}",
            )
        _require_own(file)
        _require_one_name(file)
        mode = stat.S_IMODE(file.stat().st_mode)
        system.write(str(file), self.edited(text), mode, like=str(file))
        return f"{counted(len(self.lines), 'line')}, the rest unchanged"

    def is_done_otherwise(self, text: str) -> bool:
        """True for a text of which nothing is to be changed, although it is not the planned one."""
        return False

    def verify(self, before: Before) -> After:
        """That the file is as planned."""
        text = _read(Path(self.path))
        if _hash(text) != self.after and not self.is_done_otherwise(text):
            raise Trouble(
                f"{self.path} is not as it was written.",
                "Another program changed it in the same moment.",
                "Look at the file, then make the plan again.",
            )
        return After()

    def holds(self, before: Before) -> bool:
        """Done is done: a later step or the user may have changed the file again on purpose."""
        return True


@dataclass(frozen=True, slots=True)
class TakeLinesOut(EditLines):
    """Take lines out of a file of the user's; every other byte of it stays."""

    reason: str
    path: str
    lines: Lines
    before: str
    """SHA-256 of the file as it is now; with anything else nothing is done."""
    after: str
    """SHA-256 of the file without the lines."""
    instead: Lines = ()
    """What else these lines set, and where it then stands."""

    undo = "put the lines back where they were"

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return lines_out_title(self.lines, self.path)

    def shown(self) -> str:
        """How many lines, and where."""
        return lines_out_text(self.lines, self.instead, self.path)

    def content_lines(self) -> tuple[str, ...]:
        """The lines that go, and what comes instead."""
        return *numbered(self.lines), *(f"new {line}" for line in numbered(self.instead))

    def edited(self, text: str) -> str:
        """The text without them."""
        return without_lines(text, self.lines, self.instead)

    def inverse(self, before: Before) -> tuple[Operation, ...]:
        """Put them back."""
        why = "This restores the state from before the run."
        other = PutLinesBack(why, self.path, self.lines, self.after, self.before, self.instead)
        return (other,)


@dataclass(frozen=True, slots=True)
class PutLinesBack(EditLines):
    """Put lines that were taken out back to where they stood, or new ones in."""

    reason: str
    path: str
    lines: Lines
    before: str
    """SHA-256 of the file as ``TakeLinesOut`` left it; with anything else nothing is done."""
    after: str
    instead: Lines = ()
    """What ``TakeLinesOut`` put in: it goes."""

    undo = "remove the same lines again"

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return about_path(f"Add {_counted(self.lines)} to", self.path, "your file")

    def shown(self) -> str:
        """How many lines, and where."""
        return f"add {_counted(self.lines)} to {self.path}"

    def content_lines(self) -> tuple[str, ...]:
        """The lines that come, and what goes for them."""
        return *(f"removed {line}" for line in numbered(self.instead)), *numbered(self.lines)

    def edited(self, text: str) -> str:
        """The text with them."""
        return with_lines(text, self.lines, self.instead)

    def is_done_otherwise(self, text: str) -> bool:
        """True when each line stands in the text, as often as it did."""
        missing = Counter(line for _, line in self.lines) - Counter(text.split("\n"))
        return not self.instead and not missing

    def inverse(self, before: Before) -> tuple[Operation, ...]:
        """Take them out again."""
        why = "This restores the state from before the run."
        other = TakeLinesOut(why, self.path, self.lines, self.after, self.before, self.instead)
        return (other,)


def lines_out_title(lines: Lines, path: str) -> str:
    """What a step that takes lines out of a file does, in a few words."""
    return about_path(f"Remove {_counted(lines)} from", path, "a file")


def lines_out_text(lines: Lines, instead: Lines, path: str) -> str:
    """The same, exactly."""
    rest = ", and keep what else they set" if instead else ""
    return f"remove {_counted(lines)} from {path}{rest}"


def without_lines(text: str, lines: Lines, instead: Lines = ()) -> str:
    """The text without these lines; raises ValueError when one of them is another by now.

    Others come in ``instead``, numbered as the new text has them.
    """
    rows = text.split("\n")
    for number, line in lines:
        if number > len(rows) or rows[number - 1] != line:
            raise ValueError(f"line {number} has changed")
    numbers = {number for number, _ in lines}
    rest = [row for number, row in enumerate(rows, 1) if number not in numbers]
    return _inserted(rest, instead)


def with_lines(text: str, lines: Lines, instead: Lines = ()) -> str:
    """The text with these lines back at their numbers: undoes ``without_lines``."""
    return _inserted(without_lines(text, instead).split("\n"), lines)


def _inserted(rows: list[str], lines: Lines) -> str:
    for number, line in sorted(lines):
        rows.insert(number - 1, line)
    return "\n".join(rows)


def rows_of(text: str) -> tuple[str, ...]:
    """The lines of a text, as they are shown."""
    rows = text.split("\n")
    return tuple(rows[:-1] if rows[-1] == "" else rows)


def numbered(lines: Lines) -> tuple[str, ...]:
    """Each line with its number, as a plan shows it."""
    return tuple(f"line {number}: {line}" for number, line in lines)


def _counted(lines: Lines) -> str:
    return counted(len(lines), "line")


def sha256(content: str) -> str:
    """The hash by which a text is known again."""
    return hashlib.sha256(content.encode()).hexdigest()


def _read(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def _hash(text: str) -> str:
    try:
        return sha256(text)
    except UnicodeEncodeError:  # no UTF-8: no plan of ours edits it
        return ""


def _require_own(file: Path) -> None:
    if file.stat().st_uid != os.geteuid():
        raise Trouble(
            f"{file} belongs to another user.",
            "Rewriting the file would change its owner. Nothing was changed.",
            f"Edit it yourself, or make it yours: sudo chown $USER {file}",
        )


def _require_one_name(file: Path) -> None:
    if (names := file.stat().st_nlink) > 1:
        raise Trouble(
            f"{file} has {names} names (hard links).",
            "Rewriting the file would break its hard links. Nothing was changed.",
            "Edit the file yourself, or replace it with a copy and start again.",
        )
