"""What a result has cost of the hangs that were allowed."""

from __future__ import annotations

from wizard.conv2d.verdicts import Result, Verdict

COSTLY = (Verdict.HUNG, Verdict.CRASHED, Verdict.FLAKY)
"""A process that dies may leave the card behind as one that is killed does."""


def hangs_spent(result: Result) -> int:
    """How many of the hangs that were allowed a result has cost.

    Each launch that hung or died counts. Of a flaky result it is not kept which launches did and
    which came back wrong: all that failed count, so that never more is risked than was allowed.
    Where the gravest of them came back with numbers, none did.
    """
    if result.verdict not in COSTLY or (result.verdict is Verdict.FLAKY and result.phase is None):
        return 0
    return max(result.failed, 1)
