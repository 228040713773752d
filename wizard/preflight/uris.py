"""Understands ``apt-get --print-uris``: what would be downloaded, from where, and how much."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

LINE = re.compile(r"'(?P<address>[^']+)' (?P<file>\S+) (?P<bytes>\d+)(?: (?P<hash>\w+:[0-9a-f]+))?")


@dataclass(frozen=True, slots=True)
class Download:
    """One file that apt would fetch."""

    address: str
    file: str
    bytes: int
    hash: str
    """For example ``SHA256:2e6e...``; older apt tells a weaker one here, and checks the best."""


def downloads(lines: Iterable[str]) -> tuple[Download, ...]:
    """The files; what lies in apt's cache already is not among them."""
    matches = (LINE.fullmatch(line.strip()) for line in lines)
    return tuple(
        Download(match["address"], match["file"], int(match["bytes"]), match["hash"] or "")
        for match in matches
        if match
    )
