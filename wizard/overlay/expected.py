"""What is not as before after a way back, and why that is right."""

from __future__ import annotations

import re

REASONS = (
    (r"/var/log/.*", "logs, which record both the changes and the rollback"),
    (r"/var/cache/.*", "caches, which are created again when needed"),
    (r"/etc/ld\.so\.cache", "the loader's cache, which ldconfig creates again"),
    (
        r"/var/lib/dpkg/(?:status|available|diversions|statoverride)-old",
        "dpkg's copies of its earlier lists",
    ),
    (r"/etc/(?:group|gshadow|passwd|shadow|subuid|subgid)-", "earlier copies of the account files"),
    (
        r"/var/lib/dpkg/(?:status|available)",
        "dpkg's list, whose packages are compared one by one",
    ),
    (r"/var/lib/dpkg/lock(?:-frontend)?|/var/lib/dpkg/triggers/Lock", "empty lock files"),
    (r"/var/lib/apt/(?:lists|periodic)(?:/.*)?", "package lists, which were read in the meantime"),
    (r"/var/lib/apt/extended_states", "apt's list, whose marks are compared one by one"),
    (r"/var/lib/dpkg/alternatives/[^/]+", "a priority the package derives from the clock"),
    (r"/var/lib/(?:systemd|ucf|man-db)/.*", "records of tools that packages call"),
)
"""Patterns of whole paths, each with its reason."""
_KNOWN = tuple((re.compile(pattern), why) for pattern, why in REASONS)


def why_expected(path: str) -> str:
    """Why a path may differ after a way back; ``""`` where it should not."""
    return next((why for pattern, why in _KNOWN if pattern.fullmatch(path)), "")
