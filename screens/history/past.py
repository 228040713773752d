"""Runs that are over, as the screens are given them: every road to them as plain functions."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.conv2d.runs.folders import KeptRuns, Run
    from wizard.conv2d.runs.history import Account
    from wizard.conv2d.search.setting_answer import Found
    from wizard.conv2d.verdicts import Result

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A file that could be written."""

    path: str
    """Where it would go, unless its owner says otherwise."""
    text: str
    about: Lines
    """What it holds, in words: it leaves the machine."""
    command: Lines
    """The shell line that writes the same; ``PATH`` stands for the place."""

    @property
    def line(self) -> str:
        """The shell line with the usual place."""
        return shlex.join(self.path if word == "PATH" else word for word in self.command)


@dataclass(frozen=True, slots=True)
class Past:
    """Roads to runs that are over. Each of them may take a while, and runs in a thread."""

    kept: Callable[[], KeptRuns]
    account: Callable[[Run], Account]
    whole: Callable[[Run], Lines]
    """Its report."""
    results: Callable[[Run], tuple[Result, ...]]
    found: Callable[[Run], Found]
    """The setting that it found. Raises Trouble."""
    compare: Callable[[Run, Run | None], Lines]
    """With another, or with the one before of the same rows. Raises Trouble."""
    card: Callable[[Run], Draft]
    """Raises Trouble."""
    script: Callable[[Run, int], Draft]
    """For the result at that place. Raises Trouble."""
    take_in: Callable[[str, Run | None], Lines]
    """The card in a file, and beside a run; it is kept where anything is. Raises Trouble."""
    is_there: Callable[[str], bool]
    write: Callable[[str, str, bool], str] | None
    """A text to a path, over what is there if so said; gives the path. Raises Trouble. None where
    nothing may be written: in a dry run."""
