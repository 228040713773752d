"""Forms of lines in pasted texts: kinds of output, values, mentions, and errors of any kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from wizard.knowledge.tables import read_table

TABLE = "text_lines.toml"
OF = ("kernel", "program")
"""Where errors come from, by their form."""


@dataclass(frozen=True, slots=True)
class Value:
    """A form in which lines tell a value."""

    id: str
    """Of what, for example ``torch``."""
    anchors: tuple[str, ...]
    """Fixed strings of which one is in every line that the pattern fits."""
    pattern: re.Pattern[str]
    """With a group ``value``, and with some a ``name``."""
    unless: str
    """The mention that the line must not be; ``""`` for none."""


@cache
def load_kinds() -> dict[str, re.Pattern[str]]:
    """The lines by which each kind of output is known."""
    rows = read_table(TABLE)["kind"]
    return {row["id"]: re.compile("|".join(row["pattern"]), re.MULTILINE) for row in rows}


@cache
def load_prefixes() -> str:
    """One pattern for all that tools put before a line."""
    return "".join(f"(?:{row['pattern']})?" for row in read_table(TABLE)["prefix"])


@cache
def load_beginning() -> re.Pattern[str]:
    """How a line begins, after its blanks, that goes on no other."""
    (row,) = read_table(TABLE)["beginning"]
    return re.compile("|".join(row["pattern"]))


@cache
def load_mentions() -> dict[str, re.Pattern[str]]:
    """Ways to speak of a message or a setting, by their names."""
    return {row["id"]: re.compile("|".join(row["pattern"])) for row in read_table(TABLE)["mention"]}


@cache
def load_line_mentions() -> tuple[re.Pattern[str], ...]:
    """Those that make a whole line one that only speaks of something."""
    rows = read_table(TABLE)["mention"]
    return tuple(load_mentions()[row["id"]] for row in rows if row.get("of") == "line")


@cache
def load_values() -> tuple[Value, ...]:
    """All forms of values, in the order in which they are looked for."""
    return tuple(
        Value(
            row["id"],
            tuple(row["anchors"]),
            re.compile("|".join(row["pattern"])),
            row.get("unless", ""),
        )
        for row in read_table(TABLE)["value"]
    )


@cache
def load_errors() -> dict[str, re.Pattern[str]]:
    """The forms of errors: of the ``kernel``, and of a ``program``."""
    rows = read_table(TABLE)["error"]
    forms = {of: [f for row in rows if row["of"] == of for f in row["pattern"]] for of in OF}
    return {of: re.compile("|".join(patterns)) for of, patterns in forms.items()}


@cache
def error_anchors() -> frozenset[str]:
    """Fixed strings of which one is in every line that is an error."""
    return frozenset(anchor for row in read_table(TABLE)["error"] for anchor in row["anchors"])
