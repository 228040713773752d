"""A plan in a file of its own: what ``plan --json`` prints, and how strictly it is read again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from reprlib import repr as cut
from typing import Any

from wizard.core.credentials import HIDDEN_LOGIN
from wizard.core.journal import Kind
from wizard.plan.form import id_of, plan_form, plan_of
from wizard.plan.steps import Plan

SCHEMA = 2
"""Version of this form."""
LONGEST = 8 << 20
"""Bytes of such a file; the longest plan of ours has some hundred thousand."""
SHOWN = 4
BRIEF = "brief"
ADVICE, WHEELS = "advice", "wheels"
"""What stands beside a plan for those who read it."""


@dataclass(frozen=True, slots=True)
class PlanFile:
    """What such a file says."""

    plan: Plan
    asked: tuple[str, ...]
    """Options of ``plan`` that made it, and that make it again."""


class WrongPlanFile(ValueError):
    """The file is none that this program wrote, or another one by now; the text says why."""


def plan_document(
    plan: Plan,
    asked: Sequence[str],
    advice: dict[str, Any] | None = None,
    wheels: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The plan as it is printed for programs, with the options that make it.

    ``advice``: what is said of the stack, and ``wheels``: what pip said that it would fetch, are
    for readers; who carries the plan out leaves both alone.
    """
    beside = {ADVICE: advice, WHEELS: wheels}
    told = {name: words for name, words in beside.items() if words is not None}
    return {"schema": SCHEMA, "asked": list(asked), **plan_form(plan), **told}


def brief_document(
    plan: Plan,
    recommendation: dict[str, Any] | None = None,
    wheels: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """What is recommended and what the plan takes, without commands and files; not to carry out."""
    beside = {"recommendation": recommendation, WHEELS: wheels}
    return {
        "schema": SCHEMA,
        BRIEF: True,
        **{name: words for name, words in beside.items() if words is not None},
        "id": plan.id,
        "kind": plan.kind.value,
        "stack": plan.stack,
        "footprint": plan.footprint,
        "venv": plan.venv,
        "download_bytes": plan.download_bytes,
        "installed_bytes": plan.installed_bytes,
        "needs_root": bool(plan.root_steps),
        "relogin_needed": plan.relogin_needed,
        "restart_needed": plan.restart_needed,
        "steps": [{"title": s.title, "needs_root": s.needs_root} for s in plan.steps],
    }


def read_plan_document(text: str) -> PlanFile:
    """What was printed, checked to the last word; raises WrongPlanFile."""
    found = _object(text)
    schema, asked = found.pop("schema", None), found.pop("asked", None)
    found.pop(ADVICE, None)
    found.pop(WHEELS, None)
    if found.get(BRIEF):
        raise WrongPlanFile(
            "it is a summary made with --brief. `rdna1-setup plan --json` prints the whole plan"
        )
    if type(schema) is not int or schema != SCHEMA:
        raise WrongPlanFile(f"its schema is {schema!r}, but this version can only read {SCHEMA}")
    if "kind" not in found:
        raise WrongPlanFile("it does not say what kind of plan it is")
    if found["kind"] not in [kind.value for kind in Kind]:
        raise WrongPlanFile(f"this version does not know plans of the kind {cut(found['kind'])}")
    if not isinstance(asked, list) or not all(isinstance(word, str) for word in asked):
        raise WrongPlanFile("it does not say which options it was made with")
    if any(HIDDEN_LOGIN in word for word in asked):
        raise WrongPlanFile(
            "the address of its index contained a login, and plans do not store logins. "
            "Configure the login in pip, and make the plan again with --torch-index pip"
        )
    try:
        plan = plan_of(found)
        again = plan_form(plan)
    except (ValueError, AttributeError) as error:
        raise WrongPlanFile(str(error)) from None
    if not _same(again, found):
        raise WrongPlanFile(
            f"it was edited: {_changed(again, found)} differs from what this program writes"
        )
    if id_of(found) != plan.id:
        raise WrongPlanFile(f"it was edited: its steps do not match its ID {plan.id}")
    return PlanFile(plan, tuple(asked))


def plan_differences(before: Plan, now: Plan) -> tuple[str, ...]:
    """What two plans do otherwise, a line each; never empty where their ids differ."""
    was, comes = [str(step) for step in before.steps], [str(step) for step in now.steps]
    lines = [
        *(f"removed: {text}" for text in was if text not in comes),
        *(f"new: {text}" for text in comes if text not in was),
    ]
    if not lines and was != comes:
        lines = ["the same steps in another order"]
    more = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return (*lines[:SHOWN], *more) or ("the content of a step, or its size, has changed",)


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise WrongPlanFile("it is not valid JSON") from None
    except ValueError as error:
        raise WrongPlanFile(f"it is not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise WrongPlanFile("it contains no plan")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no name stands twice: two readers might take another one each."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("it contains the same name twice")
    return found


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is not a number")


def _same(one: Any, other: Any) -> bool:
    """Equal to the last word; Python itself takes true for 1, and 1 may be written 1.0."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _changed(again: dict[str, Any], found: dict[str, Any]) -> str:
    names = sorted({*again, *found})
    wrong = [name for name in names if not _same(again.get(name, ...), found.get(name, ...))]
    if wrong != ["steps"]:
        return ", ".join(wrong) or "something"
    pairs = zip(again["steps"], found["steps"], strict=True)
    numbers = (number for number, (one, other) in enumerate(pairs, 1) if not _same(one, other))
    return f"step {next(numbers, '?')}"
