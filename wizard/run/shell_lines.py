"""Steps that take single lines out of the user's own files, and put them back."""

from __future__ import annotations

import os
import stat
from collections import Counter
from pathlib import Path

from wizard.core.amounts import counted
from wizard.core.trouble import Trouble
from wizard.plan.root_steps import sha256
from wizard.plan.user_files import (
    Lines,
    PutLinesBack,
    TakeLinesOut,
    numbered,
    with_lines,
    without_lines,
)
from wizard.system.whole_file import write_whole


def edit_lines(step: TakeLinesOut | PutLinesBack) -> str:
    """Edit the file, unless it is done already; gives the outcome. Raises Trouble or OSError."""
    file = Path(step.path).resolve()  # who keeps it elsewhere and links to it wants the link kept
    text = file.read_bytes().decode("utf-8", "surrogateescape")
    if _hash(text) == step.after:
        return "already done"
    if isinstance(step, PutLinesBack) and not step.instead and _holds_all(text, step.lines):
        return "the lines are already restored"
    if _hash(text) != step.before:
        raise Trouble(
            f"{step.path} has changed.",
            "The file was changed after the plan was made. This run did not change it.",
            f"Make the plan again, or {step} yourself: {'; '.join(numbered(step.lines))}",
        )
    _require_own(file)
    _require_one_name(file)
    edit = without_lines if isinstance(step, TakeLinesOut) else with_lines
    edited = edit(text, step.lines, step.instead)
    mode = stat.S_IMODE(file.stat().st_mode)
    write_whole(file, edited, mode, like=file)
    return f"{counted(len(step.lines), 'line')}, the rest unchanged"


def _holds_all(text: str, lines: Lines) -> bool:
    """True when each line stands in the text, as often as it did."""
    return not Counter(line for _, line in lines) - Counter(text.split("\n"))


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
