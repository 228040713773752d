"""Reads apt's preferences that bear on AMD's packages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.machine.apt.entries import paragraphs
from wizard.machine.facts import SystemFile

PREFERENCES = "/etc/apt/preferences"
NAME = re.compile(r"[\w.-]+(?<!\.)", re.ASCII)
"""apt reads names without an ending and those in ``.pref``."""
WORDS = re.compile(r"repo\.radeon\.com|\bamd\.com|rocm|amdgpu", re.IGNORECASE)
TEXT_LIMIT = 64 * 1024


def amd_pins(host: Host) -> Iterator[SystemFile]:
    """One for each file that prefers or refuses something of AMD's."""
    for path in _files(host):
        text = host.read(path)
        if isinstance(text, str) and (pins := list(_pins(text[:TEXT_LIMIT]))):
            yield SystemFile(path, "pin", "; ".join(pins[:3]))


def _files(host: Host) -> Iterator[str]:
    yield PREFERENCES
    names = host.names(f"{PREFERENCES}.d")
    for name in () if isinstance(names, Unknown) else names:
        if NAME.fullmatch(name) and (name.endswith(".pref") or "." not in name):
            yield f"{PREFERENCES}.d/{name}"


def _pins(text: str) -> Iterator[str]:
    for _, fields in paragraphs(text):
        package, pin, priority = (
            " ".join(fields.get(name, "").split())[:80]
            for name in ("package", "pin", "pin-priority")
        )
        if priority and (WORDS.search(pin) or WORDS.search(package)):
            yield f"priority {priority} for {package} ({pin})"
