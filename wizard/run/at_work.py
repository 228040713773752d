"""Root's part of an earlier start that is still at work, as the events of a run.

The root helper outlives the wizard that started it: it finishes its step and takes no new one.
What it does stands in a file that grows. Looking changes nothing there, and leaving ends nothing.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from wizard.core.events import (
    Done,
    Event,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.trouble import Trouble
from wizard.root.session import (
    EVENTS,
    STATE,
    EventLines,
    News,
    Session,
    find_at_work,
    news_of,
    watch,
)


@dataclass(frozen=True, slots=True)
class AtWork:
    """Root's part of an earlier start that is still at work, and how to look at it."""

    text: str
    """Such as ``apt is still working, 63 %``."""
    saved: str
    """The file that its events are read from."""
    watch: Callable[[], AsyncGenerator[Event, None]]
    """What it did and does, to its end; to close it ends nothing but the looking."""


def at_work(state: Path = STATE) -> AtWork | None:
    """What is at work for this user now; None for nothing."""
    session = find_at_work(state)
    if session is None:
        return None
    saved = str(session.folder / EVENTS)
    return AtWork(at_work_text(session), saved, lambda: events_of(session))


def events_of(session: Session) -> AsyncGenerator[Event, None]:
    """What a helper that was found at work did and does."""
    return watch_events(session.run, session.step, watch(session))


async def watch_events(
    run: str, step: int, coming: AsyncGenerator[News, None]
) -> AsyncGenerator[Event, None]:
    """A step of root's as a run of its own, to its end; ``step`` is its number among root's, 0
    while root is between two steps."""
    ok = True
    name = f"step {step} of root's part" if step else "root's part"
    if step:
        yield StepStarted(step, step, name, name)
    try:
        async with aclosing(coming) as news:
            async for one in news:
                if isinstance(one, Done):
                    yield StepFinished(step, 0.0, False, one.outcome)
                else:
                    yield one
    except Trouble as trouble:
        ok = False
        yield StepFailed(step, trouble.happened, trouble.meaning, trouble.next_step)
    yield PlanFinished(ok, False, True, False, run, "")


def at_work_text(session: Session) -> str:
    """Who works, and how far it is, such as ``apt is still working, 63 %``."""
    from wizard.run.progress import one_step  # loads what plans are made of: only where one works

    name, share = "", one_step()
    for event in EventLines().feed(_told(session)):
        if not session.step or event.get("step") != session.step:
            continue
        if event["event"] == "program":
            name = str(event.get("name", "")).rpartition("/")[2].removesuffix("-get")
        elif event["event"] == "progress" and isinstance(news := news_of(event), Progress):
            share = share.after(news)
    percent = int(100 * share.share)
    return f"{name or 'the root helper'} is still working{f', {percent} %' if percent else ''}"


def _told(session: Session) -> bytes:
    try:
        with (session.folder / EVENTS).open("rb") as file:
            file.seek(session.offset)
            return file.read()
    except OSError:
        return b""
