"""The wizard's end of the line and nothing else: copied into a root, it says what it hears.

Arguments: the name of the run, its steps as JSON, and ``go``, ``keys`` (wait for a typed line
first) or ``watch`` (a helper that is at work already).
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator

from wizard.core.trouble import Trouble
from wizard.root.line import open_line
from wizard.root.rights import ask_here
from wizard.root.session import News, find_at_work, watch


def say(*words: object) -> None:
    """A line on the terminal, at once."""
    print(*words, flush=True)


async def show(news: AsyncGenerator[News, None]) -> None:
    """Everything that comes, a line each."""
    async for each in news:
        say(type(each).__name__, *getattr(each, "lines", ()), getattr(each, "outcome", ""))


async def carry_out(run: str, steps: list[dict[str, object]], how: str) -> None:
    """All steps of a plan, one after the other."""
    by_hand = ("some command",)
    async with open_line(run, steps, ask_here, environ=os.environ, by_hand=by_hand) as line:
        say("READY")
        if how == "keys":
            say("TYPED", await asyncio.to_thread(sys.stdin.readline))
        for number in range(1, len(steps) + 1):
            await show(line.do(number))


async def main(run: str, steps: str, how: str) -> None:
    """What the arguments ask for."""
    try:
        if how == "watch":
            session = find_at_work()
            say("AT WORK", session.step if session else "nobody")
            if session:
                await show(watch(session))
        else:
            await carry_out(run, json.loads(steps), how)
        say("THE END")
    except Trouble as trouble:
        say("TROUBLE", trouble.happened, "|", trouble.next_step)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
