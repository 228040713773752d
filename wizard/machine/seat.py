"""Reads whether somebody is logged in at the screen of this machine, from logind's files."""

from __future__ import annotations

import re

from wizard.host.host import Host
from wizard.machine.facts import Fact, Unknown

RUN = "/run/systemd"
SEAT = f"{RUN}/seats/seat0"
SESSION = re.compile(r"[A-Za-z0-9]{1,32}")
"""What logind allows in the name of a session; a name is part of a path here."""
SESSION_LIMIT = 20


def seat_in_use(host: Host) -> Fact[bool]:
    """True when a user, and not only a login screen, has a session at the first seat."""
    text = host.read(SEAT)
    if isinstance(text, Unknown):
        return Unknown("logind reports no seat")
    seat = _pairs(text)
    names = dict.fromkeys((seat.get("ACTIVE", ""), *seat.get("SESSIONS", "").split()))
    sessions = [name for name in names if SESSION.fullmatch(name)][:SESSION_LIMIT]
    return any(_is_users(host, name) for name in sessions)


def _is_users(host: Host, name: str) -> bool:
    """Classes are ``user``, ``user-early`` and the like, beside ``greeter`` and ``lock-screen``."""
    text = host.read(f"{RUN}/sessions/{name}")
    return isinstance(text, str) and _pairs(text).get("CLASS", "").startswith("user")


def _pairs(text: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}
