"""How a finding is mended: the command that does it, and what became of it afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from wizard.diagnose.checked import SESSION
from wizard.diagnose.finding import Finding


class Outcome(str, Enum):
    """What the next look says of a finding that was mended."""

    GONE = "gone"
    LOGIN = "pending-login"
    TERMINAL = "pending-terminal"
    THERE = "there"


WORDS = {
    Outcome.GONE: "Looked again: {cause} is gone.",
    Outcome.LOGIN: (
        "Looked again: {cause} is mended, and counts from your next login on. Log out of the whole "
        "session and in again (or restart), then run rdna1-setup diagnose once more."
    ),
    Outcome.TERMINAL: (
        "Looked again: {cause} is mended in the files, but this terminal still has the old "
        "settings. Open a new one (or log out and in), then run rdna1-setup diagnose once more."
    ),
    Outcome.THERE: (
        "Looked again: {cause} is still there. `rdna1-setup diagnose` says what is left to do."
    ),
}


def outcome_of(mended: Finding, now: Sequence[Finding]) -> Outcome:
    """What became of a finding by those of the next look."""
    left = [one for one in now if one.counts and one.cause == mended.cause]
    if not left:
        return Outcome.GONE
    evidence = [each.where for one in left for each in one.evidence]
    here = evidence and all(where.startswith(SESSION) for where in evidence)
    return Outcome.TERMINAL if here else Outcome.THERE
