"""Root's part of one run: the helper is asked for when the first of its steps comes."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from pathlib import Path

from wizard.core.events import Done
from wizard.operations.root_step import RootStep, by_hand_script
from wizard.plan.steps import Plan
from wizard.root.line import Line, open_line
from wizard.root.rights import AskForRights
from wizard.root.session import begun_by_helper
from wizard.system.system import News

BY_HAND = "by-hand.sh"


class RootPart:
    """A helper for the root steps of one plan; it is started once, for all of them."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        ask: AskForRights,
        environ: Mapping[str, str],
        *,
        yes: bool = False,
    ) -> None:
        """``yes``: the plan was read; it counts only for root without a terminal."""
        self._plan = plan
        self._run = folder.name
        self._folder = folder
        self._ask = ask
        self._environ = environ
        self._yes = yes
        self._line: Line | None = None
        self._open = AsyncExitStack()

    async def do(self, number: int) -> News:
        """Carry out this step of the plan; raises Trouble where it failed or rights are refused."""
        step = self._plan.steps[number - 1]
        place = sum(each.needs_root for each in self._plan.steps[:number])
        nothing = step.nothing_to_do() if isinstance(step, RootStep) else ""
        if nothing and place not in begun_by_helper(self._run):
            yield Done(nothing)
            return
        line = await self._opened()
        async with aclosing(line.do(place)) as news:
            async for each in news:
                yield each

    async def close(self) -> None:
        """Let the helper go: it ends by itself when a running step has ended."""
        await self._open.aclose()

    async def _opened(self) -> Line:
        if self._line is None:
            steps = self._plan.root_steps
            line = open_line(
                self._run,
                [step.request() for step in steps],
                self._ask,
                environ=self._environ,
                yes=self._yes,
                by_hand=_put_script(self._folder / BY_HAND, steps),
            )
            self._line = await self._open.enter_async_context(line)
        return self._line


def _put_script(path: Path, steps: Sequence[RootStep]) -> tuple[str, ...]:
    """What to run where root rights are not given; nothing where it cannot be written."""
    try:
        path.write_text(by_hand_script(steps), "utf-8", "surrogateescape")
    except OSError:
        return ()
    return (shlex.join(("sh", str(path))),)
