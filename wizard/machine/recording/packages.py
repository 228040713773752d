"""Reduces the list of installed packages to those that bear on ROCm and Python."""

from __future__ import annotations

import re

from wizard.apt.packages import NATIVE, is_rocm
from wizard.machine.facts import Machine
from wizard.machine.recording.disguise import Disguise

PYTHON = re.compile(r"(?:lib)?python3(?:\.\d+)?(?:-venv|-pip|-minimal|-full)?")
INSTALLED = ("", "ii", "hi")
KNOWN_MAKER = re.compile(
    r"\b(?:amd\.com|advanced micro devices|debian\.org|ubuntu\.com|fedoraproject|fedora project"
    r"|linuxmint\.com)",
    re.IGNORECASE,
)


def kept_rows(listing: str, machine: Machine, disguise: Disguise) -> list[str]:
    """Rows of ROCm, of Python, and of everything that is not fully installed."""
    packages = machine.rocm_packages if isinstance(machine.rocm_packages, tuple) else ()
    named = {package.name for package in packages}
    rows = (line.split("\t") for line in listing.splitlines())
    matter = (row for row in rows if len(row) > 1 and (_name(row) in named or _matters(row)))
    return ["\t".join(_cells(row, disguise)) for row in matter]


def _matters(row: list[str]) -> bool:
    state = row[2].strip() if len(row) > 2 else ""
    removed = state[1:2] in ("n", "c")
    unfinished = state not in INSTALLED and not removed
    return unfinished or is_rocm(row[0]) or PYTHON.fullmatch(_name(row)) is not None


def _name(row: list[str]) -> str:
    return row[0].removesuffix(NATIVE)


def _cells(row: list[str], disguise: Disguise) -> list[str]:
    """Name, version, state and maker; of the maker the words that everybody knows."""
    makers = [" ".join(KNOWN_MAKER.findall(maker)) for maker in row[3:4]]
    return [*map(disguise.text, row[:3]), *makers]
