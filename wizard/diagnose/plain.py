"""Lines as the rules expect them: without what a tool put before them, and in English.

What is shown to somebody stays as it stands in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from wizard.knowledge.causes import load_phrases, load_prefixes

SERVICE_LINES = 3
"""A table does not say the same in its first cells."""
SERVICES_MOST = 20
SERVICE = re.compile(rb"^([\w.-]{1,60} +\| )", re.MULTILINE)
JSON_LOG = re.compile(r'\{"log":"(.*?)(?:\\r)?(?:\\n)?","(?:stream|attrs|time)"')
"""A line in Docker's own log file."""


def plain(line: str) -> str:
    """The line itself, in the English of the programs."""
    if line.startswith("{") and (inner := JSON_LOG.match(line)):
        line = inner[1].replace('\\"', '"')
    found = _prefix().match(line)
    bare = line[found.end() :] if found else line
    return _phrases().sub(lambda part: load_phrases()[part[0]], bare.replace("\u2019", "'"))


def undressed(text: bytes) -> bytes:
    """A short text without what stands before each of its lines, and not indented as a whole."""
    services = Counter(SERVICE.findall(text))
    for name, count in services.most_common(SERVICES_MOST):
        if count >= SERVICE_LINES:
            text = re.sub(rb"(?m)^" + re.escape(name), b"", text)
    text = re.sub(rb"(?m)^" + load_prefixes().encode(), b"", text)
    lines = [line for line in text.split(b"\n") if line.strip()]
    margins = [line[: len(line) - len(line.lstrip(b" \t"))] for line in lines]
    first, last = min(margins, default=b""), max(margins, default=b"")
    differing = (n for n, byte in enumerate(first) if byte != last[n])
    margin = first[: next(differing, len(first))]
    return re.sub(rb"(?m)^" + re.escape(margin), b"", text) if margin else text


@cache
def _prefix() -> re.Pattern[str]:
    return re.compile(load_prefixes())


@cache
def _phrases() -> re.Pattern[str]:
    longest_first = sorted(load_phrases(), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))
