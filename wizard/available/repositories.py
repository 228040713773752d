"""Whether a repository of packages has a suite of a ROCm release."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from wizard.available.answers import Standing
from wizard.available.questions import Suites
from wizard.available.requests import PORTAL, Deadline, Found, beginning_of
from wizard.run.downloads.web import Web

BEGINNING_BYTES = 4096
SIGNED = b"-----BEGIN PGP SIGNED MESSAGE-----"
FIELDS = re.compile(rb"^(Origin|Label|Suite|Codename|Components|Architectures):", re.MULTILINE)
FINAL = (Standing.NO_NETWORK, Standing.SLOW, Standing.UNTRUSTED, Standing.OTHER)
"""What the same server would answer for any other file."""


def in_repository(question: Suites, web: Web, deadline: Deadline) -> Found:
    """The first suite that is there; else what stood in the way of seeing one."""
    suites = " or ".join(question.suites)
    found: Found = (Standing.ABSENT, f"{question.place} has no suite {suites}.")
    for suite in question.suites:
        one = _suite(f"{question.place}/dists/{suite}", suite, web, deadline)
        if one[0] is Standing.THERE or one[0] in FINAL:
            return one
        if one[0] is not Standing.ABSENT:
            found = one
    return found


def _suite(place: str, suite: str, web: Web, deadline: Deadline) -> Found:
    found: Found = (Standing.ABSENT, "")
    for name in ("InRelease", "Release"):
        beginning = beginning_of(web, f"{place}/{name}", BEGINNING_BYTES, deadline)
        if isinstance(beginning, bytes):
            return _judged(beginning, place, suite, name)
        found = beginning
        if found[0] in FINAL:
            break
    return found


def _judged(beginning: bytes, place: str, suite: str, name: str) -> Found:
    if beginning.lstrip().startswith(SIGNED) or FIELDS.search(beginning):
        return Standing.THERE, f"Suite {suite}, by its file {name}."
    host = urlsplit(place).hostname
    return Standing.OTHER, f"{host} sent something that is no {name}. {PORTAL}"
