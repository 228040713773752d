"""Root's part of one run: the helper is asked for when the first of its steps comes."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import get_args

from wizard.host.accounts import is_member
from wizard.plan.by_hand import by_hand_script
from wizard.plan.root_steps import AddToGroups, RootStep, SetSystemPathAside
from wizard.plan.steps import Plan, Step
from wizard.root.line import Line, open_line
from wizard.root.rights import AskForRights
from wizard.root.session import StepDone, begun_by_helper
from wizard.system.system import Act, Done

ROOT_STEPS = get_args(RootStep)
BY_HAND = "by-hand.sh"
NOTHING_LEFT = "already removed by an earlier step: nothing to do"
IN_THEM = "you were already in the group: nothing to do"
NOTHING_DONE = (NOTHING_LEFT, IN_THEM)
"""Outcomes of steps that had nothing to do, and so have nothing to be undone."""


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

    async def do(self, number: int) -> Act:
        """Carry out this step of the plan; raises Trouble where it failed or rights are refused."""
        place = _numbers(self._plan)[number]
        nothing = _nothing_to_do(self._plan.steps[number - 1])
        if nothing and place not in begun_by_helper(self._run):
            yield Done(nothing)
            return
        line = await self._opened()
        async with aclosing(line.do(place)) as news:
            async for each in news:
                yield Done(each.outcome) if isinstance(each, StepDone) else each

    async def close(self) -> None:
        """Let the helper go: it ends by itself when a running step has ended."""
        await self._open.aclose()

    async def _opened(self) -> Line:
        if self._line is None:
            steps = [step for step in self._plan.steps if isinstance(step, ROOT_STEPS)]
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


def _nothing_to_do(step: Step) -> str:
    """Why the helper need not be asked: an earlier step was expected to take a path along, and did;
    or somebody has added the user to the groups meanwhile. ``""`` where it must be."""
    match step:
        case SetSystemPathAside(may_be_gone=True) if not os.path.lexists(step.path):
            return NOTHING_LEFT
        case AddToGroups() if all(is_member(step.user, name) for name in step.groups):
            return IN_THEM
        case _:
            return ""


def is_root_step(step: Step) -> bool:
    """True for what only the helper can do."""
    return isinstance(step, ROOT_STEPS)


def _numbers(plan: Plan) -> dict[int, int]:
    """The helper's number of each root step, by its number in the plan."""
    numbers = [n for n, step in enumerate(plan.steps, 1) if is_root_step(step)]
    return {number: place for place, number in enumerate(numbers, 1)}
