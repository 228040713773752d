"""The line to a root helper that is at work for us: steps go out, news comes back."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from assets.root.requests import PROTOCOL
from wizard.core.trouble import Trouble
from wizard.root.rights import AskForRights, helper_argv, not_granted
from wizard.root.session import (
    STATE,
    Event,
    EventLines,
    News,
    Process,
    Session,
    ends_step,
    follow,
    gone,
    news_of,
    session_in,
)

FIRST_WORD_S = 30.0
CHUNK = 65_536


class Line:
    """A helper that took a plan; closed, it takes no new step and ends after the running one."""

    def __init__(
        self,
        session: Session,
        commands: asyncio.WriteTransport,
        events: AsyncGenerator[Event, None],
    ) -> None:
        self.session = session
        self._commands = commands
        self._events = events

    async def do(self, number: int) -> AsyncGenerator[News, None]:
        """Carry out a step of the plan, 1 for the first; ends with Done, or raises Trouble."""
        self._commands.write(json.dumps({"do": number}).encode() + b"\n")
        async for event in self._events:
            if event.get("step") not in (0, number):
                continue
            news = news_of(event)
            if news is not None:
                yield news
            if ends_step(event, number):
                return
        raise gone(number, self.session)

    async def close(self) -> None:
        """Send nothing more and listen no more; a running step goes on to its end by itself."""
        self._commands.close()
        await self._events.aclose()


def first_line(
    run: str,
    steps: Sequence[Mapping[str, Any]],
    *,
    yes: bool = False,
) -> bytes:
    """The plan as the helper reads it."""
    plan = {"schema": PROTOCOL, "run": run, "steps": list(map(dict, steps)), "yes": yes}
    return json.dumps(plan).encode()


def digest_of(line: bytes) -> str:
    """The digest that the helper shows on the terminal, for Review to show before."""
    return sha256(line).hexdigest()[:12]


@asynccontextmanager
async def open_line(
    run: str,
    steps: Sequence[Mapping[str, Any]],
    ask: AskForRights,
    *,
    environ: Mapping[str, str],
    yes: bool = False,
    by_hand: tuple[str, ...] = (),
    state: Path = STATE,
) -> AsyncGenerator[Line, None]:
    """A line for a plan; raises Trouble where rights are refused, or the plan is.

    ``yes`` counts for nothing unless we are root itself and have no terminal.
    ``by_hand`` are the commands that somebody without sudo could run as root instead.
    """
    argv = await helper_argv(environ, by_hand)
    plan = first_line(run, steps, yes=yes)
    commands, events, code = await _asked(ask, argv, plan)
    try:
        session = await _session(events, code, digest_of(plan), by_hand, state / "runs" / run)
        line = Line(session, commands, _whole(events, session))
    except BaseException:
        _abort(commands)
        await events.aclose()
        raise
    try:
        yield line
    finally:
        await line.close()


async def _asked(
    ask: AskForRights, argv: tuple[str, ...], plan: bytes
) -> tuple[asyncio.WriteTransport, AsyncGenerator[Event, None], int]:
    """Both ends of the line, and how the program ended that asked for the rights.

    The plan is written while it runs: a pipe holds less than a long plan.
    """
    commands_out, commands = os.pipe()
    said, events_in = os.pipe()
    loop = asyncio.get_running_loop()
    sending, _ = await loop.connect_write_pipe(
        asyncio.BaseProtocol, os.fdopen(commands, "wb", buffering=0)
    )
    reader = asyncio.StreamReader(limit=CHUNK)
    pipe, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(said, "rb", buffering=0)
    )
    events = _heard(reader, pipe)
    try:
        sending.write(plan + b"\n")
        return sending, events, await ask(argv, commands_out, events_in)
    except BaseException:
        _abort(sending)
        pipe.close()
        raise
    finally:
        os.close(commands_out)
        os.close(events_in)


def _abort(pipe: asyncio.WriteTransport) -> None:
    if not pipe.is_closing():  # one that has lost its reader is closed, and cannot be aborted
        pipe.abort()


async def _heard(
    reader: asyncio.StreamReader, pipe: asyncio.ReadTransport
) -> AsyncGenerator[Event, None]:
    """Events from the pipe until nobody can send any more."""
    lines = EventLines()
    try:
        while chunk := await reader.read(CHUNK):
            for event in lines.feed(chunk):
                yield event
    finally:
        pipe.close()


async def _whole(
    heard: AsyncGenerator[Event, None], session: Session
) -> AsyncGenerator[Event, None]:
    """Events from the pipe; should the helper have given us up as too slow, from its file."""
    seen = 0
    async with aclosing(heard):
        async for event in heard:
            seen = event.get("seq", seen)
            yield event
    found = await asyncio.to_thread(session_in, session.folder)
    if found is not None and found.helper == session.helper:
        async with aclosing(follow(found, seen)) as written:
            async for event in written:
                yield event


async def _session(
    events: AsyncGenerator[Event, None],
    code: int,
    digest: str,
    by_hand: tuple[str, ...],
    folder: Path,
) -> Session:
    first = await _first_word(events)
    if first is None:
        raise not_granted(code, by_hand)
    news_of(first)  # raises for a refusal
    if first["event"] != "ready" or first.get("digest") != digest:
        raise Trouble(
            "The program that answered is not the root helper for this plan.",
            "That program named a plan other than the one it was sent.",
            "Start rdna1-setup again. If the same error appears again, please report it.",
        )
    helper = Process(first["pid"], first["begun"])
    return Session(folder.name, folder, helper, 0, 0, None)


async def _first_word(events: AsyncGenerator[Event, None]) -> Event | None:
    try:
        return await asyncio.wait_for(anext(events, None), FIRST_WORD_S)
    except asyncio.TimeoutError:
        return None
