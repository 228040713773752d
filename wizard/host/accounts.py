"""Users and groups as the files in ``/etc`` tell them, without asking name services."""

from __future__ import annotations

import grp
from dataclasses import dataclass

from wizard.core.fact import Fact, Unknown

TEXT_LIMIT = 1024 * 1024
"""No account file of one machine is longer."""
LONGEST_NUMBER = 10
"""Digits of the largest group number; longer text is damage."""


@dataclass(frozen=True, slots=True)
class Account:
    """A row of ``/etc/passwd``; empty where there is none."""

    name: str = ""
    home: str = ""
    group: str = ""
    """Number of the primary group, as text."""


def user_name(passwd: Fact[str], uid: int) -> Account:
    """The account with this number."""
    for row in _rows(passwd, 7):
        if row[2] == str(uid):
            return Account(name=row[0], home=row[5], group=row[3])
    return Account()


def group_names(group: Fact[str]) -> dict[int, str]:
    """Names of groups by number."""
    return {int(row[2]): row[0] for row in _rows(group, 4) if _is_number(row[2])}


def groups_of(group: Fact[str], account: Account) -> tuple[str, ...]:
    """Names of the groups that the next login of this account will have."""
    return tuple(
        sorted(
            row[0]
            for row in _rows(group, 4)
            if account.name in row[3].split(",") or row[2] == account.group
        )
    )


def is_member(user: str, group: str) -> bool:
    """True where the group has the user as a member now; False for a group that is not there."""
    try:
        return user in grp.getgrnam(group).gr_mem
    except KeyError:
        return False


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= LONGEST_NUMBER


def _rows(text: Fact[str], columns: int) -> list[list[str]]:
    if isinstance(text, Unknown):
        return []
    lines = text[:TEXT_LIMIT].splitlines()
    # Counted before they are cut: a damaged file may have a million lines that are no rows.
    return [line.split(":") for line in lines if line.count(":") == columns - 1]
