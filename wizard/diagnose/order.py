"""Which of several causes is the root: what it explains is not told beside it."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable

from wizard.diagnose.finding import Finding, Status
from wizard.diagnose.reading import Reading
from wizard.knowledge.causes import load_causes

BY_TIME = ("gpu-memory-fault", "compute-queue-preemption-hang", "graphics-ring-timeout")
"""Any of these brings the others after it: the first in the log counts."""
DESKTOP = re.compile(r"page fault .*\bvmid:[1-7]\b")
"""The driver keeps these numbers for graphics: compute queues have 8 to 15."""


def without_consequences(findings: Iterable[Finding], reading: Reading) -> tuple[Finding, ...]:
    """The findings of a text without those that another one explains."""
    every = unexplained(tuple(findings))
    later = _later(every, reading)
    return tuple(finding for finding in every if finding.cause not in later)


def unexplained(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Findings without those that a firm one among them explains."""
    causes = load_causes()
    explained = {
        consequence
        for finding in findings
        if finding.confidence.firm and finding.status is Status.FAULT and finding.cause in causes
        for consequence in causes[finding.cause].suppresses
    }
    # What was looked at and is fine is no consequence of anything.
    return tuple(f for f in findings if f.status is Status.OK or f.cause not in explained)


def _later(findings: tuple[Finding, ...], reading: Reading) -> set[str]:
    """Those of the causes that follow one another which came first in no start of the machine."""
    among = [finding for finding in findings if finding.cause in BY_TIME]
    starts = sorted(hit.number for hit in reading.hits.get("new-start", ()))
    lines = {finding.cause: _lines(finding, reading) for finding in among}
    roots = set()
    for start in range(len(starts) + 1):
        within = [
            (finding, own)
            for finding in among
            if (own := [n for n in lines[finding.cause] if bisect(starts, n) == start])
        ]
        if within:
            roots.add(_root(within, reading))
    return {finding.cause for finding in among} - roots if roots else set()


def _root(within: list[tuple[Finding, list[int]]], reading: Reading) -> str:
    """The one of these that brought the others after it."""

    def rank(one: tuple[Finding, list[int]]) -> tuple[bool, int]:
        finding, own = one
        return not finding.confidence.firm, -max(own) if reading.newest_first else min(own)

    drawn = [f for f, _ in within if f.cause == "graphics-ring-timeout" and f.confidence.firm]
    if drawn and any(DESKTOP.search(hit.text) for hits in reading.hits.values() for hit in hits):
        return drawn[0].cause
    return min(within, key=rank)[0].cause


def _lines(finding: Finding, reading: Reading) -> list[int]:
    signs = [name for name in reading.hits if name.startswith(f"{finding.cause}#")]
    return [line.number for name in signs for line in reading.hits[name]]
