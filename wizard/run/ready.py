"""Whether a plan can be begun here and now: asked by Review, and again by Apply itself."""

from __future__ import annotations

from pathlib import Path

from wizard.core.trouble import Trouble, as_trouble
from wizard.journalform import Record
from wizard.places import Places
from wizard.plan.existing_steps import SetAsidePackages
from wizard.plan.root_steps import settled
from wizard.plan.steps import Plan
from wizard.run.as_planned import require_as_planned
from wizard.run.in_the_way import run_to_resume
from wizard.run.place import require_open_place
from wizard.run.records import older_runs, read_records
from wizard.run.standing import rollback_begun


def run_to_go_on_with(plan: Plan, places: Places) -> Record | None:
    """The run of this very plan that waits, None for a new one; raises Trouble where neither can
    be. Reads only."""
    if plan.venv:
        require_open_place(Path(plan.venv))  # first: what may not be entered cannot be looked at
    runs = Path(places.runs)
    found = run_to_resume(plan, read_records(runs), older_runs(runs))
    _refuse_unsettled(plan)
    if found is not None:
        _refuse_taken_back(found, places)
    else:
        for step in plan.steps:
            if isinstance(step, SetAsidePackages):  # all of them, before the first one moves
                require_as_planned(step)
    return found


def obstacle(plan: Plan, places: Places) -> Trouble | None:
    """Why the plan would be refused before its first step; None when it would begin."""
    try:
        run_to_go_on_with(plan, places)
    except (Trouble, OSError) as error:
        return as_trouble(error)
    return None


def _refuse_taken_back(record: Record, places: Places) -> None:
    if rollback_begun(record, places) is not None:
        raise Trouble(
            f"Run {record.id} is being undone. At least some of its changes to the system have "
            "already been undone.",
            "Continuing it would skip steps that have since been undone.",
            f"Finish undoing that run first: rdna1-setup rollback {record.id}. Then start over.",
        )


def _refuse_unsettled(plan: Plan) -> None:
    if not settled(plan.steps):
        raise Trouble(
            "The exact system packages are not known yet.",
            "The repository was not queried, so the changes to the system are unknown.",
            "Make the plan again on this machine while it is online. Or use --footprint venv, "
            "which does not need root.",
        )
