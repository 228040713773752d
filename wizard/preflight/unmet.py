"""Understands why apt cannot install something: dependencies that nothing provides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

HEAD = "The following packages have unmet dependencies:"
LINE = re.compile(
    r"(?: (?P<package>\S+) : +|  +)"
    r"(?:(?P<kind>PreDepends|Depends|Recommends|Suggests|Breaks|Conflicts): )?"
    r"(?P<name>[a-z0-9][a-z0-9+.:-]*)(?: \((?P<relation>[^)]*)\))?"
    r"(?: but (?P<why>.*?))?(?P<more> or)?"
)
NEEDS = ("Depends", "PreDepends")
NOWHERE = "not installable"


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
