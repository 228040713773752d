"""An archive's own words: which indexes a suite has, which packages a set of them takes along."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wizard.machine.apt.entries import Paragraph, paragraphs

INDEX = re.compile(r"main/binary-(?:amd64|all)/Packages(?:\.gz|\.xz|\.bz2)?")
NAME = re.compile(r"\s*([a-z0-9][a-z0-9+.-]+)")
PLAIN_PATH = re.compile(r"(?!.*(?:^|/)\.\.?(?:/|$))[A-Za-z0-9+~._-]+(?:/[A-Za-z0-9+~._-]+)*")
SHA256 = re.compile(r"[0-9a-f]{64}")
LONGEST_SIZE = 15
"""Digits; no file is as big as what has more."""


@dataclass(frozen=True, slots=True)
class Named:
    """A file that an index names: where it lies, its hash, and how big it is."""

    path: str
    sha256: str
    size: int = 0
    """In bytes; 0 where the index does not tell."""


@dataclass(frozen=True, slots=True)
class Package:
    """One package of the index."""

    name: str
    file: Named
    needs: tuple[tuple[str, ...], ...]
    """Names that it depends on; of each alternatives, one of which serves."""
    provides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """What a set of packages takes."""

    packages: tuple[Package, ...]
    elsewhere: tuple[str, ...]
    """Names that this archive does not have, each with what may stand for it."""


def indexes_in(release: str) -> tuple[Named, ...]:
    """The indexes of packages that InRelease names, in every form: apt takes the one it likes."""
    inside, found = False, []
    for line in release.splitlines():
        if not line.startswith(" "):
            inside = line.strip().lower() == "sha256:"
            continue
        words = line.split()
        if inside and len(words) == 3 and INDEX.fullmatch(words[2]) and SHA256.fullmatch(words[0]):
            found.append(Named(words[2], words[0], _size(words[1])))
    return tuple(found)


def packages_in(index: str) -> tuple[Package, ...]:
    """Every package of an index whose file and hash it tells in plain words."""
    return tuple(filter(None, (_package(fields) for _, fields in paragraphs(index))))


def taken_by(names: Iterable[str], packages: Iterable[Package]) -> Taken:
    """These packages and what they depend on, as far as this archive has it."""
    by_name: dict[str, list[Package]] = {}
    for package in packages:
        for name in (package.name, *package.provides):
            by_name.setdefault(name, []).append(package)
    taken: dict[str, Package] = {}
    elsewhere = set[str]()
    waiting: list[tuple[str, ...]] = [(name,) for name in names]
    while waiting:
        either = waiting.pop()
        found = next((by_name[name] for name in either if name in by_name), None)
        if found is None:
            elsewhere.add(" | ".join(either))
            continue
        for package in found:
            if package.file.path not in taken:
                taken[package.file.path] = package
                waiting += package.needs
    return Taken(tuple(taken[path] for path in sorted(taken)), tuple(sorted(elsewhere)))


def _package(fields: Paragraph) -> Package | None:
    name, path = fields.get("package", "").strip(), fields.get("filename", "").strip()
    sha256 = fields.get("sha256", "").strip().lower()
    if not (name and PLAIN_PATH.fullmatch(path) and SHA256.fullmatch(sha256)):
        return None
    needs = (*_relations(fields.get("pre-depends", "")), *_relations(fields.get("depends", "")))
    provides = tuple(each[0] for each in _relations(fields.get("provides", "")))
    file = Named(path.removeprefix("./"), sha256, _size(fields.get("size", "").strip()))
    return Package(name, file, needs, provides)


def _size(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_SIZE else 0


def _relations(text: str) -> Iterator[tuple[str, ...]]:
    for group in text.replace("\n", " ").split(","):
        names = [found[1] for each in group.split("|") if (found := NAME.match(each))]
        if names:
            yield tuple(names)
