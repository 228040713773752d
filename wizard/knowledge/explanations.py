"""Explanations: what the words mean and why things are so, as texts in ``assets/explain``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assets import FOLDER

LAST = 99
"""Where a topic stands that names no place."""
FIELD = re.compile(r"(place|short|date): (.+)")
SOURCES = "## Sources"


@dataclass(frozen=True, slots=True)
class Explanation:
    """One topic, a screen or two of plain words."""

    id: str
    """The name of its file, and the word for the command line."""
    title: str
    short: str
    """What it is about, in one line."""
    date: str
    """When its facts were last looked at."""
    body: tuple[str, ...]
    """Lines of Markdown, without title and sources."""
    sources: tuple[str, ...]
    """Lines of Markdown: where a reader can see for themselves."""
    place: int = LAST


@cache
def load_explanations() -> tuple[Explanation, ...]:
    """All topics, in their order; a file more in the folder is a topic more."""
    found = (read_explanation(path) for path in (FOLDER / "explain").glob("*.md"))
    return tuple(sorted(found, key=lambda topic: (topic.place, topic.id)))


def read_explanation(path: Path) -> Explanation:
    """A file of ours: title, then fields, then text, then sources."""
    title, *lines = path.read_text("utf-8").rstrip().split("\n")
    fields = {found[1]: found[2] for line in lines[:6] if (found := FIELD.fullmatch(line))}
    text = [line for line in lines if not FIELD.fullmatch(line)]
    cut = text.index(SOURCES) if SOURCES in text else len(text)
    return Explanation(
        id=path.stem,
        title=title.removeprefix("# "),
        short=fields.get("short", ""),
        date=fields.get("date", ""),
        body=_trimmed(text[:cut]),
        sources=_trimmed(text[cut + 1 :]),
        place=int(fields.get("place", LAST)),
    )


def _trimmed(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple("\n".join(lines).strip("\n").split("\n"))
