"""The wizard's end of a rehearsal: what is asked of root, what is shown of it, how it ends."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import pytest

from tests.root.test_line import ready
from tests.root.test_line import with_sudo as with_sudo
from wizard.core.events import Event, Output, PlanFinished, StepFailed, StepFinished, StepStarted
from wizard.core.journal import Kind
from wizard.overlay.rehearsing import OverlayRehearsal, can_be_rehearsed, rehearsable
from wizard.plan.identity import with_id
from wizard.plan.root_steps import AddToGroups, SetSystemPathAside, WriteSystemFile
from wizard.plan.steps import DropDownloads, Plan

STEPS = (
    AddToGroups("why", "sam", ("render",)),
    DropDownloads("why", "/x"),
    SetSystemPathAside("why", "/opt/rocm", "back", may_be_gone=True),
)
PLAN = with_id(Plan("", Kind.INSTALL, "rocm52", "venv+system", "/x", STEPS, 0, 0, False, ()))
COUNTS = {"created": 2, "changed": 0, "gone": 1, "file": "/var/x.jsonl"}
END = {"event": "rehearsed", "failed": 0, "undo": 0, "packages": [], "used": 5}
WENT_WELL = (
    {"event": "started", "step": 1},
    {"event": "output", "step": 1, "lines": ["one"]},
    {"event": "done", "step": 1, "outcome": "fine"},
    {"event": "started", "step": 2},
    {"event": "done", "step": 2, "outcome": "already removed by an earlier step"},
    {"event": "changes", "when": "there", **COUNTS},
    {"event": "started", "step": 3},
    {"event": "done", "step": 3, "outcome": "UNDO.sh ended with exit code 0"},
    {"event": "changes", "when": "back", **COUNTS, "created": 0},
    END,
)


class FakeRoot:
    """A helper that tells a whole rehearsal, and then ends or waits to be told to stop."""

    def __init__(self, *events: dict[str, Any], waits: bool = False) -> None:
        self.events = events
        self.waits = waits
        self.plan: dict[str, Any] = {}
        self._working: asyncio.Future[None] | None = None

    async def __call__(self, argv: tuple[str, ...], stdin: int, stdout: int) -> int:
        """As sudo does."""
        commands, out = os.dup(stdin), os.dup(stdout)
        line = await asyncio.to_thread(_line, commands)
        self.plan = json.loads(line)
        _tell(out, ready(line))
        self._working = asyncio.ensure_future(asyncio.to_thread(self._work, commands, out))
        return 0

    def _work(self, commands: int, out: int) -> None:
        for event in self.events:
            _tell(out, event)
        if self.waits:
            assert os.read(commands, 100) == b""
            _tell(out, failed("The trial run was stopped."))
        os.close(commands)
        os.close(out)


def _line(descriptor: int) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        data += os.read(descriptor, 65_536)
    return data.rstrip(b"\n")


def _tell(out: int, event: dict[str, Any]) -> None:
    os.write(out, json.dumps(event).encode() + b"\n")


def failed(happened: str, step: int = 0) -> dict[str, Any]:
    texts = {"happened": happened, "meaning": "m", "next_step": "n"}
    return {"event": "failed", "step": step, **texts}


def rehearsal(root: FakeRoot, environ: dict[str, str]) -> OverlayRehearsal:
    return OverlayRehearsal(environ, root, lambda: datetime(2026, 1, 1, tzinfo=timezone.utc))


async def all_of(rehearsing: OverlayRehearsal, plan: Plan = PLAN) -> list[Event]:
    return [event async for event in rehearsing.carry_out(plan)]


async def test_root_gets_its_steps_alone_and_is_told_what_may_be_gone(
    with_sudo: dict[str, str],
) -> None:
    root = FakeRoot(*WENT_WELL)
    await all_of(rehearsal(root, with_sudo))
    assert root.plan["steps"] == [STEPS[0].request(), STEPS[2].request()]
    assert root.plan["rehearse"]["may_be_gone"] == [2]
    assert root.plan["run"] == f"rehearsal-20260101-000000-{PLAN.id}"


async def test_it_is_shown_as_a_run_of_roots_steps_and_their_way_back(
    with_sudo: dict[str, str],
) -> None:
    rehearsing = rehearsal(FakeRoot(*WENT_WELL), with_sudo)
    events = await all_of(rehearsing)
    started = [event for event in events if isinstance(event, StepStarted)]
    shown = rehearsable(PLAN)
    assert [event.text for event in started] == [str(step) for step in shown.steps]
    assert {event.total for event in started} == {3}
    assert Output(("one",)) in events
    finished = [event.outcome for event in events if isinstance(event, StepFinished)]
    assert finished == [
        "fine",
        "already removed by an earlier step",
        "UNDO.sh ended with exit code 0",
    ]
    assert events[-1] == PlanFinished(True, False, False, False, "", "")
    assert rehearsing.outcome is not None
    assert (str(rehearsing.outcome.there), rehearsing.outcome.back.created) == (
        "2 new, 0 changed, 1 gone",
        0,
    )


async def test_a_step_that_fails_there_is_shown_and_the_rest_still_comes(
    with_sudo: dict[str, str],
) -> None:
    bad = (*WENT_WELL[:3], WENT_WELL[3], failed("it broke", 2), *WENT_WELL[5:-1])
    rehearsing = rehearsal(FakeRoot(*bad, {**END, "failed": 2}), with_sudo)
    events = await all_of(rehearsing)
    assert [event.number for event in events if isinstance(event, StepFailed)] == [2]
    assert rehearsing.outcome is not None
    assert (rehearsing.outcome.failed, events[-1].ok) == (2, False)  # type: ignore[union-attr]


async def test_one_that_cannot_be_begun_says_why(with_sudo: dict[str, str]) -> None:
    rehearsing = rehearsal(FakeRoot(failed("A rehearsal needs 9 GB.")), with_sudo)
    events = await all_of(rehearsing)
    (failure,) = [event for event in events if isinstance(event, StepFailed)]
    assert (failure.number, failure.happened) == (0, "A rehearsal needs 9 GB.")
    assert rehearsing.outcome is None


async def test_a_helper_that_is_gone_is_told(with_sudo: dict[str, str]) -> None:
    events = await all_of(rehearsal(FakeRoot(*WENT_WELL[:2]), with_sudo))
    (failure,) = [event for event in events if isinstance(event, StepFailed)]
    assert "ended unexpectedly" in failure.happened


async def test_it_is_stopped_at_once(with_sudo: dict[str, str]) -> None:
    rehearsing = rehearsal(FakeRoot(*WENT_WELL[:2], waits=True), with_sudo)
    events = []
    async for event in rehearsing.carry_out(PLAN):
        events.append(event)
        if isinstance(event, Output):
            rehearsing.cancel()
    assert events[-1] == PlanFinished(False, True, False, False, "", "")
    assert not [event for event in events if isinstance(event, StepFailed)]


async def test_a_plan_that_is_not_settled_is_not_rehearsed(with_sudo: dict[str, str]) -> None:
    unsettled = replace(PLAN, steps=(WriteSystemFile("why", "/etc/x", "", "back"),))
    events = await all_of(rehearsal(FakeRoot(), with_sudo), unsettled)
    assert "not possible yet" in events[0].happened  # type: ignore[union-attr]


@pytest.mark.parametrize(("step", "can"), [(STEPS[0], True), (STEPS[1], False)])
def test_only_roots_part_is_rehearsed(step: AddToGroups | DropDownloads, can: bool) -> None:
    assert can_be_rehearsed(replace(PLAN, steps=(step,))) is can
