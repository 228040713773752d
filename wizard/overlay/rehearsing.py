"""Has root try a plan in an overlay of the system, and tells it as the events of a run."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from wizard.core.events import Event, PlanFinished, StepFailed, StepFinished, StepStarted
from wizard.core.trouble import Trouble, as_trouble
from wizard.overlay.rehearsed import Rehearsed, name_of, outcome_of
from wizard.overlay.space import megabytes_of
from wizard.plan.root_steps import SetSystemPathAside
from wizard.plan.steps import Plan, RunProgram, Step
from wizard.root.line import Line, open_line
from wizard.root.news import Event as Told
from wizard.root.news import StepDone, news_of
from wizard.root.rights import AskForRights, ask_here
from wizard.run.live import now
from wizard.run.root_part import is_root_step
from wizard.run.run_folder import STAMP

STATUS = Path("/var/lib/dpkg/status")
WAY_BACK = RunProgram(
    "This step tests the rollback by undoing everything on the copy.",
    ("sh", "UNDO.sh"),
    "nothing to undo",
    title="Roll everything back",
)


BROKEN_OFF = Trouble(
    "The trial run ended unexpectedly.",
    "Something, perhaps a lack of memory, ended the root helper. Nothing was changed. Whatever "
    "remains of the copy will be removed when the root helper starts "
    "again.",
    "Try again, or continue without a trial run.",
)


class OverlayRehearsal:
    """An executor that changes nothing: root's steps are done in a copy that is thrown away."""

    def __init__(
        self,
        environ: Mapping[str, str],
        ask: AskForRights = ask_here,
        clock: Callable[[], datetime] = now,
        *,
        yes: bool = False,
    ) -> None:
        """``yes``: the plan was read; it counts only for root without a terminal."""
        self._environ = environ
        self._ask = ask
        self._clock = clock
        self._yes = yes
        self._line: Line | None = None
        self._cancelled = False
        self.outcome: Rehearsed | None = None
        """What came of it, once it has ended well or not so well."""

    def cancel(self) -> None:
        """Stop at once: there is nothing that could be left half done."""
        self._cancelled = True
        if self._line is not None:
            self._line.stop()

    async def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """Every root step of the plan, then the way back, as the steps of ``rehearsable``."""
        self.outcome, self._cancelled = None, False
        shown = rehearsable(plan)
        run = name_of(plan, f"{self._clock():{STAMP}}")
        heard: list[Told] = []
        ok, began = False, time.monotonic()
        try:
            requests = [step.request() for step in plan.steps if is_root_step(step)]  # type: ignore[union-attr]
            opening = open_line(
                run,
                requests,
                self._ask,
                environ=self._environ,
                yes=self._yes,
                rehearse=_asked(plan),
            )
            async with opening as self._line, aclosing(self._line.rehearsal()) as events:
                async for told in events:
                    if told["event"] in ("changes", "rehearsed"):
                        heard.append(told)
                    elif told["event"] == "started":
                        began = time.monotonic()
                    for event in _shown(told, shown, time.monotonic() - began):
                        yield event
            self.outcome = outcome_of(plan, run, heard)
            if self.outcome is None:
                raise BROKEN_OFF
            ok = self.outcome.ok
        except (Trouble, OSError, ValueError) as error:
            trouble = _trouble(error)
            if not self._cancelled:
                yield StepFailed(0, trouble.happened, trouble.meaning, trouble.next_step)
        finally:
            self._line = None
        yield PlanFinished(ok, self._cancelled, False, False, "", "")


def rehearsable(plan: Plan) -> Plan:
    """What a rehearsal does of a plan: root's steps, and their way back."""
    steps = tuple(step for step in plan.steps if is_root_step(step))
    return replace(plan, steps=(*steps, WAY_BACK))


def can_be_rehearsed(plan: Plan) -> bool:
    """True for a plan in which root has something to do."""
    return any(is_root_step(step) for step in plan.steps)


def _asked(plan: Plan) -> dict[str, Any]:
    """What the helper is told beside the steps."""
    try:
        status = STATUS.read_text("utf-8", "replace")
    except OSError:
        status = ""
    steps = [step for step in plan.steps if is_root_step(step)]
    gone = [number for number, step in enumerate(steps, 1) if _may_be_gone(step)]
    return {"megabytes": megabytes_of(plan, status), "may_be_gone": gone}


def _may_be_gone(step: Step) -> bool:
    return isinstance(step, SetSystemPathAside) and step.may_be_gone


def _shown(told: Told, plan: Plan, seconds: float) -> Iterator[Event]:
    """What an event of the helper is to whoever watches; raises Trouble when it was broken off."""
    number = int(told.get("step", 0))
    if told["event"] == "started" and 0 < number <= len(plan.steps):
        step = plan.steps[number - 1]
        yield StepStarted(number, len(plan.steps), str(step), step.reason)
        return
    try:
        news = news_of(told)
    except Trouble as trouble:
        if not number:
            raise
        yield StepFailed(number, trouble.happened, trouble.meaning, trouble.next_step)
        return
    if isinstance(news, StepDone):
        yield StepFinished(number, seconds, False, news.outcome)
    elif news is not None:
        yield news


def _trouble(error: Trouble | OSError | ValueError) -> Trouble:
    if isinstance(error, ValueError):  # a plan that is not settled
        return Trouble(
            f"A trial run of this plan is not possible yet: {error}.",
            "The plan's exact changes are not known yet. Nothing was changed.",
            "Make the plan again on this machine while it is online.",
        )
    return as_trouble(error)
