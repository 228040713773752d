"""Reads a text: which signs of causes it holds, which marks, which cards, which settings."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from wizard.core.lines import beginning
from wizard.diagnose.decoding import CHUNK, SAMPLE, as_text, chunks
from wizard.diagnose.error_lines import ErrorLines
from wizard.diagnose.finding import Confidence, Evidence
from wizard.diagnose.lines import Finder, Line, alternatives
from wizard.diagnose.listed_cards import CardLines, ListedCard
from wizard.diagnose.mentions import only_mentions
from wizard.diagnose.plain import plain
from wizard.diagnose.text_values import Told, nothing_told, take_told, told_anchors
from wizard.knowledge.cards import load_listings
from wizard.knowledge.causes import (
    Sign,
    error_anchors,
    load_kinds,
    load_marks,
    load_phrases,
    load_signs,
    load_words,
)

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
    for sign in (*load_signs(), *load_marks()):
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
