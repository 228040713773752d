"""Public threads that may tell of the same: from our data alone, with how likely and what for."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from wizard.conv2d.verdicts import RIGHT, Result, Verdict
from wizard.diagnose.finding import HARMLESS, Confidence, Finding
from wizard.knowledge.claims import Claim, Grade, load_claims
from wizard.knowledge.error_texts import load_error_texts
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Machine
from wizard.report.units import WIDTH
from wizard.run.lines import clean

LIKELY, POSSIBLE = "likely", "possible"
THREAD = re.compile(r"https://(?:github|gitlab)[\w.]*/[\w./-]+?/(?:issues|pull|discussions)/\d+")
"""A thread in which people answer; other links are no threads."""
OF_CONVOLUTIONS = ("conv2d", "small conv2d", "training")
"""Topics of claims about what was measured itself."""
OF_PROGRAMS = ("applications", "stability", "regression")
"""Topics of claims about programs and other builds: a failed shape may be why, or may not."""
NONE = "none: no finding and no verdict here fits a thread that this program knows"
FAILED = frozenset(set(Verdict) - set(RIGHT) - {Verdict.UNUSABLE, Verdict.OUT_OF_MEMORY})


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread, and why it may be about what was found here."""

    link: str
    likelihood: str
    """``likely`` or ``possible``."""
    because: str
    confirmed_by: str
    grade: str
    """On what the match rests, in the words of ``assets/claims.toml``."""


def known_threads(
    machine: Machine, findings: Iterable[Finding], results: Sequence[Result]
) -> tuple[Thread, ...]:
    """Each thread once, under its best reason; the likely ones first."""
    every = [*_of_findings(findings), *_of_errors(results), *_of_claims(machine, results)]
    every.sort(key=lambda thread: thread.likelihood != LIKELY)
    best: dict[str, Thread] = {}
    for thread in every:
        best.setdefault(thread.link, thread)
    return tuple(best.values())


def thread_form(thread: Thread) -> dict[str, Any]:
    """Its JSON form."""
    return {
        "link": thread.link,
        "likelihood": thread.likelihood,
        "because": thread.because,
        "confirmed_by": thread.confirmed_by,
        "grade": thread.grade,
    }


def thread_lines(threads: Sequence[Thread]) -> Iterator[str]:
    """The threads as plain text."""
    for thread in threads:
        yield f"{thread.likelihood}: {thread.link}"
        for text in (f"because: {thread.because}", f"confirmed by: {thread.confirmed_by}"):
            yield from textwrap.wrap(
                clean(text), WIDTH, initial_indent="  ", subsequent_indent="    "
            )
        yield f"  rests on: {thread.grade or 'nothing that is graded'}"
    if not threads:
        yield NONE


def _of_findings(findings: Iterable[Finding]) -> Iterator[Thread]:
    for finding in findings:
        if not finding.counts or finding.cause == HARMLESS:
            continue
        sure = finding.confidence is not Confidence.POSSIBLE
        ends = f"it ends with this: {finding.fix[0]}" if finding.fix else "the same card and ROCm"
        for link in _threads_in(" ".join(finding.links)):
            yield Thread(
                link,
                LIKELY if sure else POSSIBLE,
                f"{finding.title} ({finding.cause}, {finding.confidence.value})",
                ends,
                finding.grade,
            )


def _of_errors(results: Iterable[Result]) -> Iterator[Thread]:
    causes = dict.fromkeys(result.cause for result in results if result.cause)
    for text in load_error_texts():
        if text.id in causes:
            because = f"Conv2d ended with a text that is known: {text.cause}"
            confirmed = f"it ends with this: {text.remedy}"
            for link in _threads_in(text.source):
                yield Thread(link, LIKELY, because, confirmed, "")


def _of_claims(machine: Machine, results: Iterable[Result]) -> Iterator[Thread]:
    """What others told of the same card with the same torch, where something failed here."""
    failed = [each for each in results if each.verdict in FAILED and not each.on_processor]
    gfx = {gpu.gfx for gpu in machine.gpus if gpu.rdna1}
    if not failed or not gfx:
        return
    last = failed[-1]
    torch = last.loaded.torch or ""
    stacks = {s.id for s in load_stacks() if s.torch_prefix and torch.startswith(s.torch_prefix)}
    because = f"{last.label} ended as '{last.verdict.value}' with torch {torch}"
    for claim in load_claims():
        if not (stacks & set(claim.stacks) and _is_like(claim, last, gfx)):
            continue
        same = claim.topic in OF_CONVOLUTIONS and claim.grade is not Grade.CLAIM_ONLY
        compared = f"what fails there fails here too, there on {claim.card} with {claim.versions}"
        for link in _threads_in(claim.source):
            told = f"{because}; there: {claim.text}"
            likelihood = LIKELY if same else POSSIBLE
            yield Thread(link, likelihood, told, compared, claim.grade.value)


def _is_like(claim: Claim, failed: Result, gfx: set[Any]) -> bool:
    """True for a claim that speaks against what failed here, on this chip."""
    half = ("precision",) if failed.shape.dtype == "float16" else ()
    about = claim.topic in (*OF_CONVOLUTIONS, *OF_PROGRAMS, *half)
    here = not claim.gfx or bool(gfx & set(claim.gfx))
    return about and here and claim.leaning == "against" and claim.grade is not Grade.REFUTED


def _threads_in(text: str) -> list[str]:
    return list(dict.fromkeys(THREAD.findall(text)))
