"""The JSON form of a plan: what ``plan --json`` prints and a journal begins with."""

from __future__ import annotations

from typing import Any

from wizard.jsonform import to_json
from wizard.plan.steps import Plan


def plan_form(plan: Plan) -> dict[str, Any]:
    """The plan as JSON types; each step tells its kind and the text that Review shows."""
    form: dict[str, Any] = to_json(plan)
    form["steps"] = [
        {"kind": type(step).__name__, "text": str(step), **to_json(step)} for step in plan.steps
    ]
    return form
