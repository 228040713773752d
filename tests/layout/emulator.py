"""What a terminal shows after all that was written to it: of the escapes, those that Textual uses.

An escape that it does not know is a mistake and not passed over: what it shows could not be
believed otherwise.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder

from rich.cells import cell_len

_PIECE = re.compile(
    r"\x1b\[(?P<parameters>[0-?]*)(?P<between>[ -/]*)(?P<act>[@-~])"
    r"|\x1b\](?P<told>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1bP[^\x1b]*\x1b\\"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f])"
    r"|(?P<text>[^\x00-\x1f\x7f]+)"
)
_BEGUN = re.compile(r"\x1b(?:$|\[[0-?]*[ -/]*$|[\]P][^\x07\x1b]*\x1b?$)")
"""An escape whose end has not come yet."""
_NO_MATTER = frozenset("mhlupqc")
"""Colours, modes, the keyboard's protocol, questions: they put nothing on the screen."""


class Emulator:
    """A screen of so many columns and lines."""

    def __init__(self, columns: int, lines: int) -> None:
        self._columns, self._lines = columns, lines
        self._rows = [[" "] * columns for _ in range(lines)]
        self._x = self._y = 0
        self._rest = ""
        self._decoder = getincrementaldecoder("utf-8")()
        self.told = ""
        """The last operating system command: with it a program speaks past the screen."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The lines, without blanks at their ends."""
        return tuple("".join(row).rstrip() for row in self._rows)

    def feed(self, written: bytes) -> None:
        """Take what was written, wherever it was cut."""
        text = self._rest + self._decoder.decode(written)
        place = 0
        while place < len(text):
            if _BEGUN.match(text, place):
                break
            piece = _PIECE.match(text, place)
            if piece is None:
                raise ValueError(f"not known: {text[place : place + 20]!r}")
            self._take(piece)
            place = piece.end()
        self._rest = text[place:]

    def _take(self, piece: re.Match[str]) -> None:
        if (words := piece["text"]) is not None:
            self._write(words)
        elif (control := piece["control"]) is not None:
            self._obey(control)
        elif (told := piece["told"]) is not None:
            self.told = told
        elif (act := piece["act"]) is not None:
            self._do(act, piece["parameters"], piece["between"])

    def _do(self, act: str, parameters: str, between: str) -> None:
        if act == "H":
            line, column = (
                int(n or 1) for n in (f"{parameters};" if parameters else ";").split(";")[:2]
            )
            self._y, self._x = line - 1, column - 1
        elif act == "J" and parameters == "2":
            self._rows = [[" "] * self._columns for _ in range(self._lines)]
        elif act not in _NO_MATTER or (act == "p" and between != "$"):
            raise ValueError(f"not known: CSI {parameters}{between}{act}")

    def _obey(self, control: str) -> None:
        if control == "\r":
            self._x = 0
        elif control == "\n":
            self._x, self._y = 0, self._y + 1  # the line's driver adds the carriage return
        elif control != "\x07":
            raise ValueError(f"not known: {control!r}")

    def _write(self, words: str) -> None:
        for glyph in words:
            cells = cell_len(glyph)
            if cells and (self._x + cells > self._columns or not 0 <= self._y < self._lines):
                raise ValueError(f"{words!r} is written over the edge at {self._x}, {self._y}")
            if cells:
                self._rows[self._y][self._x : self._x + cells] = [glyph, *[""] * (cells - 1)]
                self._x += cells
            elif self._x:
                self._rows[self._y][self._x - 1] += glyph
