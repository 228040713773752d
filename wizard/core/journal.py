"""The journal of a run as a value: what its lines tell, wherever they were read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

FILE = "journal.jsonl"
SCHEMA = 3
"""Version of this form, which holds a whole plan; it rises when either changes."""
OLDER = "recorded by an older version of this program"
UNFINISHED = "unfinished"
ROLLED_BACK = "rolled back"
PARTLY_ROLLED_BACK = "partly rolled back"
"""Also the state from the moment in which an undo begins, so that a killed one can be told."""


class Kind(str, Enum):
    """What a plan is for. Journals are read where no plan is loaded: it stands here."""

    INSTALL = "install"
    REMOVE = "remove"
    CLEAN_UP = "clean-up"
    FIX = "fix"
    KEEP = "keep"
    """A setting is kept for an environment: nothing was found that it would fix."""
    ROLLBACK = "rollback"


def name_of(kind: Kind, stack: str, cause: str) -> str:
    """What a plan is called in titles and lists: the stack that it installs, or what it does."""
    if kind is Kind.INSTALL:
        return stack
    return f"{kind.value} {cause}" if kind is Kind.FIX else str(kind.value)


@dataclass(frozen=True, slots=True)
class Record:
    """A run as its journal tells it."""

    id: str
    folder: str
    began: str
    """ISO time of the beginning."""
    plan: Mapping[str, Any]
    """The plan in its JSON form, as it was when the run began."""
    outcomes: Mapping[int, str]
    """Finished steps by number, with their outcome."""
    intents: Mapping[int, Mapping[str, Any]]
    """Steps that were begun, with what was noted before they acted."""
    state: str
    """``unfinished``, ``finished``, ``rolled back`` or ``partly rolled back``."""
    stack: object = None
    """What lay below when it began, in its JSON form; None where that was not noted."""

    @property
    def kind(self) -> Kind:
        """What its plan is for."""
        return Kind(self.plan["kind"])

    @property
    def name(self) -> str:
        """What its plan is called."""
        return name_of(self.kind, self.plan["stack"], self.plan["cause"])

    @property
    def interrupted(self) -> tuple[int, ...]:
        """Numbers of the steps that were begun and never finished."""
        return tuple(number for number in self.intents if number not in self.outcomes)


@dataclass(frozen=True, slots=True)
class OlderRun:
    """A run that an older version of this program recorded: what can be said of it at all."""

    id: str
    folder: str
    venv: str
    """The environment that it was about; ``""`` where it was about none."""
    needs_root: bool
    """True where a part of its plan was root's."""
    rolled_back: bool


def older_run_of(name: str, folder: str, complete: Sequence[bytes | str]) -> OlderRun | None:
    """The run of an older version that these whole lines tell of, or None when they tell of none.

    Its steps are not understood: it is neither continued nor undone.
    """
    begin: Mapping[str, Any] = next(filter(None, map(_parsed, complete)), {})
    schema, plan = begin.get("schema"), begin.get("plan")
    if begin.get("event") != "begin" or type(schema) is not int or not 0 < schema < SCHEMA:
        return None
    venv, steps = (plan.get("venv"), plan.get("steps")) if isinstance(plan, dict) else ("", ())
    return OlderRun(
        name,
        folder,
        venv if isinstance(venv, str) else "",
        isinstance(steps, list)
        and any(isinstance(step, dict) and step.get("needs_root") is True for step in steps),
        _state([line for line in map(_parsed, complete) if line]) == ROLLED_BACK,
    )


def record_of(name: str, folder: str, complete: Sequence[bytes | str]) -> Record | None:
    """The run that these whole lines tell of, or None when they are no usable journal."""
    lines = [line for line in map(_parsed, complete) if line]
    if not lines or not _usable(lines[0]):
        return None
    plan = lines[0]["plan"]
    steps = range(1, len(plan["steps"]) + 1)
    intents: dict[int, Mapping[str, Any]] = {}
    outcomes: dict[int, str] = {}
    for line in lines[1:]:
        match line:
            case {"event": "intent", "step": int(number), "noted": dict(noted)} if number in steps:
                outcomes.pop(number, None)  # begun again: what was proved before counts no more
                intents[number] = noted
            case {"event": "outcome", "step": int(number), "outcome": str(outcome)} if (
                number in steps
            ):
                outcomes[number] = outcome
            case _:
                pass  # a state, damaged, or an event that only a later version knows
    began = str(lines[0].get("time", ""))
    stack = lines[0].get("stack")
    return Record(name, folder, began, plan, outcomes, intents, _state(lines), stack)


def _state(lines: Sequence[Mapping[str, Any]]) -> str:
    """The last one that was noted."""
    noted = (line.get("state") for line in reversed(lines) if line["event"] == "state")
    return next((state for state in noted if isinstance(state, str)), UNFINISHED)


def _usable(begin: Mapping[str, Any]) -> bool:
    """True for the first line of a journal of this schema, with all that undo needs of the plan."""
    match begin:
        case {
            "event": "begin",
            "schema": int(schema),
            "plan": {
                "id": str(),
                "kind": str(kind),
                "stack": str(),
                "cause": str(),
                "takes_back": str(),
                "venv": str(),
                "steps": list(steps),
            },
        }:
            return (
                type(schema) is int
                and schema == SCHEMA
                and any(kind == each.value for each in Kind)
                and all(isinstance(step, dict) and "kind" in step for step in steps)
            )
        case _:
            return False


def _parsed(line: bytes | str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and "event" in value else None
