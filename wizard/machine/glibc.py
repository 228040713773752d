"""What a release of glibc refuses to load."""

from __future__ import annotations

from wizard.machine.facts import Fact

STRICT = (2, 41)
"""From this release on, libraries that ask for an executable stack are refused."""


def refuses_executable_stacks(glibc: Fact[str] | None) -> bool | None:
    """True where libraries that ask for an executable stack do not load, None where not known."""
    if not isinstance(glibc, str):
        return None
    try:
        return tuple(int(part) for part in glibc.split(".")[:2]) >= STRICT
    except ValueError:
        return None
