"""What the history says beside its list: how many runs, and what to do where there is none."""

from __future__ import annotations

from screens.services import DEMO, DRY_RUN
from wizard.conv2d.runs.folders import KeptRuns
from wizard.report.run_history import WHY_UNREADABLE

READING = "Reading what is kept of earlier runs."
HINT = "Enter shows one whole. Space marks two runs, c compares them."
NOTHING = "Nothing to show yet. Esc goes back to the panel."
EMPTY = {
    DEMO: (
        "The demo is a recorded machine, which has no runs of its own.\n\n"
        "Without --demo this lists every Conv2d experiment of your machine: shown whole, compared "
        "with the run before or with a card of somebody else, and written as a card for others."
    ),
    DRY_RUN: (
        "No run is kept on this machine, or it is a recorded one.\n\n"
        "A dry run measures nothing. Without --dry-run, s on the panel measures, and what it finds "
        "is listed here."
    ),
}
NONE_YET = (
    "No run is kept on this machine yet.\n\n"
    "Esc goes back to the panel, where s measures. What it finds is listed here, also after the "
    "program was left.\n\n"
    "A card that somebody sent you can be looked at now: i."
)


def count_text(kept: KeptRuns) -> str:
    """How many runs there are, and how many folders are none."""
    count, bad = len(kept.runs), len(kept.unreadable)
    if not count and not bad:
        return "No run."
    runs = f"{count} run{'' if count == 1 else 's'}, newest first."
    return f"{runs} {bad} cannot be read: at the end." if bad else runs


def empty_text(mode: str) -> str:
    """What to do where there is nothing."""
    return EMPTY.get(mode, NONE_YET)


def damaged(path: str) -> str:
    """Why a folder is no run, and what to do about it."""
    return (
        f"{path} cannot be read.\n\n"
        f"It is {WHY_UNREADABLE}. The other runs do not suffer from it.\n\n"
        "If nothing in it is wanted any more, remove that folder. If a newer version of this "
        "program wrote it, that version shows it."
    )
