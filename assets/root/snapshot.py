"""Snapshots by the user's own tool."""

from __future__ import annotations

import shlex
import shutil
from typing import Any

from assets.root.processes import CHANGE_DEADLINE_S, ENVIRONMENT, run
from assets.root.step import Step
from assets.root.trouble import Trouble

SNAPSHOTS = {
    "timeshift": (
        ("timeshift", "--create", "--scripted", "--comments"),
        ("timeshift", "--list", "--scripted"),
    ),
    "snapper": (
        ("snapper", "-c", "{config}", "create", "--print-number", "--description"),
        ("snapper", "-c", "{config}", "--csvout", "list", "--columns", "number,description"),
    ),
}
"""How each tool makes a snapshot, before its name, and how it lists those that there are."""


def snapshot(wanted: dict[str, Any], step: Step) -> str:
    """Let the user's own tool make a snapshot; it is there when the tool lists it."""
    tool, name = wanted["tool"], f"before rdna1-setup {step.run.name}"
    make, lists = (
        tuple(word.format(config=wanted["config"]) for word in words) for words in SNAPSHOTS[tool]
    )
    if shutil.which(tool, path=ENVIRONMENT["PATH"]) is None:
        raise Trouble(
            f"{tool} is not installed.",
            "This tool is needed to make a snapshot before anything is changed. Nothing was "
            "changed.",
            "Install the snapshot tool, or start again without a snapshot.",
        )
    said = ""
    if name not in run(lists).output:
        step.intend({}, ())
        said = step.follow((*make, name), CHANGE_DEADLINE_S).output.strip()
        if name not in run(lists).output:
            raise Trouble(
                "{} made no snapshot: {}".format(tool, said[-300:] or "it printed nothing."),
                f"The tool's list has no snapshot named '{name}'. Nothing else was changed.",
                "Try to create a snapshot yourself (`sudo {}`), or start again without one.".format(
                    " ".join(shlex.quote(word) for word in (*make, "test"))
                ),
            )
    return f"{tool} has the snapshot '{name}', which is kept until you delete it"
