"""Understands what ``apt-get --simulate`` says that it would do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from wizard.apt.packages import Versions

NAME = r"(?P<name>[a-z0-9][a-z0-9+.-]*)(?::(?P<architecture>[a-z0-9-]+))?"
REST = r"(?: \[[^\]]*\])*"
"""Groups such as ``[rocm-gdb:amd64 ]``: what is broken in between, and whole again at the end."""
INSTALL = re.compile(
    rf"Inst {NAME}(?: \[(?P<old>[^\] ]+)\])?"
    rf" \((?P<version>\S+) (?P<origin>[^\[]*)\[[^\]]*\]\){REST}"
)
REMOVE = re.compile(rf"(?P<verb>Remv|Purg) {NAME} \[(?P<version>[^\] ]+)\]{REST}")
ACTING = ("Inst ", "Remv ", "Purg ")


@dataclass(frozen=True, slots=True)
class Coming:
    """A package that would be installed, or exchanged for another version."""

    name: str
    version: str
    old: str
    """The version that is there now; ``""`` for none."""
    origin: str
    """For example ``Ubuntu:24.04/noble`` or ``local-deb``."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """All that apt would do."""

    coming: tuple[Coming, ...]
    leaving: Versions
    unread: tuple[str, ...]
    """Lines that say that something is done, in a form that we do not know."""

    @property
    def brings(self) -> Versions:
        """What would be installed or exchanged, with versions."""
        return tuple((one.name, one.version) for one in self.coming)


def transaction(lines: Iterable[str]) -> Transaction:
    """What the lines of a simulation say; a package of another architecture keeps it in its name.

    Purging says ``Purg`` alone, removing says ``Remv``.
    """
    coming: list[Coming] = []
    leaving: list[tuple[str, str]] = []
    unread = []
    for line in lines:
        if not line.startswith(ACTING):
            continue
        if found := INSTALL.fullmatch(line.rstrip()):
            old, origin = found["old"] or "", found["origin"].strip()
            coming.append(Coming(_name(found), found["version"], old, origin))
        elif found := REMOVE.fullmatch(line.rstrip()):
            leaving.append((_name(found), found["version"]))
        else:
            unread.append(line)
    return Transaction(tuple(coming), tuple(leaving), tuple(unread))


def _name(found: re.Match[str]) -> str:
    architecture = found["architecture"]
    return f"{found['name']}:{architecture}" if architecture else found["name"]
