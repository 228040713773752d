"""What the root helper tells: its events as values, and a helper at work by its events file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Union

from assets.root.files import STATE as STATE_PATH
from assets.root.processes import begun_at, is_alive
from wizard.core.credentials import redact
from wizard.core.events import Done, Output, Progress
from wizard.core.lines import clean
from wizard.core.trouble import Trouble

Event = dict[str, Any]
"""One line of the helper, of which only ``event`` is known to be there."""


News = Union[Output, Progress, Done]  # noqa: UP007 - read at run time on 3.10


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
            return Done(_plain(event["outcome"]))
        case "failed" | "refused":
            names = ("happened", "meaning", "next_step")
            raise Trouble(*(_plain(event[name]) for name in names))
        case _:
            return None


def _plain(text: Any) -> str:
    """Without control characters, and without a login in an address."""
    return redact(clean(str(text)))


def ends_step(event: Event, number: int) -> bool:
    """True for the last event about a step, and for one that ends the helper."""
    return event["event"] in ("done", "failed") and event.get("step") in (0, number)


STATE = Path(STATE_PATH)
EVENTS = "events.jsonl"
LOOK_S = 0.2
CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class Process:
    """A process by number and beginning: numbers are given again, both together are not."""

    pid: int
    begun: int
    """In the kernel's ticks since it started."""

    def is_alive(self) -> bool:
        """True until it has ended."""
        return is_alive(self.pid) and begun_at(self.pid) == self.begun


@dataclass(frozen=True, slots=True)
class Session:
    """What the events file of a run says of its last helper."""

    run: str
    folder: Path
    helper: Process
    offset: int
    """Where its events begin in the file."""
    step: int
    """The step that is under way; 0 for none."""
    program: Process | None
    """The program that it started last, in that step."""

    def is_at_work(self) -> bool:
        """True while the helper lives, or a program that it left behind in a step."""
        return self.helper.is_alive() or (self.program is not None and self.program.is_alive())


def undo_script(run: str, state: Path = STATE) -> Path:
    """What takes root's part of a run back without this program."""
    return state / "runs" / run / "UNDO.sh"


def find_at_work(state: Path = STATE) -> Session | None:
    """The helper that is at work for this user, or None.

    Only one is at work at a time, and no other run's events are newer than its own.
    """
    try:
        written = {folder: _written(folder) for folder in (state / "runs").iterdir()}
    except OSError:
        return None
    newest = max(written, key=lambda folder: written[folder], default=None)
    session = None if newest is None else session_in(newest)
    return session if session is not None and session.is_at_work() else None


def _written(folder: Path) -> int:
    """When its events were added to last; 0 for a run of another user."""
    try:
        return (folder / EVENTS).stat().st_mtime_ns
    except OSError:
        return 0


def session_in(folder: Path) -> Session | None:
    """The last session of a run; None for a run of another user, or without one."""
    try:
        content = (folder / EVENTS).read_bytes()
    except OSError:
        return None
    found: Session | None = None
    offset = 0
    for line in content.splitlines(keepends=True):
        for event in EventLines().feed(line):
            if event["event"] == "ready":
                helper = Process(event["pid"], event["begun"])
                found = Session(folder.name, folder, helper, offset, 0, None)
            elif found is not None:
                found = _after(found, event)
        offset += len(line)
    return found


def _after(session: Session, event: Event) -> Session:
    match event["event"]:
        case "started":
            return replace(session, step=event["step"], program=None)
        case "program":
            return replace(session, program=Process(event["pid"], event["begun"]))
        case "done" | "failed":
            return replace(session, step=0, program=None)
        case _:
            return session


async def follow(session: Session, after: int = 0) -> AsyncGenerator[Event, None]:
    """Events of a session from its file, but those numbered up to ``after``, while it goes on."""
    lines, at = EventLines(), session.offset
    with (session.folder / EVENTS).open("rb") as file:
        while True:
            alive = session.helper.is_alive()  # before the look: what it wrote last is then there
            file.seek(at)
            chunk = file.read(CHUNK)
            at += len(chunk)
            for event in lines.feed(chunk):
                if event.get("seq", after + 1) > after:
                    yield event
            if not chunk:
                if not alive:
                    return
                await asyncio.sleep(LOOK_S)


async def watch(session: Session) -> AsyncGenerator[News, None]:
    """News of the step that is under way, until the helper and what it started are gone.

    Raises Trouble for a step that failed, or that never came to an outcome.
    """
    trouble, now = None, replace(session, step=0, program=None)
    async with aclosing(follow(session)) as events:
        async for event in events:
            now = _after(now, event)
            if event.get("step") != session.step:
                continue
            try:
                news = news_of(event)
            except Trouble as failure:
                trouble, news = failure, None
            if news is not None:
                yield news
    while now.program is not None and now.program.is_alive():
        yield Progress(
            0, 0, "seconds", "the root helper has ended, but the program it started continues", None
        )
        await asyncio.sleep(LOOK_S)
    if trouble is not None:
        raise trouble
    if now.step:
        raise gone(now.step, session)


def gone(number: int, session: Session) -> Trouble:
    """The helper is no longer there, and a step has no outcome."""
    return Trouble(
        "The root helper ended unexpectedly.",
        "Something, perhaps a shutdown or a lack of memory, ended the root helper during step "
        f"{number}.",
        "Start again. rdna1-setup first checks what is already done. To undo instead, run as "
        f"root: sh {session.folder}/UNDO.sh",
    )


def begun_by_helper(run: str, state: Path = STATE) -> frozenset[int]:
    """The helper's numbers of the steps that it has begun in a run."""
    try:
        content = (state / "runs" / run / EVENTS).read_bytes()
    except OSError:
        return frozenset()
    events = EventLines().feed(content)
    return frozenset(each["step"] for each in events if each["event"] == "started")
