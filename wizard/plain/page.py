"""What the plain road is printed on: lines of 79 columns, and nothing that moves a cursor."""

from __future__ import annotations

import io
import re
import shutil
import textwrap
from collections.abc import Iterator
from typing import TextIO

from wizard.core.lines import clean
from wizard.report.machine import WIDTH

DEEPER = 4
"""How much further in a line begins that goes on with the one above."""
SHELL = "$ "
GOES_ON = " \\"
COMMENT = "  # "
"""What stands between a command and what is said of it."""
_BAR = re.compile("[━╸╺█░]{3}")
"""Of a bar that another program draws: it says nothing to who hears it or reads it with fingers."""
_WORDS = re.compile(r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+")


class Page(io.TextIOBase):
    """A stream on which every long line is folded, and escapes and carriage returns are lost."""

    def __init__(self, below: TextIO) -> None:
        super().__init__()
        self._below = below
        self._open = ""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the stream below: ``input`` asks for it."""
        return self._below.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What the stream below does with what it cannot write."""
        return self._below.errors

    def writable(self) -> bool:
        """True: that is what it is for."""
        return True

    def isatty(self) -> bool:
        """True where the stream below is a terminal."""
        return self._below.isatty()

    def fileno(self) -> int:
        """The descriptor of the stream below."""
        return self._below.fileno()

    def write(self, text: str) -> int:
        """Takes text; a line is passed on when it is whole."""
        *whole, self._open = (self._open + text).split("\n")
        for line in whole:
            if _BAR.search(line):
                continue
            self._below.writelines(f"{part}\n" for part in folded(clean(line)))
        return len(text)

    def flush(self) -> None:
        """Passes a question on, behind which the answer is typed; that ends its line."""
        if self._open:
            self._below.write(clean(self._open))
            self._open = ""
        self._below.flush()


def paragraph(text: str) -> str:
    """The text in lines as wide as the page, or as a terminal that is narrower."""
    return textwrap.fill(text, min(WIDTH, shutil.get_terminal_size().columns))


def folded(line: str, width: int = WIDTH) -> Iterator[str]:
    """A line in parts that fit; a word is never cut: half a path or an address is none."""
    if len(line) <= width:
        yield line
        return
    text = line.lstrip()
    margin = " " * (len(line) - len(text))
    deeper = margin + " " * DEEPER
    if text.startswith(SHELL):
        yield from _command(text, margin, deeper, width - len(GOES_ON))
        return
    yield from textwrap.wrap(
        line,
        width,
        subsequent_indent=deeper,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )


def _command(text: str, margin: str, deeper: str, width: int) -> Iterator[str]:
    """A command for a shell, which it still is when it is copied whole, with its comment."""
    command, _, comment = text.partition(COMMENT)
    line = ""
    for word in _WORDS.findall(command):
        longer = f"{line} {word}" if line else margin + word
        if line and len(longer) > width:
            yield line + GOES_ON
            longer = deeper + word
        line = longer
    yield line
    yield from textwrap.wrap(
        comment,
        width,
        initial_indent=f"{deeper}# ",
        subsequent_indent=f"{deeper}# ",
        break_long_words=False,
        break_on_hyphens=False,
    )
