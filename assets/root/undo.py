"""UNDO.sh: shell functions, and the calls that undo each change."""

from __future__ import annotations

import os
import shlex
from typing import Any, Sequence

from assets.root.files import STATE

with open(os.path.join(os.path.dirname(__file__), "undo.sh"), encoding="utf-8") as file:
    FUNCTIONS, REST = file.read().split("# THE CHECKS\n")
CHECKS, TAIL = REST.split("# THE CALLS\n")

Call = Sequence[str]
"""One call of a function of UNDO.sh."""


def undo_script(path: str, intents: Sequence[dict[str, Any]]) -> str:
    """UNDO.sh: the calls of each change, the latest change first."""
    calls = [call for intent in reversed(intents) for call in intent["undo"]]
    head = (FUNCTIONS + CHECKS).replace("@HERE@", path).replace("@STATE@", STATE)
    return head + (shell_lines(calls) or "say 'Nothing was changed yet.'\n") + TAIL


def shell_script(path: str, calls: Sequence[Call]) -> str:
    """Functions of UNDO.sh called; it ends with how much they could not do."""
    head = FUNCTIONS.replace("@HERE@", path)
    return head + shell_lines(calls) + "[ $failed -lt 100 ] || failed=100\nexit $failed\n"


def shell_lines(calls: Sequence[Call]) -> str:
    """Calls of functions of UNDO.sh, one a line."""
    return "".join(" ".join(shlex.quote(word) for word in call) + "\n" for call in calls)
