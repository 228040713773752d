"""The JSON form of a plan: what ``plan --json`` prints and a journal begins with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from wizard.core.credentials import redact
from wizard.core.typed import WrongForm, typed
from wizard.jsonform import to_json
from wizard.operations.operation import Operation
from wizard.plan.steps import Plan, Resolve, Step

REDACTED = ("argv",)
"""Fields of a step whose addresses are written without their logins."""


def plan_form(plan: Plan) -> dict[str, Any]:
    """The plan as JSON types, logins in addresses left out."""
    steps = [_step_form(step) for step in plan.steps]
    return {**to_json(plan), "restart_needed": plan.restart_needed, "steps": steps}


def plan_of(form: Mapping[str, Any]) -> Plan:
    """The plan of a JSON form; raises ValueError for what no version of ours wrote."""
    try:
        return typed(form, Plan)
    except WrongForm as error:
        raise ValueError(f"this plan is not from this version: {error}") from None


def operation_of(form: Mapping[str, Any]) -> Operation | None:
    """The operation of a JSON form; None for a step of an older kind."""
    kinds = {kind.__name__: kind for kind in get_args(Step) if issubclass(kind, Operation)}
    kind: type[Operation] | None = kinds.get(form["kind"])
    return None if kind is None else typed(form, kind)


def _step_form(step: Step) -> dict[str, Any]:
    """A step with its kind and the text that Review shows."""
    form = {"kind": type(step).__name__, "title": step.title, "text": str(step), **to_json(step)}
    if isinstance(step, Operation):
        form |= {"inverse": step.undo, "needs_root": step.needs_root}
    for name in REDACTED:
        if name in form:
            form[name] = [redact(word) for word in form[name]]
    if isinstance(step, Resolve):
        form["wishes"]["index"] = redact(step.wishes.index)
    return form
