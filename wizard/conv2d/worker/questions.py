"""Asking the MIOpen of somebody's torch, in a child that may hang in the driver: nothing launches.

A setting has a child of its own: MIOpen reads its variables once. Each answer has a deadline.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

from assets import FOLDER
from wizard.conv2d.candidates import (
    Asked,
    Candidates,
    NotAsked,
    choice_of,
    library_of,
    questions,
    why_not,
)
from wizard.conv2d.hangs import state_of
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import Sweep, how_it_died
from wizard.conv2d.worker.process import (
    LEAVE_SECONDS,
    Worker,
    shared_memory,
    start_worker,
)
from wizard.conv2d.worker.start import Isolation, Way, isolation

SCRIPT = FOLDER / "miopen_ask.py"
OTHER_PYTHON = "Use --python to name the Python of an environment that has torch for ROCm."
CHECK = "`rdna1-setup detect` checks the card and its device files."
WITH_LOG = "Measure with --log instead: MIOpen's log names what it runs."
RESTART = "Save your work and restart the machine."
REASONS = {
    "no-torch": ("{python} has no torch, so there is no MIOpen to ask.", OTHER_PYTHON),
    "import-failed": ("{python} cannot import torch: {text}.", OTHER_PYTHON),
    "cpu-torch": ("This torch ({text}) is built for the CPU and has no MIOpen.", OTHER_PYTHON),
    "cuda-torch": ("This torch ({text}) is built for CUDA and has no MIOpen.", OTHER_PYTHON),
    "not-loaded": ("This torch ({text}) is built for ROCm but did not load MIOpen.", WITH_LOG),
    "several": ("Several copies of MIOpen are loaded, so it is unclear which one torch uses: "
                "{text}.", WITH_LOG),
    "cannot-load": ("The MIOpen that torch has loaded cannot be opened: {text}.", WITH_LOG),
    "other-api": ("This version of MIOpen has an interface unknown to this program: {text} is "
                  "missing.", WITH_LOG),
    "no-handle": ("MIOpen found no card that it can use: {text}.", CHECK),
}  # fmt: skip
MOST_AT_ONCE = 3
"""Children with torch in them: as many parents of measurements may live at once."""
NO_KFD = " This machine has no /dev/kfd, which ROCm needs."

Ask = Callable[[Sweep, Sequence[Row], Mapping[str, str]], Awaitable[tuple[Asked, ...]]]
"""Candidates for each row, under this Python and on top of this environment."""


def ask_argv(python: str) -> tuple[str, ...]:
    """The command line without the numbers of the pipes: what a dry run shows."""
    return (python, str(SCRIPT))


async def ask_miopen(
    sweep: Sweep, rows: Sequence[Row], environ: Mapping[str, str]
) -> tuple[Asked, ...]:
    """What the MIOpen of the sweep's torch would choose from, for each row.

    ``environ`` is what the rows are measured in, without the settings of their own.
    """
    found: dict[int, Asked] = {}
    ways: dict[Way, list[int]] = {}
    for place, row in enumerate(rows):
        if (reason := why_not(row, sweep.device)) is not None:
            found[place] = reason
        else:
            ways.setdefault(Way(spawn=False, setting=row.setting), []).append(place)
    some = asyncio.Semaphore(MOST_AT_ONCE)

    async def ask(way: Way) -> None:
        asked = [rows[place] for place in ways[way]]
        async with some:
            answers = await _answers_on(way, sweep, asked, environ, databases, memory)
        found.update(zip(ways[way], answers, strict=True))

    with closing(isolation(environ, keep=False)) as databases, shared_memory(0) as memory:
        tasks = [asyncio.ensure_future(ask(way)) for way in ways]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return tuple(found[place] for place in range(len(rows)))


async def _answers_on(
    way: Way,
    sweep: Sweep,
    rows: Sequence[Row],
    environ: Mapping[str, str],
    databases: Isolation,
    memory: int,
) -> Sequence[Asked]:
    """The answers for rows of one way of measuring."""
    folder = None
    if way.setting or sweep.environment.isolated:
        try:
            folder = databases.folder(way)
        except OSError as error:
            why = f"{databases.base} cannot be written: {error.strerror}."
            return [NotAsked(why)] * len(rows)
    return await _answers(sweep, rows, way.environment(environ, folder), memory)


class _Unanswered(Exception):
    """No answer came, and none will."""

    def __init__(self, reason: NotAsked) -> None:
        super().__init__(reason.why)
        self.reason = reason


async def _answers(
    sweep: Sweep, rows: Sequence[Row], environ: Mapping[str, str], memory: int
) -> list[Asked]:
    """What one child says; for the rows that it does not answer any more, the reason."""
    try:
        worker = await start_worker(ask_argv(sweep.python), environ, memory, on_gpu=True)
    except (OSError, ValueError) as error:  # ValueError: a path with a null byte
        text = getattr(error, "strerror", None) or str(error)
        why = f"{sweep.python} could not be started: {text}."
        return [NotAsked(why, OTHER_PYTHON)] * len(rows)
    found: list[Asked] = []
    reason: NotAsked | None = None
    patience, deadlines = 0.0, sweep.deadlines
    try:
        # torch is imported, then the card is started.
        about = await _event(worker, deadlines.imports + deadlines.first)
        if about["event"] == "none":
            raise _Unanswered(_why_none(sweep.python, about))
        for row in rows:
            choices = []
            for question in questions(row):
                worker.send(question)
                answer = await _event(worker, deadlines.first)
                choices.append(choice_of(question["direction"], answer))
            found.append(Candidates(tuple(choices), library_of(about)))
        patience = LEAVE_SECONDS
    except _Unanswered as unanswered:
        reason = unanswered.reason
    finally:
        await worker.close(patience)
    if reason is not None and worker.process.returncode is None:
        state = state_of(worker.process.pid) or "unknown"
        reason = NotAsked(f"{reason.why} The process cannot be killed (state {state}).", RESTART)
    return found if reason is None else [*found, *[reason] * (len(rows) - len(found))]


async def _event(worker: Worker, seconds: float) -> dict[str, Any]:
    """The next word of the child. Raises ``_Unanswered``."""
    try:
        event = await worker.receive(seconds)
    except asyncio.TimeoutError:
        why = f"MIOpen did not answer within {seconds:g} s, so the process was ended."
        raise _Unanswered(NotAsked(why, WITH_LOG)) from None
    if event is None:
        how = how_it_died(await worker.exit_code(), worker.tail.text())
        raise _Unanswered(NotAsked(f"MIOpen did not answer: {how}.", WITH_LOG))
    return event


def _why_none(python: str, about: dict[str, Any]) -> NotAsked:
    text, next_step = REASONS[about["none"]]
    why = text.format(python=python, text=about["text"].rstrip("."))
    return NotAsked(f"{why}{NO_KFD if about.get('kfd') is False else ''}", next_step)
