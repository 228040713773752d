"""Groups that the user has joined since the login: programs that need them now start through sg."""

from __future__ import annotations

import grp
import os
import pwd
import shlex
import shutil

GPU_GROUPS = ("render", "video")
"""Who may open the device files of the GPU, the usual one first."""


def with_joined_group(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The call, through ``sg`` where the user is in a group of the GPU only from the next login.

    ``sg`` takes nothing but a line for a shell: the words are quoted for it.
    """
    joined = next(filter(_is_joined, GPU_GROUPS), "")
    if not joined or shutil.which("sg") is None:
        return argv
    return ("sg", joined, "-c", f"exec {shlex.join(argv)}")


def _is_joined(name: str) -> bool:
    """True for a group that has the user as a member, and that is not in force here."""
    try:
        group, user = grp.getgrnam(name), pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return False
    return user in group.gr_mem and group.gr_gid not in (os.getegid(), *os.getgroups())
