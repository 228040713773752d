"""The page of a package index: which files it lists, and which of them fit."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit

from packaging.requirements import Requirement
from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version

LINK = re.compile(r"<a\b[^>]*?\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
IS_INDEX = re.compile(r"pypi:repository-version|<title>\s*Links for ", re.IGNORECASE)
"""What pages of an index carry that list nothing."""
MANYLINUX = re.compile(r"manylinux_(\d+)_(\d+)_x86_64\Z")
OLD_NAMES = {
    "manylinux1_x86_64": (2, 5),
    "manylinux2010_x86_64": (2, 12),
    "manylinux2014_x86_64": (2, 17),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A wheel that is listed."""

    file: str
    address: str
    version: Version
    tags: frozenset[Tag]


@dataclass(frozen=True, slots=True)
class Page:
    """What the page of one project lists."""

    is_index: bool
    """False for a page that lists no file and does not say that it is one of an index."""
    wheels: tuple[Listed, ...]


def read_page(text: str, address: str, project: str) -> Page:
    """The wheels of a project that a page lists; the address is where it came from."""
    links = [html.unescape(next(filter(None, found), "")) for found in LINK.findall(text)]
    named = [(_file_of(link), urljoin(address, link)) for link in links]
    wheels = tuple(_wheels(named, project))
    files = any(name.endswith((".whl", ".tar.gz", ".zip")) for name, _ in named)
    return Page(bool(wheels) or files or IS_INDEX.search(text) is not None, wheels)


def wheels_in(names: Iterable[str], project: str) -> tuple[Listed, ...]:
    """The wheels of a project among the files of a folder."""
    return tuple(_wheels(((name, "") for name in names), project))


def fitting(
    wheels: tuple[Listed, ...], wanted: Requirement, python: str, glibc: str
) -> tuple[Listed, ...]:
    """Those that a Python on a PC with this C library takes for a requirement, newest first.

    A version before its release counts where there is no other, as with pip: nightly indexes.
    """
    here = [each for each in wheels if any(_runs(tag, python, glibc) for tag in each.tags)]
    versions = set(wanted.specifier.filter(each.version for each in here))
    found = (each for each in here if each.version in versions)
    return tuple(sorted(found, key=lambda each: each.version, reverse=True))


def _file_of(link: str) -> str:
    return unquote(urlsplit(link).path).rpartition("/")[2]


def _wheels(named: Iterable[tuple[str, str]], project: str) -> Iterator[Listed]:
    for file, address in named:
        try:
            name, version, _, tags = parse_wheel_filename(file)
        except InvalidWheelFilename:
            continue
        if name == canonicalize_name(project):
            yield Listed(file, address, version, tags)


def _runs(tag: Tag, python: str, glibc: str) -> bool:
    return _for_python(tag, python) and _for_platform(tag.platform, glibc)


def _for_python(tag: Tag, python: str) -> bool:
    major, _, minor = python.partition(".")
    own = f"cp{major}{minor}"
    if tag.interpreter in (own, f"py{major}", f"py{major}{minor}"):
        return tag.abi in (own, "abi3", "none")
    earlier = re.fullmatch(rf"cp{major}(\d+)", tag.interpreter)
    return tag.abi == "abi3" and earlier is not None and int(earlier[1]) <= int(minor or 0)


def _for_platform(platform: str, glibc: str) -> bool:
    if platform in ("any", "linux_x86_64"):
        return True
    found = MANYLINUX.match(platform)
    needed = (int(found[1]), int(found[2])) if found else OLD_NAMES.get(platform)
    here = re.match(r"(\d+)\.(\d+)", glibc)
    return needed is not None and (here is None or needed <= (int(here[1]), int(here[2])))
