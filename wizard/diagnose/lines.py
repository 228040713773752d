"""Lines of a text that may tell something, each with what stands around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import compress
from typing import Any, NamedTuple

from wizard.diagnose.decoding import as_text
from wizard.diagnose.plain import plain
from wizard.knowledge.text_lines import load_beginning

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
WRAPPED = range(40, 132)
"""How long a line is that a mail program broke off."""
WRAPPED_BEFORE = range(60, 300)
"""How long it would have been with the next word."""
WRAPPED_TOO = b"\n"
"""Lines that were put together are counted apart from whole ones."""
PARTS = 4
"""Of how many lines one is put together at most."""


class Line(NamedTuple):
    """One line, or one that was put together from its wrapped parts."""

    number: int
    """1-based, of its first part."""
    text: str
    """As the rules read it."""
    near: tuple[bytes, ...]
    """The lines around it, itself among them."""
    wrapped: bool = False
    """True for one that was put together."""
    shown: str = ""
    """As it stands in the text, where that is another."""

    @property
    def original(self) -> str:
        """As it stands in the text."""
        return self.shown or self.text

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
        self._flood: dict[tuple[bytes, ...], int] = {}
        self._read = 0
        self._tail: list[bytes] = []

    def lines(self, chunk: bytes) -> Iterator[Line]:
        """The lines of this chunk that hold one; wrapped ones again, as a whole."""
        fresh = chunk.splitlines()
        every = self._tail + fresh
        start, first = len(self._tail), self._read - len(self._tail) + 1
        for index in self._hits(every, start):
            yield from self._pieces(every, index, first, every[index])
        if not self._long:
            yield from self._wrapped(every, start, first)
        self._read += len(fresh)
        self._tail = every[-BEFORE:]

    def _hits(self, every: list[bytes], start: int) -> Iterator[int]:
        chosen = self._first_of_a_kind(every, start) if self._long else range(start, len(every))
        for index in chosen:
            held = self._anchors.findall(every[index])
            if held and self._few(tuple(held)):
                yield index

    def _few(self, held: tuple[bytes, ...]) -> bool:
        """False once a flood of lines held the same: the next ones say nothing new."""
        count = self._flood[held] = self._flood.get(held, 0) + 1
        return count <= FLOOD

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

    def _wrapped(self, every: list[bytes], start: int, first: int) -> Iterator[Line]:
        for index in range(start, len(every) - 1):
            for whole in joined(every, index):
                held = self._anchors.findall(whole)
                if held and self._few((WRAPPED_TOO, *held)):
                    yield from self._pieces(every, index, first, whole)

    def _pieces(self, every: list[bytes], index: int, first: int, text: bytes) -> Iterator[Line]:
        """The line; of an endless one each part that holds an anchor."""
        near = tuple(every[max(0, index - BEFORE) : index + AFTER + 1])
        for at in range(0, max(len(text) - OVERLAP, 1), LONGEST - OVERLAP):
            part = text[at : at + LONGEST]
            if len(text) <= LONGEST or self._anchors.search(part):
                shown = as_text(part)
                whole = text is every[index]
                yield Line(first + index, plain(shown), near, not whole, shown)


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


def _goes_on(part: bytes, rest: bytes) -> bool:
    """True where a mail program may have broken: the line is long, or the next word was."""
    word = rest.split(maxsplit=1)[0] if rest else b""
    return bool(word) and (len(part) in WRAPPED or len(part) + len(word) in WRAPPED_BEFORE)


def joined(every: list[bytes], index: int) -> tuple[bytes, ...]:
    """This line and the few that go on it: broken between words, and anywhere; else nothing."""
    parts = [every[index].rstrip()]
    for following in every[index + 1 : index + PARTS]:
        rest = following.strip()
        if not _goes_on(parts[-1], rest) or load_beginning().match(as_text(following).lstrip()):
            break
        parts.append(rest)
    return (b" ".join(parts), b"".join(parts)) if len(parts) > 1 else ()
