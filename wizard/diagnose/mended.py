"""What became of a finding after its fix: looked for again, not believed."""

from __future__ import annotations

from enum import Enum

from wizard.diagnose.checked import SESSION
from wizard.diagnose.finding import Finding
from wizard.diagnose.machine import Diagnosis


class AfterFix(Enum):
    """How a finding stands after its fix."""

    GONE = "gone"
    WAITS_FOR_LOGIN = "waits for the next login"
    IN_PART = "gone in part"
    STAYS = "still there"


def after_fix(finding: Finding, now: Diagnosis, *, relogin_needed: bool) -> AfterFix:
    """How a finding stands that somebody mended."""
    left = (*now.findings, *now.explained)
    evidence = [
        each
        for other in left
        if other.cause == finding.cause and other.counts
        for each in other.evidence
    ]
    before = set(finding.evidence)
    if not any(other.cause == finding.cause and other.counts for other in left):
        return AfterFix.GONE
    # What a file set is told of this session alone once no file does it any more.
    kept_here = any(e.where.startswith(SESSION) and e not in before for e in evidence)
    if relogin_needed or kept_here:
        return AfterFix.WAITS_FOR_LOGIN
    return AfterFix.IN_PART if set(evidence) < before else AfterFix.STAYS
