"""Program output as clean lines, however its chunks were cut."""

from __future__ import annotations

import codecs
import re
import textwrap
from collections.abc import Iterable

LONGEST_LINE = 4_000
"""Characters kept of one line: a program may print megabytes without a line end."""
WIDTH = 79
"""Columns of our plain text."""

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor moves
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: titles, links, clipboard
    r"|[PX^_][^\x1b]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|[ -/]*[0-~])"
)
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"
    r"\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # other lines, other order
)


def clean(text: str) -> str:
    """The text without escape sequences and control characters; tabs become spaces."""
    if text.isprintable():
        return text  # nearly every line: a long log is cleaned in a third of the time
    return _CONTROLS.sub("", _ESCAPES.sub("", text).expandtabs(8))


def beginning(text: str, most: int) -> str:
    """At most so many characters of a text, without half a word: it may be half of a secret."""
    if len(text) <= most:
        return text
    whole = text[: most + 1].rpartition(" ")[0].rstrip()
    return whole or text[:most]


def shown(text: str) -> str:
    """Text from outside on one line, without control characters."""
    return " ".join(clean(text).split())


def cut(text: str, cells: int) -> str:
    """The text in at most so many columns; what is missing is marked."""
    return text if len(text) <= cells else f"{text[: cells - 1]}…"


def wrapped(text: str, width: int = WIDTH, head: str = "", indent: str | None = None) -> list[str]:
    """The text in lines that steer no terminal: ``head`` before the first, and ``indent``, else
    as many blanks, before each other.

    A word is not cut, for half of a path, an option or an address is none; but a panel that is
    narrower than a page has no room for the longest.
    """
    return textwrap.wrap(
        clean(text),
        width,
        initial_indent=head,
        subsequent_indent=" " * len(head) if indent is None else indent,
        break_on_hyphens=False,
        break_long_words=width < WIDTH,
    )


def clean_lines(text: str) -> str:
    """Every line of a text without escape sequences and control characters."""
    return "\n".join(map(clean, text.splitlines()))


class Lines:
    """Cuts chunks of bytes into lines; a carriage return ends a line too."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._open = ""

    def feed(self, chunk: bytes, *, final: bool = False) -> tuple[str, ...]:
        """The lines that this chunk completed; with ``final``, the open one too."""
        text = self._open + self._decoder.decode(chunk, final)
        # A lone CR at the very end may be half of a CRLF: it waits for the next chunk.
        held = "\r" if text.endswith("\r") and not final else ""
        body = text[: len(text) - len(held)].replace("\r\n", "\n").replace("\r", "\n")
        *complete, rest = body.split("\n")
        if final and rest:
            complete, rest = [*complete, rest], ""
        self._open = rest[-LONGEST_LINE:] + held
        return tuple(line for line in _all_clean(complete) if line)


def _all_clean(lines: list[str]) -> Iterable[str]:
    if "".join(lines).isprintable() and max(map(len, lines), default=0) <= LONGEST_LINE:
        return lines  # nearly always: to look at each line takes longer
    return (clean(line)[:LONGEST_LINE] for line in lines)
