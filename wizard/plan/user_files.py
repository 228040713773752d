"""Steps that edit files of the user's own: single lines go out, and come back; never the rest."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.core.amounts import counted
from wizard.plan.titles import about_path

Lines = tuple[tuple[int, str], ...]
"""1-based numbers of lines, and each line as it stands there."""


@dataclass(frozen=True, slots=True)
class TakeLinesOut:
    """Take lines out of a file of the user's; every other byte of it stays."""

    reason: str
    path: str
    lines: Lines
    before: str
    """SHA-256 of the file as it is now; with anything else nothing is done."""
    after: str
    """SHA-256 of the file without the lines."""
    inverse: str
    needs_root: bool = False
    instead: Lines = ()
    """What else these lines set, and where it then stands."""

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return lines_out_title(self.lines, self.path)

    def __str__(self) -> str:
        return lines_out_text(self.lines, self.instead, self.path)


@dataclass(frozen=True, slots=True)
class PutLinesBack:
    """Put lines that were taken out back to where they stood, or new ones in."""

    reason: str
    path: str
    lines: Lines
    before: str
    """SHA-256 of the file as ``TakeLinesOut`` left it; with anything else nothing is done."""
    after: str
    inverse: str
    needs_root: bool = False
    instead: Lines = ()
    """What ``TakeLinesOut`` put in: it goes."""

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return about_path(f"Add {_counted(self.lines)} to", self.path, "your file")

    def __str__(self) -> str:
        return f"add {_counted(self.lines)} to {self.path}"


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


def numbered(lines: Lines) -> tuple[str, ...]:
    """Each line with its number, as a plan shows it."""
    return tuple(f"line {number}: {line}" for number, line in lines)


def _counted(lines: Lines) -> str:
    return counted(len(lines), "line")
