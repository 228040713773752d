"""Which values of settings are facts: numbers, switches, chips, folders; no other leaves."""

from __future__ import annotations

import ipaddress
import re

from wizard.knowledge.variables import NODE_NUMBER, known_names
from wizard.redaction.rules import tells
from wizard.redaction.secrets import SECRET, is_chance, tells_a_secret

HIDDEN = "(not told)"
SWITCH = re.compile(
    r"-?[0-9][0-9.,:]{0,39}"
    r"|(?i:on|off|yes|no|true|false|enabled?|disabled?|none|normal|fast|hybrid|dynamic_hybrid"
    r"|fast_hybrid|db_update|search|search_db_update|db_clean|amd)"
    r"|gfx[0-9a-f]{3,5}(?:[;,]gfx[0-9a-f]{3,5})*"
    r"|(?:Conv|Gemm|Bwd|Fwd|Direct|Winograd|fft)[A-Za-z0-9]{0,60}"
)
"""Values that are words of the programs themselves, and numbers."""
TOLD_BEFORE_TABLE = re.compile(r"MIOPEN_(?:DEBUG|FIND|LOG|ENABLE|DISABLE)_[A-Z0-9_]{1,60}")
"""Switches of MIOpen: hundreds of names, of which our table explains some."""
_PLACE = r"(?:(?:[/~.]|\$\w|\$\{[\w:+$-]{0,80}\})[^:;|<>\"'`\n]*)?"
PLACES = re.compile(rf"{_PLACE}(?:[:;]{_PLACE})*")
"""Folders and files, and references to other variables."""
WORD = re.compile(r"[\w.,:;+=\"' -]{0,40}")


def is_known(name: str) -> bool:
    """True for a variable that a released program reads."""
    known = known_names()
    numbered = NODE_NUMBER.sub("_N", name)
    return name in known or numbered in known or TOLD_BEFORE_TABLE.fullmatch(name) is not None


def told_value(name: str, value: str) -> str:
    """The value of a variable where its form is known, else what stands in its place."""
    if SWITCH.fullmatch(value):
        return HIDDEN if _is_address(value) else value
    if tells_a_secret(name):
        return SECRET if tells(value) else value
    if PLACES.fullmatch(value) or (is_known(name) and WORD.fullmatch(value)):
        chance = any(map(is_chance, re.split(r"[/:;]", value)))
        return HIDDEN if chance else value
    return value if value == HIDDEN else HIDDEN


def _is_address(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return not value.isdecimal()
