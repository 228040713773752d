"""What the history says: how many runs there are, and what to do where there is none."""

from __future__ import annotations

from datetime import datetime

from wizard.conv2d.runs.folders import KeptRuns
from wizard.report.conv2d_runs import WHY_UNREADABLE
from wizard.services import DEMO, DRY_RUN

FIRST = "Conv2d measurements on this machine."
READING = "Reading earlier runs ..."
HINT = "Space marks a run to compare."
NOTHING = "Esc goes back."
EMPTY = {
    DEMO: "The demo uses an example machine, which has no earlier runs.",
    DRY_RUN: "A dry run measures nothing. Start without --dry-run to measure your card.",
}
NONE_YET = (
    "Press Esc to go back, then start a measurement. Its results are kept here.\n\nIf someone "
    "sent you a result card, press "
    "i to view it."
)


def conclusion_text(kept: KeptRuns) -> str:
    """How many runs there are, and when the last one was."""
    count = len(kept.runs)
    if not count:
        return "No Conv2d measurements yet."
    last = _day(kept.runs[0].began)
    return (
        f"1 run. It began on {last}."
        if count == 1
        else f"{count} runs. The last one began on {last}."
    )


def _day(began: str) -> str:
    try:
        day = datetime.fromisoformat(began)
    except ValueError:
        return began
    return f"{day.day} {day:%B %Y}"


def unreadable_text(kept: KeptRuns) -> str:
    """How many folders are no runs, ``""`` for none."""
    count = len(kept.unreadable)
    return f"{count} more cannot be read." if count else ""


def empty_text(mode: str) -> str:
    """What to do where there is nothing."""
    return EMPTY.get(mode, NONE_YET)


def damaged(path: str) -> str:
    """Why a folder is no run, and what to do about it."""
    return (
        f"{path} cannot be read.\n\nIt is {WHY_UNREADABLE}. The other runs are not "
        "affected.\n\nIf you do not need this run, delete its folder. If a newer version of this "
        "program wrote the run, use that version to see "
        "it."
    )
