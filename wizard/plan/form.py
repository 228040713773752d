"""The JSON form of a plan, which begins each journal, and the id that is made of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, get_args

from wizard.core.credentials import redact
from wizard.core.json_form import WrongForm, to_json, typed
from wizard.operations.operation import Operation
from wizard.plan.steps import Plan, Step


def plan_form(plan: Plan) -> dict[str, Any]:
    """The plan as JSON types, logins in addresses left out."""
    steps = [
        {
            "kind": type(step).__name__,
            "title": step.title,
            "text": str(step),
            **with_addresses(to_json(step), lambda _, address: redact(address)),
            "inverse": plan.undo_of(step),
            "needs_root": step.needs_root,
        }
        for step in plan.steps
    ]
    follows = {name: getattr(plan, name) for name in ("relogin_needed", "restart_needed")}
    return {**to_json(plan), **follows, "steps": steps}


def plan_of(form: Mapping[str, Any]) -> Plan:
    """The plan of a JSON form; raises ValueError for what no version of ours wrote."""
    try:
        return typed(form, Plan)
    except WrongForm as error:
        raise ValueError(f"this plan is not from this version: {error}") from None


def operation_of(form: Mapping[str, Any]) -> Operation | None:
    """The operation of a JSON form; None for what no version of ours wrote."""
    kind = KINDS.get(form["kind"])
    try:
        return None if kind is None else typed(form, kind)
    except WrongForm:
        return None


KINDS: Mapping[str, type[Operation]] = {kind.__name__: kind for kind in get_args(Step)}


def with_addresses(form: Mapping[str, Any], change: Callable[[str, str], str]) -> dict[str, Any]:
    """The form of a step with each address that may hold a login changed; ``change`` is told the
    option of the command line that names it, and the address."""
    changed = dict(form)
    if "mirror" in changed:
        changed["mirror"] = change("--python-mirror", changed["mirror"])
    if index := changed.get("manifest", {}).get("index"):
        changed["manifest"] = {**changed["manifest"], "index": change("--torch-index", index)}
    return changed


WORDS = ("title", "reason", "inverse", "text")
"""What a newer version may say in other words without doing anything else."""
BESIDE = ("first", "user_torch", "restart_needed")
"""What is found beside the steps, or follows from them, makes no other plan."""


def with_id(plan: Plan) -> Plan:
    """The plan with its id."""
    return replace(plan, id=id_of(plan_form(plan)))


def id_of(form: Mapping[str, Any]) -> str:
    """The id that a plan of this JSON form must have."""
    kept = {name: value for name, value in form.items() if name not in BESIDE}
    # Without the notes: they tell of free space, which the run itself takes.
    form = {**kept, "id": "", "notes": []}
    form["steps"] = [
        {name: value for name, value in step.items() if name not in WORDS} for step in form["steps"]
    ]
    return hashlib.sha256(json.dumps(form, sort_keys=True).encode()).hexdigest()[:12]
