"""Reduces the account files to the one who looks, and to the groups that matter."""

from __future__ import annotations

from wizard.host.accounts import Account
from wizard.machine.recording.disguise import Disguise

PASSWD, GROUP = "/etc/passwd", "/etc/group"
GROUPS = frozenset({"render", "video"})
"""Groups that own the GPU's devices: they matter whoever is in them."""


def is_account_file(path: str) -> bool:
    """True for the files that ``account_file`` reduces."""
    return path in (PASSWD, GROUP)


def account_file(path: str, text: str, own: Account, disguise: Disguise) -> bytes:
    """The own row of ``/etc/passwd``, or the rows of ``/etc/group`` that bear on us."""
    rows = [line.split(":") for line in text.splitlines()]
    if path == PASSWD:
        kept = [_person(row, disguise) for row in rows if len(row) == 7 and row[0] == own.name]
    else:
        kept = [
            _group(row, disguise)
            for row in rows
            if len(row) == 4 and (row[0] in GROUPS or row[2] == own.group or _is_member(row, own))
        ]
    return "".join(f"{row}\n" for row in kept).encode()


def _person(row: list[str], disguise: Disguise) -> str:
    """Number and groups; not the password, the full name or the shell."""
    home = disguise.text(row[5])
    return ":".join((disguise.user_name(row[0]), "x", row[2], row[3], "", home, "/bin/sh"))


def _group(row: list[str], disguise: Disguise) -> str:
    member = disguise.owner if disguise.user in row[3].split(",") else ""
    return ":".join((disguise.group(row[0]), "x", row[2], member))


def _is_member(row: list[str], own: Account) -> bool:
    return own.name in row[3].split(",")
