"""What a dry run can know of a run before it begins: what is done already, what forbids it."""

from __future__ import annotations

from wizard.core.trouble import Trouble, as_trouble
from wizard.places import Places
from wizard.plan.steps import Plan
from wizard.run.ready import run_to_go_on_with
from wizard.run.rehearsal import NOTHING_DONE, Foreseen
from wizard.run.resume import done_steps


def foreseen(plan: Plan, places: Places) -> Foreseen:
    """Read of our journals and of the folder; nothing is tried, and nothing changed.

    Of packages that nobody asked the repository about, nothing can be said.
    """
    if not plan.settled:
        return NOTHING_DONE
    try:
        record = run_to_go_on_with(plan, places)
        return Foreseen(done_steps(plan, record)) if record else NOTHING_DONE
    except (Trouble, OSError) as error:
        return Foreseen(trouble=as_trouble(error))
