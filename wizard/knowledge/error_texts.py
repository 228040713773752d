"""Texts of errors that torch and the runtimes below it leave, and what is known to cause them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from wizard.knowledge.rows import read_rows


@dataclass(frozen=True, slots=True)
class ErrorText:
    """A kind of text with its cause."""

    id: str
    pattern: str
    cause: str
    remedy: str
    source: str
    suppresses: tuple[str, ...]
    """Kinds that follow from this one, and are not told beside it."""

    @property
    def explanation(self) -> str:
        """Cause and remedy as two sentences."""
        return f"Known cause: {self.cause}. {self.remedy}"


@dataclass(frozen=True, slots=True)
class KnownText:
    """A line that is one of them."""

    text: ErrorText
    line: str


@cache
def load_error_texts() -> tuple[ErrorText, ...]:
    """All kinds, in the order in which they are tried."""
    return read_rows("error_texts.toml", "text", ErrorText, {"suppresses": ()})


def known_text(said: str) -> KnownText | None:
    """The first kind that fits any line of what was said; None when nothing known is in it."""
    for kind in load_error_texts():
        pattern = re.compile(kind.pattern, re.IGNORECASE)
        line = next((line for line in said.splitlines() if pattern.search(line)), None)
        if line is not None:
            return KnownText(kind, line.strip())
    return None
