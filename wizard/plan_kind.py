"""Plans of no stack, a fix or a way back: told from others by what stands where its name would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wizard.plan.steps import Plan

FIX = "fix"
WAY_BACK = "way back"


def fix_kind(cause: str) -> str:
    """Stands where a plan that installs names its stack."""
    return f"{FIX} {cause}"


def is_fix(kind: str) -> bool:
    """True for the kind of a plan that mends a finding."""
    return kind.startswith(f"{FIX} ")


def mends(plan: Plan) -> bool:
    """True for a plan that mends a finding, also in a folder where a run of ours stands."""
    return is_fix(plan.stack)


def takes_back(form: Mapping[str, Any], plan_id: str) -> bool:
    """True for the JSON form of a way back of this plan."""
    return form["stack"] == WAY_BACK and way_back_note(plan_id) in form.get("notes", ())


def way_back_note(plan_id: str) -> str:
    """The note by which a way back says whose it is."""
    return f"This takes back what plan {plan_id} did to the system, last step first."
