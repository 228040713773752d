"""Sweeps that came to no end, or not even to a beginning, as findings."""

from __future__ import annotations

from wizard.diagnose.blamed import HANG, UNKNOWN
from wizard.diagnose.explain import explain
from wizard.diagnose.finding import Confidence, Evidence, Finding, Status
from wizard.diagnose.measured import Measured
from wizard.knowledge.causes import load_causes

LONGEST_TROUBLE = 400


def lost(last: Measured) -> Finding:
    """A launch that took the whole experiment with it, or the machine."""
    known = load_causes()[HANG]
    return Finding(
        HANG,
        Status.WARNING,
        Confidence.POSSIBLE,
        f"{last.suspect} was launched on {last.date} and never finished",
        (Evidence(f"{last.suspect}: launched, and no verdict", f"conv2d, {last.date}"),),
        "The measurement was killed, or the machine froze or was restarted, while the card worked "
        "on this shape. It may have caused that.",
        (
            ("Run it again to continue; it tries this shape once more: rdna1-setup conv2d"),
            *known.fix[1:],
        ),
        known.grade,
        known.links,
    )


def not_measured(last: Measured) -> Finding:
    """What kept a sweep from its first shape, with the cause that its words prove."""
    proved = [one for one in explain(last.trouble.encode()).findings if one.counts]
    cause = load_causes().get(proved[0].cause) if proved else None
    return Finding(
        cause.id if cause else UNKNOWN,
        Status.FAULT if cause else Status.WARNING,
        proved[0].confidence if proved else Confidence.CERTAIN,
        f"Conv2d could not be measured on {last.date}",
        (Evidence(last.trouble[:LONGEST_TROUBLE], f"conv2d, {last.date}"),),
        cause.meaning if cause else "Nothing was measured. The line above says why.",
        cause.fix if cause else ("Fix that, then measure again: rdna1-setup conv2d",),
        cause.grade if cause else "",
        cause.links if cause else (),
    )
