"""The journal of a run as a value: what its lines tell, wherever they were read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wizard.jsonform import SCHEMA

FILE = "journal.jsonl"
UNFINISHED = "unfinished"
ROLLED_BACK = "rolled back"
PARTLY_ROLLED_BACK = "partly rolled back"
"""Also the state from the moment in which an undo begins, so that a killed one can be told."""


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
    """What lay below when it began, in its JSON form; None in journals of earlier versions."""

    @property
    def interrupted(self) -> tuple[int, ...]:
        """Numbers of the steps that were begun and never finished."""
        return tuple(number for number in self.intents if number not in self.outcomes)


def record_of(name: str, folder: str, complete: Sequence[bytes | str]) -> Record | None:
    """The run that these whole lines tell of, or None when they are no usable journal."""
    lines = [line for line in map(_parsed, complete) if line]
    if not lines or not _usable(lines[0]):
        return None
    plan = lines[0]["plan"]
    steps = range(1, len(plan["steps"]) + 1)
    intents: dict[int, Mapping[str, Any]] = {}
    outcomes: dict[int, str] = {}
    state = UNFINISHED
    for line in lines[1:]:
        match line:
            case {"event": "intent", "step": int(number), "noted": dict(noted)} if number in steps:
                outcomes.pop(number, None)  # begun again: what was proved before counts no more
                intents[number] = noted
            case {"event": "outcome", "step": int(number), "outcome": str(outcome)} if (
                number in steps
            ):
                outcomes[number] = outcome
            case {"event": "state", "state": str(state)}:
                pass
            case _:
                pass  # damaged, or an event that only a later version knows
    began = str(lines[0].get("time", ""))
    stack = lines[0].get("stack")
    return Record(name, folder, began, plan, outcomes, intents, state, stack)


def _usable(begin: Mapping[str, Any]) -> bool:
    """True for the first line of a journal of this schema, with all that undo needs of the plan."""
    match begin:
        case {
            "event": "begin",
            "schema": int(schema),
            "plan": {"id": str(), "stack": str(), "venv": str(), "steps": list(steps)},
        }:
            return schema == SCHEMA and all(
                isinstance(step, dict) and "kind" in step for step in steps
            )
        case _:
            return False


def _parsed(line: bytes | str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and "event" in value else None
