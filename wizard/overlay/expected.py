"""What is not as before after a way back, and why that is right."""

from __future__ import annotations

import re

REASONS = (
    (r"/var/log/.*", "a log: it records both directions"),
    (r"/var/cache/.*", "a cache: made again when it is needed"),
    (r"/etc/ld\.so\.cache", "the loader's cache: made again by ldconfig"),
    (r"/var/lib/dpkg/(?:status|available|diversions|statoverride)-old", "dpkg's earlier copy"),
    (r"/etc/(?:group|gshadow|passwd|shadow|subuid|subgid)-", "an earlier copy of the accounts"),
    (
        r"/var/lib/dpkg/(?:status|available)",
        "dpkg's list: its packages are compared individually",
    ),
    (r"/var/lib/dpkg/lock(?:-frontend)?|/var/lib/dpkg/triggers/Lock", "a lock, empty"),
    (r"/var/lib/apt/(?:lists|periodic)(?:/.*)?", "package lists that were read in the meantime"),
    (r"/var/lib/apt/extended_states", "apt's list: its marks are compared individually"),
    (r"/var/lib/dpkg/alternatives/[^/]+", "a priority that the package takes from the clock"),
    (r"/var/lib/(?:systemd|ucf|man-db)/.*", "the records of a tool that packages call"),
)
"""Patterns of whole paths, each with its reason."""
_KNOWN = tuple((re.compile(pattern), why) for pattern, why in REASONS)


def why_expected(path: str) -> str:
    """Why a path may differ after a way back; ``""`` where it should not."""
    return next((why for pattern, why in _KNOWN if pattern.fullmatch(path)), "")
