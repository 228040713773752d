"""What the root helper tells, line by line, as values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Union

from wizard.core.credentials import redact
from wizard.core.events import Output, Progress
from wizard.core.lines import clean
from wizard.core.trouble import Trouble

Event = dict[str, Any]
"""One line of the helper, of which only ``event`` is known to be there."""


@dataclass(frozen=True, slots=True)
class KeptDeb:
    """A package file in the helper's backup: root can install it, and nobody else can read it."""

    name: str
    version: str
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class StepDone:
    """A step is done, and the helper has looked that it is."""

    outcome: str
    kept: tuple[KeptDeb, ...] = ()


News = Union[Output, Progress, StepDone]  # noqa: UP007 - read at run time on 3.10


class EventLines:
    """Cuts chunks of bytes into events; what is no event of the helper is dropped."""

    def __init__(self) -> None:
        self._open = b""

    def feed(self, chunk: bytes) -> tuple[Event, ...]:
        """The events that this chunk completed."""
        *lines, self._open = (self._open + chunk).split(b"\n")
        found = (_event(line) for line in lines)
        return tuple(event for event in found if event is not None)


def _event(line: bytes) -> Event | None:
    try:
        event = json.loads(line)
    except ValueError:  # a line that a crash cut off
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None


def news_of(event: Event) -> News | None:
    """What an event says to the user; None for what is only between programs.

    Raises Trouble for a step that failed or a plan that was refused.
    """
    match event["event"]:
        case "output":
            return Output(tuple(_plain(line) for line in event["lines"]))
        case "progress":
            what = _plain(event["what"])
            return Progress(int(event["done"]), int(event["total"]), event["unit"], what, None)
        case "done":
            kept = tuple(_kept(one) for one in event.get("kept", ()))
            return StepDone(_plain(event["outcome"]), kept)
        case "failed" | "refused":
            names = ("happened", "meaning", "next_step")
            raise Trouble(*(_plain(event[name]) for name in names))
        case _:
            return None


def _plain(text: Any) -> str:
    """Without control characters, and without a login in an address."""
    return redact(clean(str(text)))


def _kept(one: Event) -> KeptDeb:
    return KeptDeb(*(str(one[name]) for name in ("name", "version", "path", "sha256")))


def ends_step(event: Event, number: int) -> bool:
    """True for the last event about a step, and for one that ends the helper."""
    return event["event"] in ("done", "failed") and event.get("step") in (0, number)
