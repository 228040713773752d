"""What only root can do: a request to root's part, which checks it, acts and keeps a journal."""

from __future__ import annotations

import shlex
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import aclosing
from typing import Any, ClassVar

from wizard.core.trouble import Trouble
from wizard.operations.operation import After, Before, Operation
from wizard.system.system import News, System

NOTHING_LEFT = "already removed by an earlier step: nothing to do"
IN_THEM = "you were already in the group: nothing to do"
DID_NOTHING = (NOTHING_LEFT, IN_THEM)
"""Outcomes of steps that had nothing to do, and so have nothing to be undone."""


class RootStep(Operation):
    """One request; what was cut off, root's part finds out and continues by itself.

    So there is nothing to probe or to clear: doing it again is always right.
    """

    __slots__ = ()
    needs_root: ClassVar[bool] = True
    reaches_out: ClassVar[bool] = True

    @abstractmethod
    def request(self) -> dict[str, Any]:
        """As root's part reads it: the very thing that ``shown`` says."""

    @abstractmethod
    def by_hand(self) -> Iterator[str]:
        """The same as lines for sh, for who may become root but not by sudo."""

    def nothing_to_do(self) -> str:
        """Why root's part need not be asked, in words; ``""`` where it must be. Reads only."""
        return ""

    async def do(self, system: System, before: Before) -> News:
        """Have root's part do it, which proves the outcome."""
        if system.as_root is None:
            raise Trouble(
                f"This step can only be done as root: {self}",
                "Nothing here can be done as root.",
                "Run the command again in a terminal, where sudo can ask for your password.",
            )
        async with aclosing(system.as_root()) as news:
            async for each in news:
                yield each

    def verify(self, before: Before) -> After:
        """Nothing more: root's part has proved it."""
        return After()

    def holds(self, before: Before) -> bool:
        """Done is done: a later step may have changed the same thing on purpose."""
        return True


HEAD = """\
#!/bin/sh
# This script does what rdna1-setup would do as root. Read it, then run it as root.
# apt asks before each change. Removed and replaced files are kept in the folder below.
# rdna1-setup cannot undo this script.
set -eu
kept=/root/rdna1-setup-by-hand
mkdir -p -m 0700 "$kept"
"""


def by_hand_script(steps: Iterable[RootStep]) -> str:
    """A script for sh that does these steps, each with its reason and how it is undone."""
    parts = [HEAD]
    for step in steps:
        words = f"{step.reason} (undo: {step.undo})".split()
        parts.append(f"\n# {' '.join(words)}\n{''.join(step.by_hand())}")
    return "".join(parts)


def call(*words: str) -> str:
    """A line of that script that calls a program."""
    return f"{shlex.join(words)}\n"


def not_done(why: str) -> str:
    """A line of that script that tells what it leaves out."""
    return call("echo", f"Not done: {why}")
