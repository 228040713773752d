"""The events of a run in its file: written line by line, and followed while it goes on."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import suppress
from types import TracebackType

from wizard.conv2d.journal import Attempts, read_journal
from wizard.conv2d.requests import sweep_in
from wizard.conv2d.runs.folders import Run
from wizard.conv2d.stop_reasons import died, not_read
from wizard.conv2d.sweep import (
    Note,
    ShapeDone,
    ShapeStarted,
    StopReason,
    Sweep,
    SweepDone,
    SweepEvent,
    event_line,
    event_of,
)
from wizard.conv2d.verdicts import Result
from wizard.core.own_files import open_private, read_private


class EventFile:
    """Appends events; unbuffered, so that a kill loses nothing that was told."""

    def __init__(self, run: Run) -> None:
        """Raises ``OSError`` where it cannot be written."""
        self._run = run
        self._descriptor = open_private(run.events, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        self._results: dict[int, Result] = {}

    def __enter__(self) -> EventFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._descriptor)

    def add(self, event: SweepEvent) -> None:
        """Write one event. Raises ``OSError``."""
        if isinstance(event, ShapeDone):
            self._results[event.number] = event.result
        self._write(event_line(event))

    def end(self, trouble: StopReason) -> None:
        """Write the last event of a run that was broken off, with the verdicts that it has."""
        results = tuple(self._results[number] for number in sorted(self._results))
        self._run.free_reserve()
        self.fix()
        self._write(event_line(SweepDone(results, trouble, 0.0)))

    def fix(self) -> None:
        """Begin a new line after one that was torn by a kill or a full disk."""
        size = os.fstat(self._descriptor).st_size
        if size and os.pread(self._descriptor, 1, size - 1) != b"\n":
            self._write(b"\n")

    def _write(self, line: bytes) -> None:
        while line:
            line = line[os.write(self._descriptor, line) :]


CHUNK = 1 << 18
SHORTEST_S = 0.02
LONGEST_S = 0.25
"""Time between two looks: little while something happens, more and more while nothing does."""
CLEARING_S = 15.0
"""How long a runner may take to end its workers before its end is told all the same."""
LONGEST_FILE = 64 << 20
LOG_BYTES = 4096
BEGIN = b'{"event": "ShapeStarted"'
END = b'{"event": "SweepDone"'
SHOWN = 200


async def followed(run: Run, offset: int = 0) -> AsyncGenerator[SweepEvent, None]:
    """What happened from that byte of its file on, and what happens; the last is ``SweepDone``.

    To close it ends nothing but the looking.
    """
    try:
        descriptor = open_private(run.events, os.O_RDONLY)
    except OSError as error:
        yield SweepDone((), not_read(str(run.events), error), 0.0)
        return
    try:
        rest, wait_s = b"", SHORTEST_S
        while True:
            alive = run.is_alive()  # before the look: what it wrote last is then there
            chunk = os.pread(descriptor, CHUNK, offset)
            offset += len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            for event in _events(lines):
                if isinstance(event, SweepDone):
                    await _gone(run)
                yield event
                if isinstance(event, SweepDone):
                    return
                await asyncio.sleep(0)  # of a run that has long been under way there are thousands
            if chunk:
                wait_s = SHORTEST_S
            elif not alive:
                break
            else:
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, LONGEST_S)
    finally:
        os.close(descriptor)
    for event in ending(run):
        yield event


async def _gone(run: Run) -> None:
    """Wait for the runner to clear up: what is started before that would find it at work."""
    for _ in range(round(CLEARING_S / SHORTEST_S)):
        if not run.is_alive():
            return
        await asyncio.sleep(SHORTEST_S)


def has_end(run: Run) -> bool:
    """True once its last event is written."""
    try:
        return END in read_private(run.events, LONGEST_FILE)
    except OSError:
        return False


def begun(run: Run) -> int:
    """How many shapes it has begun by now; none where its file cannot be read."""
    try:
        return read_private(run.events, LONGEST_FILE).count(BEGIN)
    except OSError:
        return 0


def events_in(run: Run) -> tuple[SweepEvent, ...]:
    """Every event that is in its file now; none where it cannot be read."""
    try:
        return read_events(run)
    except OSError:
        return ()


def read_events(run: Run) -> tuple[SweepEvent, ...]:
    """Every event that is in its file now. Raises ``OSError``."""
    return tuple(_events(read_private(run.events, LONGEST_FILE).split(b"\n")[:-1]))


def _events(lines: Iterable[bytes]) -> Iterator[SweepEvent]:
    return (event for line in lines if (event := event_of(line)) is not None)


def ending(run: Run, trouble: StopReason | None = None) -> tuple[SweepEvent, ...]:
    """The end that a runner which is gone could not write, from its journal."""
    attempts = read_journal(run.journal)
    results = tuple(attempts.results[index] for index in sorted(attempts.results))
    if attempts.finished and isinstance(run.request, Sweep):
        return (SweepDone(results, None, 0.0),)
    suspect = _label(run, attempts)
    trouble = trouble or died(suspect, _last_words(run))
    return (Note(f"{trouble.happened} {trouble.meaning}"), SweepDone(results, trouble, 0.0))


def close_books(run: Run, trouble: StopReason | None = None) -> None:
    """Write the end of a run whose runner died, while its journal still tells it."""
    try:
        lock = open_private(run.lock, os.O_RDWR | os.O_CREAT)
    except OSError:
        return
    try:
        with suppress(OSError):  # it lives after all, or there is no room to write
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not has_end(run):
                with EventFile(run) as file:
                    file.fix()
                    for event in ending(run, trouble):
                        file.add(event)
    finally:
        os.close(lock)


def _label(run: Run, attempts: Attempts) -> str:
    """The shape that was launched and has no verdict; ``""`` for none."""
    if attempts.under_way is None:
        return ""
    rows = sweep_in(run.request).rows if isinstance(run.request, Sweep) else ()
    if attempts.under_way < len(rows):
        return rows[attempts.under_way].label
    started = (event for event in events_in(run) if isinstance(event, ShapeStarted))
    labels = {event.number: event.row.label for event in started}
    return labels.get(attempts.under_way + 1, f"shape {attempts.under_way + 1}")


def _last_words(run: Run) -> str:
    """The last line that the runner printed, which is the reason where it failed by itself."""
    with suppress(OSError):
        lines = read_private(run.log, LOG_BYTES).decode("utf-8", "replace").split("\n")
        words = [line.strip() for line in lines if line.strip()]
        return words[-1][:SHOWN] if words else ""
    return ""
