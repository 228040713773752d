"""What earlier starts left for this one. Welcome asks before its first frame: it loads no plan."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from screens.services import Unfinished
from wizard.journalform import Kind
from wizard.run.standing import half_back, unfinished_run

if TYPE_CHECKING:
    from wizard.journalform import Record
    from wizard.places import Places
    from wizard.plan.steps import Plan


def unfinished(places: Places, asked: str | None, addresses: tuple[str, ...]) -> Unfinished | None:
    """The newest run that stopped before its end; ``asked`` and ``addresses`` are the folder and
    the sources of this start."""
    record = unfinished_run(places)
    if record is None:
        return None
    plan = record.plan
    footprint = str(plan.get("footprint", "venv"))
    found = Unfinished(record.id, record.name, plan["stack"], plan["venv"], footprint)
    if record.kind is not Kind.INSTALL:
        return replace(found, plan=partial(_plan_of, record, addresses))
    elsewhere = bool(asked) and os.path.realpath(str(asked)) != os.path.realpath(plan["venv"])
    return replace(found, elsewhere=elsewhere)


def _plan_of(record: Record, addresses: tuple[str, ...]) -> Plan:
    # Brings all steps along: not before the first frame.
    from wizard.run.stopped import resumed_plan

    return resumed_plan(record, *addresses)


def half_back_run(places: Places) -> str:
    """The run that Roll back has begun to take back, ``""`` for none."""
    record = half_back(places)
    return record.id if record is not None else ""
