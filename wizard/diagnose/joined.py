"""Findings of several checks as one list: a cause that several of them prove is told once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from wizard.diagnose.finding import Confidence, Finding, Status

SYMPTOMS = ("compute-queue-preemption-hang", "graphics-ring-timeout", "gpu-memory-fault")
"""What a process, the kernel log and a measurement may all tell of: it is one event."""


def joined(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, each symptom told by its surest witness with the evidence of all."""
    every = tuple(findings)
    for cause in SYMPTOMS:
        every = _as_one(every, cause)
    return tuple(finding for finding in every if not _covered(finding, every))


def _as_one(findings: tuple[Finding, ...], cause: str) -> tuple[Finding, ...]:
    told = [finding for finding in findings if finding.cause == cause and finding.counts]
    if len(told) < 2:
        return findings
    first = min(told, key=_rank)
    witnesses = (first, *(one for one in told if one is not first))
    evidence = dict.fromkeys(each for one in witnesses for each in one.evidence)
    whole = replace(first, evidence=tuple(evidence))
    return tuple(whole if f is first else f for f in findings if f is first or f not in told)


def _covered(finding: Finding, findings: tuple[Finding, ...]) -> bool:
    """True for a warning of what a fault of the same cause proves for the same thing."""
    if finding.status is not Status.WARNING or not finding.evidence:
        return False
    return any(
        other.cause == finding.cause
        and other.status is Status.FAULT
        and finding.evidence[0] in other.evidence
        for other in findings
    )


def _rank(finding: Finding) -> tuple[int, int]:
    return list(Status).index(finding.status), list(Confidence).index(finding.confidence)
