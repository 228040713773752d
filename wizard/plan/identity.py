"""The id of a plan: a digest of all that it does."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from wizard.plan.form import plan_form
from wizard.plan.steps import Plan

WORDS = ("reason", "inverse", "text")
"""What a newer version may say in other words without doing anything else."""


def with_id(plan: Plan) -> Plan:
    """The plan with its id."""
    return replace(plan, id=_digest(plan))


def _digest(plan: Plan) -> str:
    # Without the notes: they tell of free space, which the run itself takes.
    form = plan_form(replace(plan, notes=()))
    del form["first"], form["user_torch"]  # what is found beside the steps makes no other plan
    form["steps"] = [
        {name: value for name, value in step.items() if name not in WORDS} for step in form["steps"]
    ]
    return hashlib.sha256(json.dumps(form, sort_keys=True).encode()).hexdigest()[:12]
