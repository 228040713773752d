"""Snapshots by the user's own tool."""

from __future__ import annotations

import shlex
import shutil
from typing import Any, Dict

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


def snapshot(wanted: Dict[str, Any], step: Step) -> str:
    """Let the user's own tool make a snapshot; it is there when the tool lists it."""
    tool, name = wanted["tool"], "before rdna1-setup {}".format(step.run.name)
    make, lists = (
        tuple(word.format(config=wanted["config"]) for word in words) for words in SNAPSHOTS[tool]
    )
    if shutil.which(tool, path=ENVIRONMENT["PATH"]) is None:
        raise Trouble(
            "{} is not installed.".format(tool),
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
                "The tool's list has no snapshot named '{}'. Nothing else was changed.".format(
                    name
                ),
                "Try to create a snapshot yourself (`sudo {}`), or start again without one.".format(
                    " ".join(shlex.quote(word) for word in (*make, "test"))
                ),
            )
    return "{} has the snapshot '{}', which is kept until you delete it".format(tool, name)
