"""What packages need: what nothing provides, as apt says, and who would miss one that goes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from wizard.apt.indexes import qualified
from wizard.apt.sources import Paragraph, paragraphs

HEAD = "The following packages have unmet dependencies:"
LINE = re.compile(
    r"(?: (?P<package>\S+) : +|  +)"
    r"(?:(?P<kind>PreDepends|Depends|Recommends|Suggests|Breaks|Conflicts): )?"
    r"(?P<name>[a-z0-9][a-z0-9+.:-]*)(?: \((?P<relation>[^)]*)\))?"
    r"(?: but (?P<why>.*?))?(?P<more> or)?"
)
NEEDS = ("Depends", "PreDepends")
NOWHERE = "not installable"
WISH = re.compile(r"\s*(?P<name>[a-z0-9][a-z0-9+.-]*)(?::[a-z0-9-]+)?\s*(?P<version>\([^)]*\))?")
ABSENT = ("not-installed", "config-files")


@dataclass(frozen=True, slots=True)
class Missing:
    """One package that would do."""

    name: str
    relation: str
    """For example ``= 1.0.0.50200-65``; ``""`` for any version."""
    why: str
    """apt's words, such as ``it is not installable``."""

    @property
    def nowhere(self) -> bool:
        """True when no source has it, rather than that something keeps it out."""
        return self.why.endswith(NOWHERE)


@dataclass(frozen=True, slots=True)
class Unmet:
    """A dependency of a package that nothing meets: any of ``missing`` would."""

    package: str
    missing: tuple[Missing, ...]


def unmet(lines: Iterable[str]) -> tuple[Unmet, ...]:
    """The dependencies that apt names; what is only recommended stands in nobody's way."""
    found: list[Unmet] = []
    package = kind = ""
    alternatives: list[Missing] = []
    for line in _block(lines):
        match = LINE.fullmatch(line.rstrip())
        if match is None:
            continue
        package = match["package"] or package
        kind = match["kind"] or kind
        alternatives.append(Missing(match["name"], match["relation"] or "", match["why"] or ""))
        if not match["more"]:
            if kind in NEEDS:
                found.append(Unmet(package, tuple(alternatives)))
            alternatives = []
    return tuple(found)


def _block(lines: Iterable[str]) -> Iterable[str]:
    inside = False
    for line in lines:
        if line.startswith(HEAD):
            inside = True
        elif inside and line.startswith(" "):
            yield line
        else:
            inside = False


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
            if manifest := tuple(_manifest(group.split("|"))):
                yield manifest


def _offers(fields: Paragraph) -> Iterator[Wish]:
    """What it meets: a name that it only provides without a version meets no wish for one."""
    yield from (Wish(fields["package"].strip(), versioned) for versioned in (False, True))
    for wish in _manifest(fields.get("provides", "").split(",")):
        yield Wish(wish.name, versioned=False)
        if wish.versioned:
            yield wish


def _manifest(texts: Iterable[str]) -> Iterator[Wish]:
    for text in texts:
        if found := WISH.match(text):
            yield Wish(found["name"], found["version"] is not None)
