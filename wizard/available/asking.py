"""Asks all places at once, each and all of them within a time; tells each answer as it comes."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from wizard.available.answers import Answer, Standing
from wizard.available.looking import look
from wizard.available.questions import Question, Wheels
from wizard.available.requests import Deadline
from wizard.run.downloads.web import Web, open_web
from wizard.run.trouble import Trouble

REDIRECTS = 5
"""More than any index needs; a login page may send us round and round."""


Tell = Callable[[Question, "Answer | Exception"], None]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited: for a sign of life, for one place, and for all of them."""

    stall_s: float = 6.0
    each_s: float = 12.0
    all_s: float = 20.0


USUAL = Patience()


def now_text() -> str:
    """Now as an ISO time to the minute, with the offset of this place."""
    return datetime.now().astimezone().isoformat(timespec="minutes")


async def ask(
    asked: tuple[Question, ...],
    environ: Mapping[str, str],
    patience: Patience = USUAL,
    now: Callable[[], str] = now_text,
) -> AsyncGenerator[tuple[Question, Answer], None]:
    """Every question with its answer, the quickest first; who is late is too slow.

    Threads of their own, which hold up nothing: a name look-up or a handshake knows no deadline,
    and the end of a program waits for the threads of a pool.
    """
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[tuple[Question, Answer | Exception]] = asyncio.Queue()
    waiting = dict.fromkeys(asked)

    def tell(question: Question, answer: Answer | Exception) -> None:
        with suppress(RuntimeError):  # the program has gone on, or ended
            loop.call_soon_threadsafe(arrived.put_nowait, (question, answer))

    _start(_ask_all, asked, environ, patience, now, tell)
    ends = loop.time() + patience.all_s
    while waiting:
        try:
            question, answer = await asyncio.wait_for(arrived.get(), ends - loop.time())
        except asyncio.TimeoutError:
            break
        if isinstance(answer, Exception):
            raise answer  # a bug: in its thread nobody would see it
        waiting.pop(question, None)
        yield question, answer
    late = f"No answer within {patience.all_s:g} seconds."
    for question in waiting:
        yield question, Answer(Standing.SLOW, late, now())


def _ask_all(
    asked: tuple[Question, ...],
    environ: Mapping[str, str],
    patience: Patience,
    now: Callable[[], str],
    tell: Tell,
) -> None:
    """Begins all of them; to read the certificates takes a while, and is done once."""
    places = tuple(each.place for each in asked if isinstance(each, Wheels))
    try:
        web = open_web(environ, places, stall_s=patience.stall_s, redirects=REDIRECTS)
    except Trouble as trouble:
        for question in asked:
            said = f"{trouble.happened} {trouble.meaning}"
            tell(question, Answer(Standing.UNTRUSTED, said, now()))
        return
    for question in asked:
        _start(_ask_one, question, web, patience, now, tell)


def _ask_one(
    question: Question,
    web: Web,
    patience: Patience,
    now: Callable[[], str],
    tell: Tell,
) -> None:
    deadline = Deadline(time.monotonic() + patience.each_s, time.monotonic)
    try:
        tell(question, look(question, web, deadline, now))
    except Exception as error:  # raised again where it is waited for
        tell(question, error)


def _start(work: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True, name="asks").start()
