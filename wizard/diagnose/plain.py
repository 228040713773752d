"""Lines as the rules expect them: without what a tool put before them, and in English.

What is shown to somebody stays as it stands in the text.
"""

from __future__ import annotations

import re
from functools import cache

from wizard.knowledge.phrases import load_phrases

PREFIX = re.compile(
    r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6,9}Z(?: \d\d[OE]\+?)? )?"  # runners, docker logs -t
    r"(?:##?\[(?:error|warning|debug|command|group|endgroup|section)\])?"  # GitHub, Azure
    r"(?:[\w.-]{1,60}[-_]\d{1,3} +\| ?)?"  # docker compose
    r"(?:#\d{1,4} (?:\d{1,5}\.\d{1,3} )?|\d{1,4}\.\d{2,3} (?=\s*\S))?"  # docker build
    r"(?:\[(?!drm|pip3|conda|gfxhub|mmhub|amdgpu|kfd)[a-z][a-z0-9_./ -]{0,30}\]:? (?=\S))?"
)
"""What containers, runners and launchers of several processes put before each line."""


JSON_LOG = re.compile(r'\{"log":"(.*?)(?:\\r)?(?:\\n)?","(?:stream|attrs|time)"')
"""A line in Docker's own log file."""


def plain(line: str) -> str:
    """The line itself, in the English of the programs."""
    if line.startswith("{") and (inner := JSON_LOG.match(line)):
        line = inner[1].replace('\\"', '"')
    found = PREFIX.match(line)
    bare = line[found.end() :] if found else line
    return _phrases().sub(lambda part: load_phrases()[part[0]], bare.replace("\u2019", "'"))


@cache
def _phrases() -> re.Pattern[str]:
    longest_first = sorted(load_phrases(), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))
