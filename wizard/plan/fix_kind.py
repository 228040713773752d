"""How a plan that mends one finding is told from others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.plan.steps import Plan

FIX = "fix"


def fix_kind(cause: str) -> str:
    """Stands where a plan that installs names its stack."""
    return f"{FIX} {cause}"


def is_fix(kind: str) -> bool:
    """True for the kind of a plan that mends a finding."""
    return kind.startswith(f"{FIX} ")


def mends(plan: Plan) -> bool:
    """True for a plan that mends a finding, also in a folder where a run of ours stands."""
    return is_fix(plan.stack)
