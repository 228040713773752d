"""Lines of a text that may tell something, each with what stands around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import compress
from typing import Any, NamedTuple

from wizard.diagnose.decoding import as_text
from wizard.diagnose.line_breaks import PART
from wizard.diagnose.plain import plain

BEFORE, AFTER = 12, 8
"""How many lines around one count as near it."""
LONGEST = 4000
"""A longer line is looked at in parts."""
OVERLAP = 400
END = -1
NUMBERS = b"0123456789abcdef"
"""Decimal and hexadecimal digits. Words lose letters too: two that look alike then are as good as
never the same line."""
OF_A_KIND = 4
FLOOD = 500
"""More lines that hold the same say nothing new."""

GONE = PART.encode()


class Line(NamedTuple):
    """One line, with those around it."""

    number: int
    """1-based."""
    text: str
    """As the rules read it."""
    near: tuple[bytes, ...]
    """The lines around it, itself among them."""
    original: str
    """As it stands in the text."""

    @property
    def here(self) -> int:
        """Its place among the lines around it."""
        return min(self.number - 1, BEFORE)

    @property
    def around(self) -> str:
        """The lines near it as one text."""
        return "\n".join(plain(as_text(line[:LONGEST])) for line in self.near)


class Finder:
    """Finds the lines of a text that hold one of some fixed strings.

    In a long text, of lines that differ in numbers alone only the first few are looked at.
    """

    def __init__(self, anchors: re.Pattern[bytes], *, long: bool) -> None:
        self._anchors = anchors
        self._long = long
        self._seen: dict[int, int] = {}
        self._known: set[int] = set()
        self._flood = Counter[tuple[bytes, ...]]()
        self._read = 0
        self.gone: list[int] = []
        """Numbers of the lines that went to the one before them."""
        self._tail: list[bytes] = []

    def lines(self, chunk: bytes) -> Iterator[Line]:
        """The lines of this chunk that hold one."""
        parts = chunk.splitlines()
        self.gone += [n for n, line in enumerate(parts, self._read + 1) if line == GONE]
        fresh = [line for line in parts if line != GONE] if self.gone else parts
        every = self._tail + fresh
        start, first = len(self._tail), self._read - len(self._tail) + 1
        for index in self._hits(every, start):
            yield from self._pieces(every, index, first + index)
        self._read += len(fresh)
        self._tail = every[-BEFORE:]

    def _hits(self, every: list[bytes], start: int) -> Iterator[int]:
        chosen = self._first_of_a_kind(every, start) if self._long else range(start, len(every))
        for index in chosen:
            held = tuple(self._anchors.findall(every[index]))
            self._flood[held] += 1
            if held and self._flood[held] <= FLOOD:
                yield index

    def _first_of_a_kind(self, every: list[bytes], start: int) -> Iterator[int]:
        """The first lines of each kind: what differs in numbers alone is one kind."""
        bare = b"\n".join(every[start:]).translate(None, NUMBERS).split(b"\n")
        kinds = list(map(hash, bare))
        fresh = set(kinds) - self._known
        for index in compress(range(len(kinds)), map(fresh.__contains__, kinds)):
            kind = kinds[index]
            count = self._seen[kind] = self._seen.get(kind, 0) + 1
            if count <= OF_A_KIND:
                yield start + index
            if count == OF_A_KIND:
                self._known.add(kind)

    def _pieces(self, every: list[bytes], index: int, number: int) -> Iterator[Line]:
        """The line; of an endless one each part that holds an anchor."""
        text, near = every[index], tuple(every[max(0, index - BEFORE) : index + AFTER + 1])
        for at in range(0, max(len(text) - OVERLAP, 1), LONGEST - OVERLAP):
            part = text[at : at + LONGEST]
            if len(text) <= LONGEST or self._anchors.search(part):
                shown = as_text(part)
                yield Line(number, plain(shown), near, shown)


def alternatives(words: Iterable[bytes]) -> re.Pattern[bytes]:
    """One expression that finds any of these words: as a tree, which is searched much faster."""
    tree: dict[int, Any] = {}
    for word in words:
        branch = tree
        for byte in word:
            branch = branch.setdefault(byte, {})
        branch[END] = {}
    return re.compile(_branches(tree))


def _branches(tree: dict[int, Any]) -> bytes:
    if END in tree:
        return b""
    ways = [re.escape(bytes([byte])) + _branches(tree[byte]) for byte in sorted(tree)]
    return ways[0] if len(ways) == 1 else b"(?:" + b"|".join(ways) + b")"
