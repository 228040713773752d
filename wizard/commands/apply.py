"""Carry a plan out: shown first, journalled, resumable, undone by rollback."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from wizard.commands.choosing import add_choice_arguments, choice_of
from wizard.commands.looking import (
    acts,
    agreed,
    forget_reader,
    host_of,
    places_of,
    there_before,
)

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from wizard.machine.facts import Machine
    from wizard.places import Places
    from wizard.plan.steps import Plan
    from wizard.run.events import Event
    from wizard.run.executor import Executor


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``apply``."""
    add_choice_arguments(parser)
    parser.add_argument("--yes", action="store_true", help="the plan was read; do not ask")
    parser.add_argument("--json", action="store_true", help="events as JSON lines")


def run(arguments: argparse.Namespace) -> int:
    """Show the plan, ask, carry it out; 0 when every outcome was verified."""
    from wizard.machine.detect import detect
    from wizard.plan.planner import PlanImpossible, make_plan

    if arguments.stack is None:
        return _refuse("apply needs --stack: see `rdna1-setup plan` for the suggested one.")
    if arguments.json and acts(arguments) and not arguments.yes:
        return _refuse("--json asks nothing. Read `rdna1-setup plan`, then add --yes.")
    host = host_of(arguments)
    machine = detect(host)
    try:
        choice = choice_of(arguments, arguments.stack, host.home)
        plan = make_plan(machine, choice, places_of(host), there_before(host, choice.venv))
    except PlanImpossible as error:
        return _refuse(str(error))
    if (obstacle := _obstacle(machine, arguments, plan)) and not _begun(plan, places_of(host)):
        return _refuse(obstacle)
    if not arguments.json:
        from wizard.report.plan import plan_lines

        print("\n".join(plan_lines(plan)), end="\n\n", flush=True)
    if acts(arguments) and not arguments.yes and not agreed("Carry this plan out?"):
        return _not_agreed()
    import asyncio

    code = asyncio.run(_carry_out(_executor(arguments), plan, as_json=arguments.json))
    if code == 0 and acts(arguments) and not arguments.json:
        print(_use(plan))
    return code


def _use(plan: Plan) -> str:
    """What to do with what was installed."""
    from wizard.plan.using import measure_command, use_command
    from wizard.run.lines import clean

    return f"Use it: {clean(use_command(plan))}\nMeasure Conv2d: {clean(measure_command(plan))}"


def _obstacle(machine: Machine, arguments: argparse.Namespace, plan: Plan) -> str:
    """Why this stack cannot work here; the device is not asked for with --without-card."""
    from wizard.knowledge.stacks import load_stacks
    from wizard.plan.card import with_card
    from wizard.plan.existing import obstacles_to
    from wizard.plan.fit import fit

    if arguments.without_card:
        return ""
    for stack in load_stacks():
        if stack.id == arguments.stack:
            found = fit(with_card(machine, arguments.gpu), (), stack)
            return " ".join(obstacles_to(plan.steps, machine, stack, found))
    return ""


def _begun(plan: Plan, places: Places) -> bool:
    """True when a run of this plan waits to be gone on with: the disk it fills is its own doing."""
    from pathlib import Path

    from wizard.run.journal import UNFINISHED, read_records

    records = read_records(Path(places.runs))
    return any(r.plan["id"] == plan.id and r.state == UNFINISHED for r in records)


def _not_agreed() -> int:
    if sys.stdin.isatty():
        print("Nothing was changed.", file=sys.stderr)
        return 2
    return _refuse(
        "Nothing was changed: there is no terminal to ask at. Read the plan above, then add --yes."
    )


def _refuse(text: str) -> int:
    print(f"rdna1-setup: {text}", file=sys.stderr)
    return 2


def _executor(arguments: argparse.Namespace) -> Executor:
    if not acts(arguments):
        from wizard.run.rehearsal import Rehearsal

        return Rehearsal()
    from wizard.run.live import Live

    host = host_of(arguments)
    return Live(places_of(host), host.environ)


async def _carry_out(executor: Executor, plan: Plan, *, as_json: bool) -> int:
    import asyncio
    import signal

    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - this is one
    stop = _Stop(executor, task)
    # Children never see the terminal's own signal.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    show = _Listened(_show_json if as_json else _Teller(), executor)
    try:
        return await _follow(executor, plan, show)
    except asyncio.CancelledError:
        print("Stopped inside a step. The same command does it again and goes on.", file=sys.stderr)
        return 130


async def _follow(executor: Executor, plan: Plan, show: Callable[[Event], None]) -> int:
    from contextlib import aclosing

    from wizard.run.events import PlanFinished

    async with aclosing(executor.carry_out(plan)) as events:
        async for event in events:
            show(event)
            if isinstance(event, PlanFinished):
                return 0 if event.ok else 130 if event.cancelled else 1
    return 1


class _Stop:
    """A first request stops at a safe point, a second one ends the running program."""

    def __init__(self, executor: Executor, task: asyncio.Task[int]) -> None:
        self._executor = executor
        self._task = task
        self._asked = False

    def __call__(self) -> None:
        from contextlib import suppress

        if self._asked:
            self._task.cancel()
            return
        self._asked = True
        self._executor.cancel()
        with suppress(OSError):  # the terminal may be what went
            print(
                "Stopping when this step is done, or at once inside a download. "
                "Ctrl+C again ends the step.",
                file=sys.stderr,
                flush=True,
            )


class _Listened:
    """Shows events while somebody reads them; asks to stop when nobody does any more."""

    def __init__(self, show: Callable[[Event], None], executor: Executor) -> None:
        self._show = show
        self._executor = executor
        self._alone = False

    def __call__(self, event: Event) -> None:
        if self._alone:
            return
        try:
            self._show(event)
        except OSError:
            self._alone = True
            forget_reader()
            self._executor.cancel()


def _show_json(event: Event) -> None:
    import json

    from wizard.jsonform import SCHEMA, to_json

    form: dict[str, Any] = {"schema": SCHEMA, "event": type(event).__name__, **to_json(event)}
    print(json.dumps(form), flush=True)


class _Teller:
    """Prints events as plain lines, and progress every tenth of the way."""

    def __init__(self) -> None:
        self._tenth = -1

    def __call__(self, event: Event) -> None:
        from wizard.report.events import event_lines, progress_line
        from wizard.run.events import Progress, StepStarted

        if isinstance(event, StepStarted):
            self._tenth = -1
        if not isinstance(event, Progress):
            print(*event_lines(event), sep="\n", flush=True)
        elif event.total and (tenth := event.done * 10 // event.total) > self._tenth:
            self._tenth = tenth
            print(f"    {progress_line(event)}", flush=True)
