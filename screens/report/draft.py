"""A report that could be written, as the screens are given it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReportDraft:
    """What would leave this machine, and the way to write it."""

    path: str
    """The folder where it would go, unless its owner says otherwise."""
    lines: tuple[str, ...]
    """Each file with what was replaced in it, then the whole text of each."""
    about: tuple[str, ...]
    """The files with what was replaced in each, alone."""
    command: str
    """The shell line that writes the same."""
    write: Callable[[str], str] | None
    """Into a new folder at this path, and as one file beside it; gives their paths. Raises Trouble.
    None where nothing may be written: in a dry run and a demo."""
