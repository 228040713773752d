"""Whether a plan can be begun here and now: asked by Review, and again by Apply itself."""

from __future__ import annotations

from pathlib import Path

from wizard.places import Places
from wizard.plan.existing_steps import SetAsidePackages
from wizard.plan.steps import Plan
from wizard.run.conflicts import run_to_resume
from wizard.run.journal import UNFINISHED, Record, read_records
from wizard.run.place import require_open_place
from wizard.run.setting_aside import require_as_planned
from wizard.run.trouble import Trouble, as_trouble


def run_to_go_on_with(plan: Plan, places: Places) -> Record | None:
    """The run of this very plan that waits, None for a new one; raises Trouble where neither can
    be. Reads only."""
    require_open_place(Path(plan.venv))  # first: what may not be entered cannot be looked at
    found = run_to_resume(plan, read_records(Path(places.runs)))
    if found is None:
        _refuse_root(plan)
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


def unfinished_run(places: Places) -> Record | None:
    """The newest run that stopped before its end and was not taken back."""
    records = read_records(Path(places.runs))
    return next((record for record in records if record.state == UNFINISHED), None)


def _refuse_root(plan: Plan) -> None:
    if rooted := [str(step) for step in plan.steps if step.needs_root]:
        raise Trouble(
            f"This plan needs root for {len(rooted)} steps, the first: {rooted[0]}",
            "Steps that need root are planned and shown; carrying them out is not built yet.",
            "Take the footprint venv (in the wizard: f on Choose). It needs no root, and torch "
            "needs no system ROCm.",
        )
