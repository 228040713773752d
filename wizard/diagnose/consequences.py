"""Which of several findings are told: a root without what it explains, and each cause once."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable
from dataclasses import replace

from wizard.diagnose.finding import Finding, Status, in_order
from wizard.diagnose.reading import Reading
from wizard.knowledge.causes import load_causes

BY_TIME = ("gpu-memory-fault", "compute-queue-preemption-hang", "graphics-ring-timeout")
"""Any of these brings the others after it: the first in the log counts. And what a process, the
kernel log and a measurement may all tell of is one event."""
DESKTOP = re.compile(r"page fault .*\bvmid:[1-7]\b")
"""The driver keeps these numbers for graphics: compute queues have 8 to 15."""


def without_consequences(findings: Iterable[Finding], reading: Reading) -> tuple[Finding, ...]:
    """The findings of a text without those that another one explains."""
    found = tuple(findings)
    later = _later(found, reading)  # before: what a cause explains has brought others after it
    return tuple(finding for finding in unexplained(found) if finding.cause not in later)


def unexplained(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Findings without those that a firm one among them explains, which names them."""
    explained = {cause for finding in findings for cause in _consequences(finding)}
    # What was looked at and is fine is no consequence of anything.
    told = tuple(
        f for f in findings if f.status is Status.OK or f.minor or f.cause not in explained
    )
    left_out = dict.fromkeys(f.cause for f in findings if f.counts and f not in told)
    return tuple(_naming(finding, left_out) for finding in told)


def _consequences(finding: Finding) -> tuple[str, ...]:
    cause = load_causes().get(finding.cause)
    firm = finding.confidence.firm and finding.status is Status.FAULT
    return cause.suppresses if cause is not None and firm else ()


def _naming(finding: Finding, left_out: Iterable[str]) -> Finding:
    found = tuple(cause for cause in left_out if cause in _consequences(finding))
    return replace(finding, explains=found) if found else finding


def _later(findings: tuple[Finding, ...], reading: Reading) -> set[str]:
    """Those of the causes that follow one another which came first in no start of the machine."""
    among = [finding for finding in findings if finding.cause in BY_TIME]
    starts = sorted(hit.number for hit in reading.hits.get("new-start", ()))
    lines = {f.cause: [line.number for line in reading.lines_of(f.cause)] for f in among}
    roots = set()
    for start in range(len(starts) + 1):
        own = {f.cause: [n for n in lines[f.cause] if bisect(starts, n) == start] for f in among}
        if within := [(f, own[f.cause]) for f in among if own[f.cause]]:
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


def joined(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, each symptom told by its surest witness with the evidence of all."""
    every = tuple(findings)
    for cause in BY_TIME:
        every = _as_one(every, cause)
    return tuple(finding for finding in every if not _covered(finding, every))


def _as_one(findings: tuple[Finding, ...], cause: str) -> tuple[Finding, ...]:
    told = [finding for finding in findings if finding.cause == cause and finding.counts]
    if len(told) < 2:
        return findings
    first = in_order(told)[0]
    witnesses = (first, *(one for one in told if one is not first))
    evidence = dict.fromkeys(each for one in witnesses for each in one.evidence)
    whole = replace(first, evidence=tuple(evidence))
    return tuple(whole if f is first else f for f in findings if f is first or f not in told)


def _covered(finding: Finding, findings: tuple[Finding, ...]) -> bool:
    """True for a warning of what a fault of the same cause proves for the same thing."""
    if finding.status is not Status.WARNING or not finding.evidence:
        return False
    same = (other for other in findings if other.cause == finding.cause)
    return any(o.status is Status.FAULT and finding.evidence[0] in o.evidence for o in same)
