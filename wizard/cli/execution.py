"""What every command that carries a plan out does: look once more, show, ask, do, tell."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from wizard.cli.console import agreed, forget_output, not_agreed, refuse_for
from wizard.core.events import Event, PlanFinished
from wizard.core.json_form import SCHEMA, to_json
from wizard.core.lines import clean
from wizard.core.process import on_signals
from wizard.host.host import Host, places_of
from wizard.machine.facts import Machine
from wizard.plan.steps import Plan
from wizard.report.plan import (
    Tenths,
    as_of_lines,
    ending_lines,
    event_lines,
    foreseen_lines,
    plan_lines,
)
from wizard.root.session import STATE, find_at_work
from wizard.run.at_work import at_work_text, events_of
from wizard.run.executor import Executor, Live
from wizard.run.obstacles import foreseen
from wizard.run.preflight import preflight
from wizard.run.rehearsal import Rehearsal
from wizard.services.command_line import acts

GOES_ON = (
    "This continues an unfinished run. To start over instead, undo it first: rdna1-setup rollback"
)
ASKS_NOTHING = (
    "With --json, this command cannot prompt you. Read the plan (`rdna1-setup plan`), then add "
    "--yes."
)


async def follow(
    events: AsyncGenerator[Event, None],
    cancel: Callable[[], None],
    *,
    as_json: bool,
    teller: Callable[[Event], None] | None = None,
) -> int:
    """The exit code of what these events tell: 0 when every outcome was verified, 130 if stopped.

    ``cancel`` stops it at a safe point; ``teller`` shows events in place of the usual lines.
    """
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - this is one
    stop = _Stop(cancel, task)
    # Children never see the terminal's own signal.
    on_signals((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), stop)
    show = _Listened(_show_json if as_json else teller or Teller(), cancel)
    try:
        async with aclosing(events) as coming:
            async for event in coming:
                show(event)
                if isinstance(event, PlanFinished):
                    return 0 if event.ok else 130 if event.cancelled else 1
        return 1
    except asyncio.CancelledError:
        print(await asyncio.to_thread(_stopped), file=sys.stderr)
        return 130


def _stopped() -> str:
    """What became of the step that was left: root's goes on without us."""
    session = find_at_work()
    if session is None or not session.step:
        return (
            "The run stopped during a step. Run the same command again to repeat the step and "
            "continue."
        )
    return (
        f"Stopped, but {at_work_text(session)}. The step will finish on its own.\n"
        "`rdna1-setup watch` shows its progress. Then run the same command again to continue."
    )


class _Stop:
    """A first request stops at a safe point, a second one ends the running program."""

    def __init__(self, cancel: Callable[[], None], task: asyncio.Task[int]) -> None:
        self._cancel = cancel
        self._task = task
        self._asked = False

    def __call__(self) -> None:
        if self._asked:
            self._task.cancel()
            return
        self._asked = True
        self._cancel()
        with suppress(OSError):  # the terminal may be what went
            print(
                "Stopping after this step, or immediately if a download is in progress. Press "
                "Ctrl+C again to end the step. A step that runs as root always finishes.",
                file=sys.stderr,
                flush=True,
            )


class _Listened:
    """Shows events while somebody reads them; asks to stop when nobody does any more."""

    def __init__(self, show: Callable[[Event], None], cancel: Callable[[], None]) -> None:
        self._show = show
        self._cancel = cancel
        self._alone = False

    def __call__(self, event: Event) -> None:
        if self._alone:
            return
        try:
            self._show(event)
        except OSError:
            self._alone = True
            forget_output()
            self._cancel()


def _show_json(event: Event) -> None:
    form: dict[str, Any] = {"schema": SCHEMA, "event": type(event).__name__, **to_json(event)}
    print(json.dumps(form), flush=True)


class Teller:
    """Prints events as plain lines, and progress every tenth of the way."""

    def __init__(self, ending: Callable[[PlanFinished], Iterable[str]] = event_lines) -> None:
        """``ending`` gives the lines of the last event."""
        self._tenths, self._ending = Tenths(), ending

    def __call__(self, event: Event) -> None:
        if isinstance(event, PlanFinished):
            print(*self._ending(event), sep="\n", flush=True)
        elif self._tenths.worth_telling(event):
            print(*event_lines(event), sep="\n", flush=True)


def cannot_ask(arguments: argparse.Namespace) -> bool:
    """True where nobody could be asked and nobody has agreed before."""
    return arguments.json and acts(arguments) and not arguments.yes


def carry_out(
    plan: Plan, arguments: argparse.Namespace, host: Host, machine: Machine | None = None
) -> int:
    """Look once more, show the plan, ask, carry it out; 0 when every outcome was verified.

    With the ``machine``, the ending names the programs where they were found.
    """
    if acts(arguments):
        refusals = preflight(plan, host)
        for each in refusals:
            refuse_for(each)
        if refusals:
            return 2
    executor: Executor
    if acts(arguments):
        executor = Live(places_of(host), host.environ, yes=arguments.yes)
    else:
        executor = Rehearsal() if host.name else Rehearsal(foreseen(plan, places_of(host)))
    return show_and_do(plan, arguments, executor, host, machine)


def show_and_do(
    plan: Plan,
    arguments: argparse.Namespace,
    executor: Executor,
    host: Host,
    machine: Machine | None = None,
) -> int:
    """Show the plan, ask, and let this executor do it."""
    if not arguments.json:
        as_of = () if acts(arguments) else as_of_lines(plan)
        told = plan_lines(plan, runs=places_of(host).runs)
        print(*as_of, *told, sep="\n", end="\n\n", flush=True)
    if acts(arguments) and not arguments.yes and not agreed("Carry out this plan?"):
        return not_agreed()
    teller = None if acts(arguments) else _tell_foreseen
    events = executor.carry_out(plan)
    following = follow(events, executor.cancel, as_json=arguments.json, teller=teller)
    code = asyncio.run(following)
    if code == 0 and not arguments.json:
        applications = getattr(arguments, "app", None) or ()
        print(*ending_lines(plan, applications, machine, done=acts(arguments)), sep="\n")
    return code


def _tell_foreseen(event: Event) -> None:
    for line in foreseen_lines(event):
        print(line)


ENDED = "The root step has finished."


def watch_first(arguments: argparse.Namespace, state: Path | None = None) -> None:
    """Where a command acts, what root still does for an earlier start comes to its end before.

    It is told on standard error, for what a command prints may be read by a program.
    """
    session = find_at_work(state or STATE) if acts(arguments) else None
    if session is None:
        return
    with redirect_stdout(sys.stderr):
        print(f"{clean(at_work_text(session))} (an earlier run). Waiting for that run to finish.")
        asyncio.run(show_events(events_of(session), ENDED))


async def show_events(events: AsyncGenerator[Event, None], ending: str = "") -> int:
    """Print events as lines, and progress every tenth of the way; 0 when it ended well."""
    last = ending or f"{ENDED} To continue the plan, start rdna1-setup again."
    tell = Teller(lambda _: (last,))
    async with aclosing(events) as coming:
        async for event in coming:
            tell(event)
            if isinstance(event, PlanFinished):
                return 0 if event.ok else 1
    return 1
