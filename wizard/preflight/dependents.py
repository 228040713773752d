"""Which packages could not come back without others: by what dpkg's list says that they need."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from wizard.machine.apt.entries import Paragraph, paragraphs
from wizard.preflight.archive_records import qualified

WISH = re.compile(r"\s*(?P<name>[a-z0-9][a-z0-9+.-]*)(?::[a-z0-9-]+)?\s*(?P<version>\([^)]*\))?")
ABSENT = ("not-installed", "config-files")


@dataclass(frozen=True, slots=True)
class Wish:
    """One package that would do."""

    name: str
    versioned: bool


def dependents(status: str, lost: Collection[str], kept: Collection[str]) -> frozenset[str]:
    """Names of the kept packages that need a lost one, themselves or by what they need.

    ``status`` is dpkg's list. What nothing meets now either is no loss.
    """
    rows = [fields for _, fields in paragraphs(status) if _is_there(fields)]
    needs = {qualified(row): tuple(_needs(row)) for row in rows if qualified(row) in kept}
    offers = {qualified(row): frozenset(_offers(row)) for row in rows}
    before = frozenset().union(*offers.values())
    gone = set(lost)
    while True:
        there = frozenset().union(*(found for name, found in offers.items() if name not in gone))
        more = {
            name
            for name, groups in needs.items()
            if name not in gone and any(_is_lost(group, before, there) for group in groups)
        }
        if not more:
            return frozenset(gone - set(lost))
        gone |= more


def _is_lost(group: tuple[Wish, ...], before: frozenset[Wish], there: frozenset[Wish]) -> bool:
    return not before.isdisjoint(group) and there.isdisjoint(group)


def _is_there(fields: Paragraph) -> bool:
    words = fields.get("status", "").split()
    return "package" in fields and len(words) == 3 and words[2] not in ABSENT


def _needs(fields: Paragraph) -> Iterator[tuple[Wish, ...]]:
    """Groups of packages of which one must be there."""
    for field in ("pre-depends", "depends"):
        for group in fields.get(field, "").split(","):
            if wishes := tuple(_wishes(group.split("|"))):
                yield wishes


def _offers(fields: Paragraph) -> Iterator[Wish]:
    """What it meets: a name that it only provides without a version meets no wish for one."""
    yield from (Wish(fields["package"].strip(), versioned) for versioned in (False, True))
    for wish in _wishes(fields.get("provides", "").split(",")):
        yield Wish(wish.name, versioned=False)
        if wish.versioned:
            yield wish


def _wishes(texts: Iterable[str]) -> Iterator[Wish]:
    for text in texts:
        if found := WISH.match(text):
            yield Wish(found["name"], found["version"] is not None)
