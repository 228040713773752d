"""The events of a run, written line by line: each whole line is there at once."""

from __future__ import annotations

import os
from types import TracebackType

from wizard.conv2d.runs.event_form import event_line
from wizard.conv2d.runs.folders import Run
from wizard.conv2d.sweep import ShapeDone, StopReason, SweepDone, SweepEvent
from wizard.conv2d.verdicts import Result
from wizard.core.own_files import open_private


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
        self.mend()
        self._write(event_line(SweepDone(results, trouble, 0.0)))

    def mend(self) -> None:
        """Begin a new line after one that was torn by a kill or a full disk."""
        size = os.fstat(self._descriptor).st_size
        if size and os.pread(self._descriptor, 1, size - 1) != b"\n":
            self._write(b"\n")

    def _write(self, line: bytes) -> None:
        while line:
            line = line[os.write(self._descriptor, line) :]
