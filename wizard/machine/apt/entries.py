"""Understands the two formats of apt's sources: one line an entry, and deb822 paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TYPES = ("deb", "deb-src")
OPTIONS = re.compile(r"\[([^\]]*)\]\s*")
WORD = re.compile(r'(?:\[[^\]]*\]|"[^"]*"|[^\s\["])+')
"""A bracket or quotes may hold spaces: ``cdrom:[Ubuntu 24.04 LTS - Release amd64]/``."""
COMMENT = re.compile(r"(?P<kept>(?:\[[^\]]*\]|[^#])*)(?:#.*)?", re.DOTALL)
"""A hash inside brackets begins no comment."""
LINE_LIMIT = 1000
"""Longer is no entry; and brackets that nobody closes are looked for again and again."""
OFF = ("no", "false", "without", "off", "disable", "0")
"""What apt takes for no."""
INLINE_KEY = "a key in the entry"

Paragraph = dict[str, str]
"""Field names in lower case, and values with their folded lines."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it stands in a file."""

    line: int
    types: tuple[str, ...]
    uris: tuple[str, ...]
    suites: tuple[str, ...]
    components: tuple[str, ...]
    signed_by: str
    enabled: bool


def line_entries(text: str) -> Iterator[Entry]:
    """Entries of a ``.list`` file; one that is commented out is none."""
    for number, line in enumerate(text.split("\n"), 1):
        kept = COMMENT.match(line[:LINE_LIMIT])
        kind, rest = (*(kept["kept"] if kept else "").split(None, 1), "", "")[:2]
        if kind in TYPES and (entry := _line_entry(number, kind, rest)):
            yield entry


def _line_entry(number: int, kind: str, rest: str) -> Entry | None:
    options = OPTIONS.match(rest)
    words = [word.strip('"') for word in WORD.findall(rest[options.end() :] if options else rest)]
    if len(words) < 2 or words[0].startswith("[") or (rest.startswith("[") and not options):
        return None
    return Entry(
        line=number,
        types=(kind,),
        uris=(words[0],),
        suites=(words[1],),
        components=tuple(words[2:]),
        signed_by=_option(options[1] if options else "", "signed-by"),
        enabled=True,
    )


def _option(options: str, name: str) -> str:
    pairs = (option.partition("=") for option in options.split())
    return next((value for key, _, value in pairs if key.lower() == name), "")


def deb822_entries(text: str) -> Iterator[Entry]:
    """Entries of a ``.sources`` file.

    Not by python-debian: it does not tell the line of an entry, and importing it takes half as
    long as starting Python with psutil.
    """
    for number, fields in paragraphs(text):
        types = tuple(fields.get("types", "").split())
        uris, suites = fields.get("uris", "").split(), fields.get("suites", "").split()
        if uris and suites and any(kind in TYPES for kind in types):
            yield Entry(
                line=number,
                types=types,
                uris=tuple(uris),
                suites=tuple(suites),
                components=tuple(fields.get("components", "").split()),
                signed_by=_signed_by(fields.get("signed-by", "")),
                enabled=fields.get("enabled", "yes").strip().lower() not in OFF,
            )


def paragraphs(text: str) -> Iterator[tuple[int, Paragraph]]:
    """The paragraphs of a deb822 text, each with the line of its first field."""
    start, field, fields = 0, "", Paragraph()
    for number, line in enumerate((*text.split("\n"), ""), 1):
        if line.startswith("#"):
            continue
        if not line.strip("\r"):  # to apt, spaces alone continue the field above
            if fields:
                yield start, fields
            start, field, fields = 0, "", {}
        elif line[0] in " \t":
            if field:
                fields[field] += f"\n{line}"
        else:
            name, _, value = line.partition(":")
            field, start = name.strip().lower(), start or number
            fields[field] = value


def _signed_by(value: str) -> str:
    return INLINE_KEY if "BEGIN PGP" in value else " ".join(value.split())
