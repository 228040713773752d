"""The newest lines of a log, numbered from its beginning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

MOST_LINES = 20_000
MOST_CHARACTERS = 8_000_000
"""Whichever is reached first: a step that prints without end fills no memory."""


class KeptLines:
    """Lines that come and go; each keeps its number, whatever was forgotten before it."""

    def __init__(
        self, most_lines: int = MOST_LINES, most_characters: int = MOST_CHARACTERS
    ) -> None:
        self._most_lines = most_lines
        self._most_characters = most_characters
        self._lines: list[str] = []
        self._characters = 0
        self.first = 0
        """The number of the oldest line that is kept; the first of all is 0."""

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, number: int) -> str:
        return self._lines[number - self.first]

    @property
    def end(self) -> int:
        """The number that the next line gets."""
        return self.first + len(self._lines)

    def add(self, lines: Sequence[str]) -> int:
        """Keeps new lines and forgets the oldest; gives how many were forgotten."""
        self._lines.extend(lines)
        self._characters += sum(map(len, lines))
        surplus = max(0, len(self._lines) - self._most_lines)
        self._characters -= sum(map(len, self._lines[:surplus]))
        while self._characters > self._most_characters and surplus < len(self._lines) - 1:
            self._characters -= len(self._lines[surplus])
            surplus += 1
        del self._lines[:surplus]
        self.first += surplus
        return surplus

    def between(self, start: int, end: int) -> list[str]:
        """The lines of these numbers that are still kept, the last one not among them."""
        return self._lines[max(0, start - self.first) : max(0, end - self.first)]

    def newest(self, characters: int) -> list[str]:
        """As many of the last lines as fit into so many bytes of UTF-8, line ends included."""
        place = len(self._lines)
        while place > 0:
            characters -= len(self._lines[place - 1].encode("utf-8", "replace")) + 1
            if characters < 0:
                break
            place -= 1
        return self._lines[place:]

    def having(self, text: str, start: int) -> Iterator[int]:
        """Numbers of the lines from ``start`` on in which a text stands, in capitals or not."""
        found = pattern_of(text).search
        begin = max(0, start - self.first)
        for number, line in enumerate(self._lines[begin:], self.first + begin):
            if found(line):
                yield number


def pattern_of(text: str) -> re.Pattern[str]:
    """Finds a text as it was typed, in capitals or not."""
    return re.compile(re.escape(text), re.IGNORECASE)
