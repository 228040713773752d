"""Runs of a kind that stopped half-way: half done, the machine would give another plan."""

from __future__ import annotations

import os
from pathlib import Path

from wizard.journalform import UNFINISHED, Kind, Record
from wizard.places import Places
from wizard.plan.form import plan_of
from wizard.plan.impossible import PlanImpossible
from wizard.plan.steps import Plan
from wizard.run.records import read_records


def stopped_plan(kind: Kind, places: Places, folder: str = "", cause: str = "") -> Plan | None:
    """The plan of the newest such run of this kind and cause, in that folder where one is named.

    Raises PlanImpossible where the plan of that run cannot be read: half done, no other may begin.
    """
    for record in read_records(Path(places.runs)):
        same = (record.kind, record.plan["cause"]) == (kind, cause) and record.state == UNFINISHED
        there = record.plan["venv"]
        if same and (
            not folder or not there or os.path.realpath(folder) == os.path.realpath(there)
        ):
            return _read(record)
    return None


def _read(record: Record) -> Plan:
    try:
        return plan_of(record.plan)
    except ValueError:
        raise PlanImpossible(
            f"Run {record.id} stopped half-way, and its plan is damaged or of another version of "
            f"this program: nothing was begun. Undo it first: rdna1-setup rollback {record.id}"
        ) from None
