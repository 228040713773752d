"""The interface of everything that a plan is made of: one module a kind, and all of it in there.

An operation is frozen data. The executor asks ``observe`` first and puts the answer on the disk
before anything changes: whatever is observed later, that answer counts, because undo needs what was
there before. Then comes ``do``, then ``verify``, which proves the outcome. Where a kill has left an
intent without an outcome it asks ``probe`` whether all is done, and else removes what ``remains``.

Operations look at this machine through ``wizard.host`` and change it through the ``System`` that
they are given. They are only shown in a dry run, which has none.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from wizard.core.events import Done
from wizard.core.trouble import Trouble
from wizard.host.files import Print
from wizard.system.system import News, System

Before = Mapping[str, Any]
"""What was there before, in JSON types: it is kept in the journal."""


@dataclass(frozen=True, slots=True)
class After:
    """What was proved of the outcome."""

    text: str = ""
    """In words; ``""`` where who acted has told it with ``Done``."""
    files: Mapping[str, Print] = field(default_factory=dict)
    """Files that are the run's own by now: paths relative to the environment, as they look now."""


class Operation(ABC):
    """One step of a plan."""

    __slots__ = ()
    reason: str
    """Why the plan has it: one or two sentences for the user."""
    needs_root: ClassVar[bool] = False
    changes: ClassVar[bool] = True
    """False for one that only looks."""
    reaches_out: ClassVar[bool] = False
    """True for one that changes something outside of the environment: the list of the run's own
    files does not undo that."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What it does, in at most 40 characters."""

    @abstractmethod
    def shown(self) -> str:
        """Exactly what it does: the command, or a sentence; from its arguments alone."""

    relogin_needed: ClassVar[bool] = False
    """True where what it does counts only from the next login."""

    @property
    def restart_needed(self) -> bool:
        """True where what it does is complete only once the machine was restarted."""
        return False

    @property
    def effect(self) -> str:
        """What it has changed, for the list at the end; ``""`` for what is not worth a line."""
        return ""

    def writes(self) -> tuple[str, ...]:
        """Paths of files and folders of its own that must not be there before a new environment."""
        return ()

    @property
    def resolved(self) -> bool:
        """True when it says exactly what it does, so that it can be begun."""
        return True

    def content_lines(self) -> tuple[str, ...]:
        """What it puts into a file or takes out of it, line by line."""
        return ()

    def refuse(self) -> None:  # noqa: B027 - most kinds refuse nothing
        """Raise Trouble where this machine does not allow it: asked of all steps before the first
        one acts. Reads only."""

    def refuse_to_overwrite(self, before: Collection[str], ours: Collection[str]) -> None:  # noqa: B027
        """Raise Trouble where it would write over files that are not the run's own. Reads only.

        ``before`` are files that were in the environment before the run, ``ours`` those that the
        run has written; relative to the environment.
        """

    def observe(self) -> Before:
        """What undo will need to know of the time before. Reads only."""
        return {}

    @abstractmethod
    def do(self, system: System, before: Before) -> News:
        """Do it; raises Trouble, or Stopped where the user stopped it at a safe point. What proves
        itself ends with Done."""

    @abstractmethod
    def verify(self, before: Before) -> After:
        """Prove that it is done; raises Trouble where it is not. Reads only."""

    def holds(self, before: Before) -> bool:
        """True where an outcome that was noted before still is so: it need not be done again. Reads
        only."""
        try:
            self.verify(before)
        except (Trouble, OSError):
            return False
        return True

    def probe(self, before: Before) -> bool:
        """True where it was cut off and yet is done, so that it must not be done again. Raises
        Trouble where somebody else has been at it since, whose work must not be overwritten. Reads
        only."""
        return False

    def remains(self, before: Before) -> Mapping[str, Print]:
        """Files that it has left where it was cut off: paths relative to the environment. Reads
        only."""
        return {}

    @property
    def emptied(self) -> tuple[str, ...]:
        """Folders of the environment, deepest first, that it may have left empty."""
        return ()

    @property
    def own_folders(self) -> tuple[str, ...]:
        """Folders that are its alone: undo removes them with all that is in them."""
        return ()

    def inverse(self, before: Before) -> tuple[Operation, ...]:
        """What undoes it, of one that ``reaches_out``.

        Where ``before`` says nothing, nothing was so before: Review shows the undo that way.
        """
        return ()

    @property
    def undo(self) -> str:
        """What its undo does, for who reads the plan."""
        return "; ".join(each.shown() for each in self.inverse({})) or "nothing to undo"

    def __str__(self) -> str:
        return self.shown()


class AtOnce(Operation):
    """One that acts in a moment, and has nothing to tell meanwhile."""

    __slots__ = ()

    async def do(self, system: System, before: Before) -> News:
        """Do it."""
        yield Done(await asyncio.to_thread(self.act, system, before))

    @abstractmethod
    def act(self, system: System, before: Before) -> str:
        """Do it; gives what was done, in words. Raises Trouble."""


LONGEST_TITLE = 40
"""Characters."""


def first_that_fits(*titles: str) -> str:
    """The first of these titles that is short enough; the last one, whatever its length."""
    return next((title for title in titles if len(title) <= LONGEST_TITLE), titles[-1])


def about_path(verb: str, path: str, otherwise: str) -> str:
    """A title that names a path, or its last part, or says ``otherwise``."""
    name = path.rstrip("/").rpartition("/")[2]
    return first_that_fits(f"{verb} {path}", f"{verb} {name}", f"{verb} {otherwise}")
