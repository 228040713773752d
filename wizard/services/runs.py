"""Runs: plans carried out, their rollback, and what earlier starts left for this one.

Welcome asks before its first frame, so nothing here loads a plan until one is carried out.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.core.journal import Kind, Record
from wizard.host.host import places_of
from wizard.run import at_work, runs
from wizard.run.log import log_of
from wizard.run.runs import read_records

if TYPE_CHECKING:
    from wizard.core.events import Event
    from wizard.host.host import Host
    from wizard.plan.steps import Plan
    from wizard.root.rights import AskForRights
    from wizard.run.executor import Executor


@dataclass(frozen=True, slots=True)
class Rollback:
    """What undoing a run would do, and the act itself."""

    text: str
    """What would be removed from its folder and what kept."""
    plan: Plan | None
    """What root undoes before; None where the run changed nothing in the system."""
    events: Callable[[], AsyncGenerator[Event, None]]
    """Undoes it as shown; what happens, as of one plan whose last step is the folder."""
    cancel: Callable[[], None]
    """Asks it to stop between two steps."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A run that waits to be gone on with or to be undone."""

    run: str
    name: str
    """What its plan is called."""
    stack: str
    """What it installs; ``""`` for a plan that installs nothing."""
    folder: str
    footprint: str
    plan: Callable[[], Plan] | None = None
    """Gives its plan, where it installs nothing: half done, the machine would give
    another. Raises ValueError, with a text fit to show, for one of another version, or where a
    login is missing."""
    elsewhere: bool = False
    """True when this start was asked for another folder: then it is not the first thing offered."""


class Runs:
    """Runs on one machine. Only a live start has any, and acts."""

    def __init__(
        self, arguments: argparse.Namespace, host: Host, ask_for_rights: AskForRights, *, live: bool
    ) -> None:
        self._arguments, self._host, self._places = arguments, host, places_of(host)
        self._ask_for_rights, self._live = ask_for_rights, live
        self._made: Executor | None = None

    def _executor(self) -> Executor:
        """The one that acts, or the one that cannot; what acts takes long to load."""
        if self._made is None and self._live:
            from wizard.run.executor import Live  # not before the first frame

            self._made = Live(self._places, os.environ, ask_for_rights=self._ask_for_rights)
        elif self._made is None:
            from wizard.run.rehearsal import Rehearsal  # loads all that plans are made of

            self._made = Rehearsal()
        return self._made

    def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """What happens while the plan is gone through."""
        return self._executor().carry_out(plan)

    def ask_to_stop(self) -> None:
        """Asks the running plan to stop at its next safe point; what was never begun need not."""
        if self._made is not None:
            self._made.cancel()

    def log_of(self, plan: Plan) -> str:
        """Path of the whole log of the newest run of a plan; ``""`` where none is saved."""
        records = read_records(Path(self._places.runs)) if self._live else ()
        return next((log_of(record) for record in records if record.plan["id"] == plan.id), "")

    def at_work(self) -> at_work.AtWork | None:
        """Quick: root's part of an earlier start, if it still works."""
        return None if self._host.name else at_work.at_work()

    def restart(self) -> str:
        """Quick: that a restart waits, or that it has happened and what comes next."""
        return runs.restart_words(self._places) if self._live else ""

    def unfinished(self) -> Unfinished | None:
        """Quick: the newest run that stopped before its end."""
        record = runs.unfinished_run(self._places) if self._live else None
        if record is None:
            return None
        plan, asked = record.plan, self._arguments.venv
        footprint = str(plan.get("footprint", "venv"))
        found = Unfinished(record.id, record.name, plan["stack"], plan["venv"], footprint)
        if record.kind is not Kind.INSTALL:
            return replace(found, plan=partial(self._plan_of, record))
        elsewhere = bool(asked) and os.path.realpath(str(asked)) != os.path.realpath(plan["venv"])
        return replace(found, elsewhere=elsewhere)

    def _plan_of(self, record: Record) -> Plan:
        from wizard.run.resume import resumed_plan  # brings all steps along

        # Where this start was told to fetch from, with logins that no journal keeps.
        return resumed_plan(record, self._arguments.torch_index, self._arguments.python_mirror)

    def undoable(self) -> bool:
        """Quick: is there a run that can be undone."""
        return self._live and runs.can_undo(self._places)

    def half_undone(self) -> str:
        """Quick: the run that Roll back has begun to undo, ``""`` for none."""
        record = runs.half_undone(self._places) if self._live else None
        return record.id if record is not None else ""

    def find_rollback(self) -> Rollback:
        """What undoing the last run would do; it may take a while. Raises Trouble."""
        from wizard.run import rollback  # the same

        found = rollback.find_undo(self._places, self._host)
        undoing = rollback.Rollback(found, self._executor(), self._places)
        return Rollback(str(found), found.system.plan, undoing.events, undoing.cancel)
