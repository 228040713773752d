"""What goes wrong, and how texts tell it.

Causes with their signs, errors of torch and of the kernel driver, forms of lines in pasted texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from wizard.knowledge.tables import read_rows, read_table, typed_rows


@dataclass(frozen=True, slots=True)
class Sign:
    """A kind of line, and what must or must not stand around it."""

    id: str
    """``cause#number``, or the name of a mark."""
    anchors: tuple[str, ...]
    """Fixed strings of which one is in every line that the pattern fits."""
    pattern: re.Pattern[str]
    confidence: str = "certain"
    unless: re.Pattern[str] | None = None
    near: re.Pattern[str] | None = None
    unless_near: re.Pattern[str] | None = None
    beside: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    versions: str = ""
    until: tuple[str, ...] = ()
    """Marks that tell, after it, that it is over."""

    @property
    def said(self) -> bool:
        """True where a line that only speaks of it is none."""
        return "#" in self.id or self.id == "hangs"


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that can be wrong."""

    id: str
    title: str
    meaning: str
    fix: tuple[str, ...]
    grade: str
    links: tuple[str, ...]
    status: str = "fault"
    """``fault``, or less for what does no harm."""
    suppresses: tuple[str, ...] = ()
    """Causes that this one explains."""
    only_rdna1: bool = False
    """True where meaning and fix would be wrong for another card."""


@cache
def load_causes() -> dict[str, Cause]:
    """All causes by id, root causes first."""
    causes = read_table("causes.toml")["cause"]
    rows = ({key: row[key] for key in row if key != "sign"} for row in causes)
    return {cause.id: cause for cause in typed_rows("causes.toml, cause", rows, Cause)}


@cache
def load_signs() -> dict[str, tuple[Sign, ...]]:
    """The signs of each cause, in their order: most of what is asked of causes needs none, and 200
    patterns take as long to compile as all else that ``detect`` does."""
    found = {}
    for row in read_table("causes.toml")["cause"]:
        signs = enumerate(row.get("sign", ()), 1)
        rows = ({"id": f"{row['id']}#{number}", **sign} for number, sign in signs)
        found[row["id"]] = typed_rows("causes.toml, cause", rows, Sign)
    return found


@cache
def load_marks() -> tuple[Sign, ...]:
    """What a text may tell beside its errors."""
    return read_rows("causes.toml", "mark", Sign)


@cache
def load_words() -> dict[str, tuple[bytes, ...]]:
    """Words of which one anywhere tells what a text is about."""
    rows = read_table("causes.toml")["word"]
    return {row["id"]: tuple(word.encode() for word in row["anchors"]) for row in rows}


@cache
def load_parts() -> dict[str, str]:
    """The title of the part of a machine of which each cause speaks."""
    rows = read_table("causes.toml")["parts"]
    return {cause: title for title, causes in rows.items() for cause in causes}


@dataclass(frozen=True, slots=True)
class ErrorText:
    """A kind of text with its cause."""

    id: str
    pattern: str
    cause: str
    remedy: str
    source: str
    suppresses: tuple[str, ...] = ()
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
    return read_rows("error_texts.toml", "text", ErrorText)


def known_text(said: str) -> KnownText | None:
    """The first kind that fits any line of what was said; None when nothing known is in it."""
    for kind in load_error_texts():
        pattern = re.compile(kind.pattern, re.IGNORECASE)
        for line in said.splitlines():
            if pattern.search(line):
                return KnownText(kind, line.strip())
    return None


@dataclass(frozen=True, slots=True)
class Message:
    """A kind of line that the driver writes."""

    id: str
    kind: str
    """``reset``, ``driver``, ``fault`` or ``harmless``."""
    pattern: str
    means: str
    source: str


@dataclass(frozen=True, slots=True)
class KernelLine:
    """A line of the log that is one of them."""

    message: Message
    line: str


@cache
def load_messages() -> tuple[Message, ...]:
    """All kinds, in the order in which they are tried."""
    return read_rows("kernel_messages.toml", "message", Message)


def known_lines(lines: Iterable[str]) -> tuple[KernelLine, ...]:
    """The lines of the driver among these, in their order; the first kind that fits counts."""
    kinds = [(kind, re.compile(kind.pattern, re.IGNORECASE)) for kind in load_messages()]
    found = []
    for line in lines:
        kind = next((kind for kind, pattern in kinds if pattern.search(line)), None)
        if kind is not None:
            found.append(KernelLine(kind, line))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Value:
    """A form in which lines tell a value."""

    id: str
    """Of what, for example ``torch``."""
    anchors: tuple[str, ...]
    """Fixed strings of which one is in every line that the pattern fits."""
    pattern: re.Pattern[str]
    """With a group ``value``, and with some a ``name``."""
    unless: str = ""
    """The mention that the line must not be; ``""`` for none."""


def _text_lines(of: str) -> list[dict[str, Any]]:
    """Rows of forms of lines, their alternatives as one pattern."""
    rows = read_table("text_lines.toml")[of]
    return [{**row, "pattern": "|".join(row["pattern"])} for row in rows]


@cache
def load_kinds() -> dict[str, re.Pattern[str]]:
    """The lines by which each kind of output is known."""
    return {row["id"]: re.compile(row["pattern"], re.MULTILINE) for row in _text_lines("kind")}


@cache
def load_prefixes() -> str:
    """One pattern for all that tools put before a line."""
    rows = read_table("text_lines.toml")["prefix"]
    return "".join(f"(?:{row['pattern']})?" for row in rows)


@cache
def load_beginning() -> re.Pattern[str]:
    """How a line begins, after its blanks, that goes on no other."""
    (row,) = _text_lines("beginning")
    return re.compile(row["pattern"])


@cache
def load_mentions() -> dict[str, re.Pattern[str]]:
    """Ways to speak of a message or a setting, by their names."""
    return {row["id"]: re.compile(row["pattern"]) for row in _text_lines("mention")}


@cache
def load_line_mentions() -> tuple[re.Pattern[str], ...]:
    """Those that make a whole line one that only speaks of something."""
    of_lines = (row["id"] for row in _text_lines("mention") if row.get("of") == "line")
    return tuple(load_mentions()[name] for name in of_lines)


@cache
def load_values() -> tuple[Value, ...]:
    """All forms of values, in the order in which they are looked for."""
    return typed_rows("text_lines.toml, value", _text_lines("value"), Value)


@cache
def load_errors() -> dict[str, re.Pattern[str]]:
    """The forms of errors: of the ``kernel``, and of a ``program``."""
    rows = _text_lines("error")
    return {
        of: re.compile("|".join(row["pattern"] for row in rows if row["of"] == of))
        for of in ("kernel", "program")
    }


@cache
def error_anchors() -> frozenset[str]:
    """Fixed strings of which one is in every line that is an error."""
    return frozenset(anchor for row in _text_lines("error") for anchor in row["anchors"])


@cache
def load_phrases() -> Mapping[str, str]:
    """English by the words of another language."""
    rows = read_table("phrases.toml")["phrase"]
    return {other: row["english"] for row in rows for other in row["other"]}
