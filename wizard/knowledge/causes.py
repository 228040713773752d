"""Causes of what goes wrong, the lines by which each is known, and what mends it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from wizard.knowledge.tables import read_table


@dataclass(frozen=True, slots=True)
class Sign:
    """A kind of line, and what must or must not stand around it."""

    id: str
    """``cause#number``, or the name of a mark."""
    anchors: tuple[str, ...]
    """Fixed strings of which one is in every line that the pattern fits."""
    pattern: re.Pattern[str]
    confidence: str
    unless: re.Pattern[str] | None
    near: re.Pattern[str] | None
    unless_near: re.Pattern[str] | None
    beside: tuple[str, ...]
    without: tuple[str, ...]
    versions: str
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
    status: str
    """``fault``, or less for what does no harm."""
    meaning: str
    fix: tuple[str, ...]
    grade: str
    links: tuple[str, ...]
    suppresses: tuple[str, ...]
    """Causes that this one explains."""
    only_rdna1: bool
    """True where meaning and fix would be wrong for another card."""
    signs: tuple[Sign, ...]


@cache
def load_causes() -> dict[str, Cause]:
    """All causes by id, root causes first."""
    return {row["id"]: _cause(row) for row in read_table("causes.toml")["cause"]}


@cache
def load_marks() -> tuple[Sign, ...]:
    """What a text may tell beside its errors."""
    return tuple(_sign(row["id"], row) for row in read_table("causes.toml")["mark"])


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


@cache
def load_signs() -> tuple[Sign, ...]:
    """The signs of all causes, in their order."""
    return tuple(sign for cause in load_causes().values() for sign in cause.signs)


def _cause(row: dict[str, Any]) -> Cause:
    signs = enumerate(row.get("sign", ()), 1)
    return Cause(
        id=row["id"],
        title=row["title"],
        status=row.get("status", "fault"),
        meaning=row["meaning"],
        fix=tuple(row["fix"]),
        grade=row["grade"],
        links=tuple(row["links"]),
        suppresses=tuple(row.get("suppresses", ())),
        only_rdna1=row.get("only_rdna1", False),
        signs=tuple(_sign(f"{row['id']}#{number}", sign) for number, sign in signs),
    )


def _sign(name: str, row: dict[str, Any]) -> Sign:
    return Sign(
        id=name,
        anchors=tuple(row["anchors"]),
        pattern=re.compile(row["pattern"]),
        confidence=row.get("confidence", "certain"),
        unless=_optional(row.get("unless")),
        near=_optional(row.get("near")),
        unless_near=_optional(row.get("unless_near")),
        beside=tuple(row.get("beside", ())),
        without=tuple(row.get("without", ())),
        versions=row.get("versions", ""),
        until=tuple(row.get("until", ())),
    )


def _optional(pattern: str | None) -> re.Pattern[str] | None:
    return re.compile(pattern) if pattern else None
