"""The id of a plan: a digest of all that it does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wizard.plan.form import plan_form
from wizard.plan.steps import Plan

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
