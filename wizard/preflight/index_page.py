"""The page of a package index: which files it lists, and which of them fit."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from urllib.parse import unquote, urljoin, urlsplit

from packaging.requirements import Requirement
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version

LINK = re.compile(r"<a\b[^>]*?\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
IS_INDEX = re.compile(r"pypi:repository-version|<title>\s*Links for ", re.IGNORECASE)
"""What pages of an index carry that list nothing."""
OLDER_NAMES = ("manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64", "linux_x86_64")
"""Every C library that a stack runs on is newer than these ask for."""
NEWEST_GLIBC = 99


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
    here = [each for each in wheels if each.tags & _tags_of(python, glibc)]
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


@cache
def _tags_of(python: str, glibc: str) -> frozenset[Tag]:
    """What a CPython of that minor version takes on a PC; a C library that is not known counts
    as new."""
    major, _, minor = python.partition(".")
    version, here = (int(major), int(minor)), re.match(r"2\.(\d+)", glibc)
    newest = int(here[1]) if here else NEWEST_GLIBC
    platforms = (*(f"manylinux_2_{each}_x86_64" for each in range(newest, 4, -1)), *OLDER_NAMES)
    own = cpython_tags(version, [f"cp{major}{minor}"], platforms)
    return frozenset((*own, *compatible_tags(version, f"cp{major}{minor}", platforms)))
