"""Groups that the user joins and leaves."""

from __future__ import annotations

import grp
import pwd
from typing import Any

from assets.root.processes import Ended, run
from assets.root.step import Step
from assets.root.trouble import Trouble


def members_of(user: str) -> set[str]:
    """Names of the groups that have a user, by the system's lists."""
    return {entry.gr_name for entry in grp.getgrall() if user in entry.gr_mem}


def join_groups(wanted: dict[str, Any], step: Step) -> str:
    """Add the user to groups; it counts from the next login."""
    user = wanted["user"]
    known = {entry.gr_name for entry in grp.getgrall()}
    if lost := [group for group in wanted["groups"] if group not in known]:
        raise Trouble(
            f"There is no {lost[0]} group on this system.",
            "The system normally creates this group together with the device files for graphics "
            "cards.",
            f"Create the group (`sudo groupadd --system {lost[0]}`), then run the step again.",
        )
    missing = sorted(set(wanted["groups"]) - members_of(_known_user(user)))
    if missing:
        step.intend({}, [("leave", user, group) for group in missing])
        ended = run(("usermod", "-a", "-G", ",".join(missing), user))
        if set(missing) - members_of(user):
            raise _not_in_groups(user, ended)
    return "{} is in {}, effective from the next login".format(user, " and ".join(wanted["groups"]))


def leave_groups(wanted: dict[str, Any], step: Step) -> str:
    """Take the user out of groups; it counts from the next login."""
    user = wanted["user"]
    present = sorted(set(wanted["groups"]) & members_of(_known_user(user)))
    if present:
        step.intend({}, [("join", user, group) for group in present])
        for group in present:
            ended = run(("gpasswd", "-d", user, group))
            if group in members_of(user):
                raise _not_in_groups(user, ended)
    return "{} is not in {}".format(user, " or ".join(wanted["groups"]))


def _known_user(user: str) -> str:
    try:
        return pwd.getpwnam(user).pw_name
    except KeyError:
        raise Trouble(
            f"There is no user {user} on this system.",
            "Only an existing user can be added to a group.",
            "Check the name.",
        ) from None


def _not_in_groups(user: str, ended: Ended) -> Trouble:
    return Trouble(
        f"The groups of {user} could not be changed: {ended.output.strip()[:300]}",
        "The account may come from a directory server, which manages its groups.",
        "Ask your administrator to change the groups, or edit /etc/group yourself.",
    )
