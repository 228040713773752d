"""Add the user to groups, and take the user out of them again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wizard.core.amounts import listed
from wizard.core.trouble import Trouble
from wizard.host.accounts import is_member
from wizard.operations.operation import After, Before, Operation
from wizard.operations.root_step import IN_THEM, RootStep, call


@dataclass(frozen=True, slots=True)
class AddToGroups(RootStep):
    """Add the user to groups; counts from the next login."""

    reason: str
    user: str
    groups: tuple[str, ...]

    title = "Give you permission to use the GPU"
    relogin_needed = True

    @property
    def effect(self) -> str:
        """Who joined which groups."""
        return f"{self.user} added to the groups {', '.join(self.groups)}"

    def shown(self) -> str:
        """Who joins which groups."""
        return f"as root, add {self.user} to {listed(self.groups)}"

    def request(self) -> dict[str, Any]:
        """As root's part reads it."""
        return {"verb": "join_groups", "user": self.user, "groups": list(self.groups)}

    def by_hand(self) -> Iterator[str]:
        """The call."""
        yield call("usermod", "-a", "-G", ",".join(self.groups), self.user)

    def nothing_to_do(self) -> str:
        """Somebody has added the user meanwhile."""
        inside = all(is_member(self.user, name) for name in self.groups)
        return IN_THEM if inside else ""

    def holds(self, before: Before) -> bool:
        """True while the user is in them."""
        return Operation.holds(self, before)

    def observe(self) -> Before:
        """The groups that the user is in already: undo leaves those alone."""
        return {"in": [name for name in self.groups if is_member(self.user, name)]}

    def verify(self, before: Before) -> After:
        """That the user is in each of them."""
        if outside := [name for name in self.groups if not is_member(self.user, name)]:
            raise _not_so(f"{self.user} is still not in {listed(outside)}.")
        return After()  # what root's part says of it stands, also that there was nothing to do

    def inverse(self, before: Before) -> tuple[Operation, ...]:
        """Leave those that the user was not in before."""
        new = tuple(name for name in self.groups if name not in before.get("in", ()))
        if not new:
            return ()
        why = f"You were not a member of {listed(new)} before the run."
        return (TakeFromGroups(why, self.user, new),)


@dataclass(frozen=True, slots=True)
class TakeFromGroups(RootStep):
    """Take the user out of groups; counts from the next login."""

    reason: str
    user: str
    groups: tuple[str, ...]

    @property
    def title(self) -> str:
        """What it does."""
        return f"Remove you from {listed(self.groups)}"

    def shown(self) -> str:
        """Who leaves which groups."""
        return f"as root, remove {self.user} from {listed(self.groups)}"

    def request(self) -> dict[str, Any]:
        """As root's part reads it."""
        return {"verb": "leave_groups", "user": self.user, "groups": list(self.groups)}

    def by_hand(self) -> Iterator[str]:
        """A call for each."""
        yield from (call("gpasswd", "-d", self.user, group) for group in self.groups)

    def holds(self, before: Before) -> bool:
        """True while the user is in none of them."""
        return Operation.holds(self, before)

    def observe(self) -> Before:
        """The groups that the user is not in anyway: undo leaves those alone."""
        return {"out": [name for name in self.groups if not is_member(self.user, name)]}

    def verify(self, before: Before) -> After:
        """That the user is in none of them."""
        if inside := [name for name in self.groups if is_member(self.user, name)]:
            raise _not_so(f"{self.user} is still in {listed(inside)}.")
        return After()

    def inverse(self, before: Before) -> tuple[Operation, ...]:
        """Join those again that the user was in before."""
        left = tuple(name for name in self.groups if name not in before.get("out", ()))
        if not left:
            return ()
        why = f"You were a member of {listed(left)} before the run."
        return (AddToGroups(why, self.user, left),)


def _not_so(happened: str) -> Trouble:
    return Trouble(
        happened,
        "The program that changes groups reported success, but the group file says otherwise. The "
        "account may come from a server instead of this machine.",
        "Ask the person who manages the accounts, or change the groups by hand, then run the same "
        "command again.",
    )
