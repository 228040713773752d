"""Carries a plan out and tells what happens, as lines or as JSON; stops when asked."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from wizard.commands.looking import forget_output

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncGenerator, Callable

    from wizard.core.events import Event
    from wizard.plan.steps import Plan
    from wizard.run.executor import Executor


async def carry_out(
    executor: Executor,
    plan: Plan,
    *,
    as_json: bool,
    teller: Callable[[Event], None] | None = None,
) -> int:
    """The exit code: 0 when every outcome was verified, 130 when it was stopped.

    ``teller`` shows events in place of the usual lines.
    """
    events = executor.carry_out(plan)
    return await follow(events, executor.cancel, as_json=as_json, teller=teller)


async def follow(
    events: AsyncGenerator[Event, None],
    cancel: Callable[[], None],
    *,
    as_json: bool,
    teller: Callable[[Event], None] | None = None,
) -> int:
    """The exit code of what these events tell; ``cancel`` stops it at a safe point."""
    import asyncio
    import signal

    from wizard.core.process import on_signals

    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - this is one
    stop = _Stop(cancel, task)
    # Children never see the terminal's own signal.
    on_signals((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), stop)
    show = _Listened(_show_json if as_json else teller or _Teller(), cancel)
    try:
        return await _follow(events, show)
    except asyncio.CancelledError:
        print(await asyncio.to_thread(_stopped), file=sys.stderr)
        return 130


def _stopped() -> str:
    """What became of the step that was left: root's goes on without us."""
    from wizard.root.session import find_at_work
    from wizard.run.at_work import at_work_text

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


async def _follow(coming: AsyncGenerator[Event, None], show: Callable[[Event], None]) -> int:
    from contextlib import aclosing

    from wizard.core.events import PlanFinished

    async with aclosing(coming) as events:
        async for event in events:
            show(event)
            if isinstance(event, PlanFinished):
                return 0 if event.ok else 130 if event.cancelled else 1
    return 1


class _Stop:
    """A first request stops at a safe point, a second one ends the running program."""

    def __init__(self, cancel: Callable[[], None], task: asyncio.Task[int]) -> None:
        self._cancel = cancel
        self._task = task
        self._asked = False

    def __call__(self) -> None:
        from contextlib import suppress

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
    import json

    from wizard.core.json_form import SCHEMA, to_json

    form: dict[str, Any] = {"schema": SCHEMA, "event": type(event).__name__, **to_json(event)}
    print(json.dumps(form), flush=True)


class _Teller:
    """Prints events as plain lines, and progress every tenth of the way."""

    def __init__(self) -> None:
        from wizard.report.plan import Tenths

        self._tenths = Tenths()

    def __call__(self, event: Event) -> None:
        from wizard.report.plan import event_lines

        if self._tenths.worth_telling(event):
            print(*event_lines(event), sep="\n", flush=True)
