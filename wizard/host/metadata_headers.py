"""The headers of a distribution's METADATA or PKG-INFO, without the library for mail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

_NAME = re.compile(r"[!-9;-~]+:")
_GOES_ON = re.compile(r"\r?\n[ \t]+")


def header(text: str, name: str) -> str:
    """The first value of a header; ``""`` where there is none."""
    return next(header_values(text, name), "")


def header_values(text: str, name: str) -> Iterator[str]:
    """All values of a header in their order; what follows the headers is a description."""
    for line in takewhile(_NAME.match, _GOES_ON.sub(" ", text).split("\n")):
        key, _, value = line.partition(":")
        if key.lower() == name.lower():
            yield value.strip()
