"""Reads a text: which signs of causes and errors it holds, which cards, settings and versions."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from wizard.core.amounts import capitalized
from wizard.core.lines import beginning
from wizard.diagnose.finding import NO_CAUSE, Confidence, Evidence, Finding, Status
from wizard.diagnose.lines import (
    AFTER,
    BEFORE,
    CHUNK,
    LONGEST,
    SAMPLE,
    Finder,
    Line,
    alternatives,
    as_text,
    chunks,
    in_difference,
    is_mention,
    only_mentions,
    plain,
    spoken_of,
)
from wizard.diagnose.listed_cards import CardLines, ListedCard
from wizard.knowledge.cards import load_listings
from wizard.knowledge.causes import (
    ErrorText,
    Sign,
    error_anchors,
    known_text,
    load_errors,
    load_kinds,
    load_marks,
    load_phrases,
    load_signs,
    load_values,
    load_words,
)

FRAME = '  File "'
KERNEL = re.compile(r"^\s*(?:<\d+>)?\[ *\d+\.\d{3,9}\]|^.{0,60}\d\d:\d\d\S{0,20} \S{1,60} kernel: ")
SERVICE = re.compile(r"^[\w.-]{1,60} +\| ")
"""What containers that run together put before a line."""
STOPPED = "KeyboardInterrupt"
CONVOLUTION = re.compile(r"\b_conv_forward\b|\bF\.conv\dd\b|\btorch\.conv\dd\b|/modules/conv\.py")
"""A frame of a convolution: to stop one with Ctrl+C may mean that it hung."""
ALIKE = 20
"""More lines that differ in their numbers alone tell no more."""
MOST_ERRORS = 1_000
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
        if len(self._found) >= MOST_ERRORS:
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


SETTING_ANCHORS = (
    *("HSA_", "HIP_", "MIOPEN_", "ROCR_", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"),
    *("PYTORCH_ROCM_ARCH", "AMD_SERIALIZE"),
)
NAMES = r"(?:HSA|HIP|MIOPEN|ROCR|CUDA_VISIBLE|LD_LIBRARY|PYTORCH_ROCM|AMD_SERIALIZE)_[A-Z0-9_]+"
SETTING = re.compile(
    rf"(?<![\w$])({NAMES})(?:\"|'|\")?\]?\s*=\s*(\"[^\"]{{0,300}}\"|'[^']{{0,300}}'|[^\s\"';&|]{{0,300}})"
)
FISH = re.compile(
    rf"\bset (?:-\w+ |--\w+ )*-?\w*x\w* ({NAMES}) (\S{{1,300}})"
    rf"|(?:\bsetenv|^\s*ENV) ({NAMES}) (\S{{1,300}})"
)
CALL = re.compile(rf"\b(?:setdefault|putenv|setenv)\([\"']({NAMES})[\"'], ?[\"']([^\"']{{0,300}})")
ASKED = re.compile(rf"\b(?:echo|printenv)\s+[\"']?\$?\{{?({NAMES})\}}?[\"']?\s*$")
"""A value that the next line tells."""
LISTED = re.compile(r"\b(HSA_OVERRIDE_GFX_VERSION(?:_\d+)?):(\d+\.\d+\.\d+)\b")
"""As ollama lists what it was started with."""
PAIR = re.compile(
    rf"^\W{{0,24}}({NAMES})\W{{0,2}}\s*[:,]\s*[\"']?([^\s\"',]{{1,300}})[\"',\s]*(?:#.*)?$"
)
UNSET = re.compile(rf"\b(?:unset|set -e|env -u)\s+({NAMES})")
NOT_SET = re.compile(r"\bunset\b|\bset -e\b|\benv -u\b|^MIOpen(?:\(HIP\))?(?:\[[^\]]{0,20}\])?: ")
"""Taken back, or told by MIOpen with the value that it makes of it."""
MOST = 300
"""So much of a kind is kept: more tells no more."""


class Said(NamedTuple):
    """A value, and the line that tells it."""

    name: str
    value: str
    line: Line


Told = dict[str, list[Said]]
"""What the lines tell, in their order, by the kinds of values in ``assets/text_lines.toml``."""


def nothing_told() -> Told:
    """What no line tells; ``settings`` are variables that are set, ``unset`` those taken back."""
    return {kind: [] for kind in ("settings", "unset", *(form.id for form in load_values()))}


def take_told(told: Told, line: Line) -> None:
    """Add what one line tells."""
    told["settings"] += [Said(name, value, line) for name, value in settings_of(line)]
    if not is_mention(line.text, "comment"):
        told["unset"] += [Said(name, "", line) for name in UNSET.findall(line.text)]
    for form in load_values():
        found = [each.groupdict() for each in form.pattern.finditer(line.text)]
        if found and not is_mention(line.text, "document", *filter(None, [form.unless])):
            told[form.id] += [Said(f.get("name") or "", f["value"] or "", line) for f in found]
    for said in told.values():
        del said[MOST:]


@cache
def told_anchors() -> frozenset[str]:
    """Fixed strings of which one is in every line that tells something."""
    return frozenset((*SETTING_ANCHORS, *(a for form in load_values() for a in form.anchors)))


def settings_of(line: Line) -> list[tuple[str, str]]:
    """The variables that this line sets in any form, or asks for and is told."""
    text = line.text
    if NOT_SET.search(text) or is_mention(text, "comment", "search") or in_difference(line, "-"):
        return []
    given = (f for f in SETTING.finditer(text) if not spoken_of(text[: f.start()], text[f.end() :]))
    found = [(f[1], f[2].strip("\"'" if f[1] == "LD_LIBRARY_PATH" else "\"'`).,")) for f in given]
    found += [(f[1] or f[3], (f[2] or f[4]).strip("\"';")) for f in FISH.finditer(text)]
    found += [(f[1], f[2]) for form in (CALL, LISTED) for f in form.finditer(text)]
    found = found or [(f[1], f[2].strip("\"'")) for f in PAIR.finditer(text)]
    return found + answered(line)


def answered(line: Line) -> list[tuple[str, str]]:
    """What the shell answers, on the next line, to the question for a variable's value."""
    asked = ASKED.search(line.text)
    if not asked:
        return []
    lines = [plain(as_text(near)).strip() for near in line.near]
    here = lines.index(line.text.strip()) if line.text.strip() in lines else len(lines)
    answer = next(filter(None, lines[here + 1 : here + 3]), "")
    return [(asked[1], answer)] if answer and "$ " not in answer else []


Concluded = tuple[Confidence, tuple[Evidence, ...]]
"""How sure something is, and what proves it."""
KEPT = 12
"""Lines kept for one sign: more prove no more."""
MONOTONIC = re.compile(r"\[ *(\d{1,9}\.\d{1,9})\]")
CLOCK = re.compile(r"\b(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\b")
SAME = re.compile(r"\d+|0x[0-9a-fA-F]+|\b[0-9a-f]{6,}\b")
SAME_LOOKED_AT = 8
"""How many lines that differ in numbers alone are looked at."""


@dataclass(slots=True)
class Reading:
    """What a text holds."""

    hits: dict[str, list[Line]] = field(default_factory=dict)
    """Lines by the sign or mark that they are."""
    kinds: set[str] = field(default_factory=set)
    """What kinds of output are in it."""
    cards: tuple[ListedCard, ...] = ()
    told: Told = field(default_factory=nothing_told)
    errors: ErrorLines = field(default_factory=ErrorLines)
    words: set[str] = field(default_factory=set)
    """What it is about."""
    gone: list[int] = field(default_factory=list)
    """Numbers of the lines that went to the one before them; no other number counts them."""
    newest_first: bool = False
    """True when its kernel log runs from the newest line to the oldest."""

    def has(self, name: str) -> bool:
        """True when a line was this sign or mark."""
        return name in self.hits or name in self.words

    def evidence(self, *names: str) -> tuple[Evidence, ...]:
        """Lines of these signs or marks, a few of each."""
        return evidence_of(line for name in names for line in self.hits.get(name, ())[:3])

    def lines_of(self, cause: str) -> list[Line]:
        """Lines that are signs of this cause."""
        signs = (name for name in self.hits if name.partition("#")[0] == cause)
        return [line for name in signs for line in self.hits[name]]

    def last(self, name: str) -> int:
        """Number of the last line that is this one; 0 without."""
        return max((hit.number for hit in self.hits.get(name, ())), default=0)

    def take(self, line: Line, held: frozenset[str]) -> None:
        """Note the line, which holds these anchors, for each sign and mark that it is."""
        for sign in dict.fromkeys(s for anchor in held for s in _signs_of().get(anchor, ())):
            if is_sign(sign, line):
                kept = self.hits.setdefault(sign.id, [])
                del kept[KEPT - 1 :]  # the newest takes the place of the last one kept
                kept.append(line)


def evidence_of(lines: Iterable[Line]) -> tuple[Evidence, ...]:
    """Lines as evidence, none twice."""
    unique = {line.original.strip(): line.number for line in lines}
    return tuple(
        Evidence(beginning(text, 400), f"line {number}") for text, number in unique.items()
    )


def read_text(blocks: Iterator[bytes]) -> Reading:
    """All that this text holds; raises ``NotText`` for what is none."""
    start = next(blocks, b"")
    finder = Finder(_anchors(), long=len(start) >= CHUNK)
    reading, cards = Reading(), CardLines()
    alike = Counter[int]()
    for chunk in chunks(start, blocks):
        for name, words in load_words().items():
            if name not in reading.words and any(word in chunk for word in words):
                reading.words.add(name)
        sample = as_text(chunk[:SAMPLE])
        reading.kinds |= {kind for kind, form in load_kinds().items() if form.search(sample)}
        for line in finder.lines(chunk):
            held = anchors_in(line.text)
            if not held.isdisjoint(_card_anchors()):
                cards.take(line)
            if not held.isdisjoint(error_anchors()):
                reading.errors.take(line)
            kind = hash(SAME.sub("", line.text[:400]))
            alike[kind] += 1
            if alike[kind] <= SAME_LOOKED_AT:
                if not held.isdisjoint(told_anchors()):
                    take_told(reading.told, line)
                reading.take(line, held)
    reading.cards, reading.gone = cards.found(), finder.gone
    reading.kinds |= {card.source for card in reading.cards}
    reading.newest_first = runs_backwards(reading)
    return reading


@cache
def _signs_of() -> dict[str, list[Sign]]:
    """The signs and marks of which a line with this anchor may be one."""
    signs: dict[str, list[Sign]] = {}
    for sign in (*itertools.chain(*load_signs().values()), *load_marks()):
        for anchor in sign.anchors:
            signs.setdefault(anchor, []).append(sign)
    return signs


@cache
def _card_anchors() -> frozenset[str]:
    return frozenset(anchor for each in load_listings().values() for anchor in each.anchors)


@cache
def _words() -> tuple[str, ...]:
    return tuple({*_signs_of(), *_card_anchors(), *told_anchors(), *error_anchors()})


@cache
def _anchors() -> re.Pattern[bytes]:
    return alternatives(word.encode() for word in (*_words(), *load_phrases()))


def runs_backwards(reading: Reading) -> bool:
    """True when the time stamps of what was found mostly fall from line to line."""
    lines = sorted({hit.number: hit for hits in reading.hits.values() for hit in hits}.items())
    stamps = [float(found[1]) for _, hit in lines if (found := MONOTONIC.search(hit.original))]
    clock = [found[0] for _, hit in lines if (found := CLOCK.search(hit.original))]
    return _mostly_falls(stamps) if len(set(stamps)) > 1 else _mostly_falls(clock)


def _mostly_falls(stamps: Sequence[Any]) -> bool:
    """More steps down than up: midnight and a new start of the machine are steps too."""
    pairs = itertools.pairwise(stamps)
    return sum(int(one > other) - int(one < other) for one, other in pairs) > 0


def is_known(text: str) -> bool:
    """True for a line that is a sign or a mark by itself, or that tells of a card or a stack."""
    line = plain(text)
    held = anchors_in(line)
    if not held.isdisjoint((*_card_anchors(), *told_anchors())):
        return True
    return any(s.pattern.search(line) for anchor in held for s in _signs_of().get(anchor, ()))


def anchors_in(text: str) -> frozenset[str]:
    """The fixed strings that this line holds."""
    return frozenset(anchor for anchor in _words() if anchor in text)


def is_sign(sign: Sign, line: Line) -> bool:
    """True when a line that holds an anchor is that sign, by itself and by what is around it."""
    if not sign.pattern.search(line.text) or (sign.unless and sign.unless.search(line.text)):
        return False
    if sign.said and only_mentions(line):
        return False
    if not (sign.near or sign.unless_near):
        return True
    around = line.around
    if line.text not in around:  # a part
        around = f"{line.text}\n{around}"
    if sign.near and not sign.near.search(around):
        return False
    return not (sign.unless_near and sign.unless_near.search(around))
