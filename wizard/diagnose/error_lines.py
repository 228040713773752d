"""Lines that are errors by their form, whether or not this program knows what they mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

from wizard.core.amounts import capitalized
from wizard.core.lines import beginning
from wizard.diagnose.decoding import as_text
from wizard.diagnose.finding import NO_CAUSE, Confidence, Evidence, Finding, Status
from wizard.diagnose.lines import AFTER, BEFORE, LONGEST, Line
from wizard.diagnose.mentions import is_mention, only_mentions
from wizard.diagnose.plain import plain
from wizard.knowledge.causes import ErrorText, known_text, load_errors

FRAME = '  File "'
KERNEL = re.compile(r"^\s*(?:<\d+>)?\[ *\d+\.\d{3,9}\]|^.{0,60}\d\d:\d\d\S{0,20} \S{1,60} kernel: ")
SERVICE = re.compile(r"^[\w.-]{1,60} +\| ")
"""What containers that run together put before a line."""
STOPPED = "KeyboardInterrupt"
CONVOLUTION = re.compile(r"\b_conv_forward\b|\bF\.conv\dd\b|\btorch\.conv\dd\b|/modules/conv\.py")
"""A frame of a convolution: to stop one with Ctrl+C may mean that it hung."""
ALIKE = 20
"""More lines that differ in their numbers alone tell no more."""
KEPT = 1_000
"""Of a text of any length, before it is known which of them a known cause explains."""
NUMBERS = re.compile(r"\d+")
TITLE = "An error this program does not know"
MEANING = (
    "This line looks like an error, and no known cause explains it. It may be the reason for "
    "your problem, or follow from another error."
)
FIX = (
    "Look for the first error in the whole output: later errors often follow from it.",
    "If it is about the GPU, ROCm or PyTorch, check the kernel log as well: journalctl -k -b | "
    "rdna1-setup explain -",
)


class ErrorLines:
    """Gathers errors from the lines of a text, in their order."""

    def __init__(self) -> None:
        self._found: dict[str, Line] = {}
        self._alike = Counter[str]()

    def take(self, line: Line) -> None:
        """Look at one line."""
        if len(self._found) >= KEPT:
            return
        if FRAME in line.text:
            line = _end_of_traceback(line) or line
        elif not is_error(line.text):
            return
        if line.text.startswith(STOPPED) and not CONVOLUTION.search(line.around):
            return
        text = line.text.strip()
        form = NUMBERS.sub("", text)
        if text in self._found or self._alike[form] >= ALIKE or FRAME in line.text:
            return
        if is_mention(text, "no-error") or _tried_again(line) or only_mentions(line):
            return
        self._alike[form] += 1
        self._found[text] = line

    def found(self, known: Collection[int]) -> tuple[Evidence, ...]:
        """Those that no known cause explains: the numbers of its lines are ``known``."""
        near = {n for number in known for n in range(number - BEFORE, number + AFTER + 1)}
        return tuple(
            Evidence(beginning(line.original.strip(), 400), f"line {line.number}")
            for line in sorted(self._found.values())
            if line.number not in near
        )


def is_error(text: str) -> bool:
    """True for a line that has the form of an error of the kernel or of a program."""
    bare = SERVICE.sub("", text)
    return load_errors()["kernel" if KERNEL.search(bare) else "program"].search(bare) is not None


def _tried_again(line: Line) -> bool:
    """True where this line or the next one tells that it is tried once more."""
    following = (as_text(each[:LONGEST]) for each in line.near[line.here + 1 :][:1])
    return any(is_mention(text, "retry") for text in (line.text, *following))


def _end_of_traceback(line: Line) -> Line | None:
    """The line that ends a traceback of which this is the last frame; None before the end."""
    before = line.text[: line.text.index(FRAME)]
    for distance, following in enumerate(line.near[line.here + 1 :], 1):
        text = plain(as_text(following)).removeprefix(before)
        if FRAME in text:
            return None
        if text.strip() and not text[:1].isspace():
            ends = re.match(r"[A-Za-z_][\w.]{0,120}(?:: |$)", text) is not None
            number, original = line.number + distance, as_text(following)
            return Line(number, text, line.near, original) if ends else None
    return None


def explained_errors(
    errors: Iterable[Evidence],
) -> tuple[tuple[Finding, ...], tuple[Evidence, ...]]:
    """A finding for each kind of ordinary error, and the errors that no table explains."""
    kinds: dict[ErrorText, list[Evidence]] = {}
    unknown = []
    for error in errors:
        if known := known_text(error.text):
            kinds.setdefault(known.text, []).append(error)
        else:
            unknown.append(error)
    effects = {effect for kind in kinds for effect in kind.suppresses}
    told = {kind: lines for kind, lines in kinds.items() if kind.id not in effects}
    return tuple(_finding_of(*each) for each in told.items()), tuple(unknown)


def _finding_of(text: ErrorText, lines: list[Evidence]) -> Finding:
    title, _, meaning = text.cause.partition(": ")
    stopped = text.id == "stopped"
    return Finding(
        cause=text.id,
        status=Status.WARNING if stopped else Status.FAULT,
        confidence=Confidence.POSSIBLE if stopped else Confidence.LIKELY,
        title=capitalized(title),
        evidence=tuple(lines[:6]),
        meaning=f"{capitalized(meaning)}." if meaning else "",
        fix=(text.remedy,),
        links=tuple(text.source.split("; ")),
    )


def as_finding(errors: tuple[Evidence, ...]) -> Finding:
    """Unknown errors as lists of findings show them."""
    return Finding(NO_CAUSE, Status.FAULT, Confidence.POSSIBLE, TITLE, errors, MEANING, FIX)
