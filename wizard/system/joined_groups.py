"""Groups that the user has joined since the login: programs that need them now start through sg."""

from __future__ import annotations

import grp
import os
import pwd
import shlex
import shutil
from collections.abc import Mapping

from wizard.host.accounts import is_member

GPU_GROUPS = ("render", "video")
"""Who may open the device files of the GPU, the usual one first."""
TAKEN_AWAY = frozenset({"GCONV_PATH", "GLIBC_TUNABLES", "HOSTALIASES", "LOCALDOMAIN", "LOCPATH",
                        "NIS_PATH", "NLSPATH", "RESOLV_HOST_CONF", "RES_OPTIONS", "TMPDIR",
                        "TZDIR"})  # fmt: skip
TAKEN_AWAY_BEGINNINGS = ("LD_", "MALLOC_")
"""What the loader takes out of the environment of a program that gets rights, as sg does."""


def joined_group() -> str:
    """A group of the GPU that the user is in only from the next login; ``""`` for none."""
    joined = next(filter(_is_joined, GPU_GROUPS), "")
    return joined if shutil.which("sg") else ""


def with_joined_group(argv: tuple[str, ...], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The call, through ``sg`` where the user has joined a group of the GPU since the login.

    ``sg`` takes nothing but a line for a shell: the words are quoted for it. Descriptors that are
    handed over stay open, with their numbers.
    """
    joined = joined_group()
    if not joined:
        return argv
    lost = [f"{name}={value}" for name, value in environment.items() if _is_taken_away(name)]
    return ("sg", joined, "-c", f"exec {shlex.join((*(('env', *lost) if lost else ()), *argv))}")


def _is_taken_away(name: str) -> bool:
    return name in TAKEN_AWAY or name.startswith(TAKEN_AWAY_BEGINNINGS)


def _is_joined(name: str) -> bool:
    """True for a group that has the user as a member, and that is not in force here."""
    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return False
    in_force = (os.getegid(), *os.getgroups())
    return is_member(user, name) and grp.getgrnam(name).gr_gid not in in_force
