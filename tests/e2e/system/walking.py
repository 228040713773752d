"""Walks the road of a plan, and stands still where it may be killed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from tests.e2e.system.freezing import frozen, wake
from tests.e2e.system.roots import Root
from tests.e2e.system.turnstile import HALF_REMOVED, UNPACKED, Record, free, hold, let, reached
from tests.e2e.terminal import Terminal
from tests.root.stops import kill, pids

QUESTION = "change nothing: "
STEP_S, ROAD_S, LOOK_S = 300, 900, 0.2
Victims = Literal["everything", "wizard", "helper", "both"]
WORDS: dict[Victims, tuple[tuple[str, ...], ...]] = {
    "everything": ((),),
    "wizard": (("-m wizard",),),
    "helper": (("assets/root",),),
    "both": (("-m wizard",), ("assets/root",)),
}


AMID = {
    UNPACKED: re.compile("^Status: install ok unpacked", re.MULTILINE),
    HALF_REMOVED: re.compile("^Status: (?:deinstall ok half-|purge ok config-)", re.MULTILINE),
}
"""What dpkg says of a package in the middle of a transaction."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A place on the road where everything stands still."""

    record: Record
    """The last one that reached the disk."""
    number: int = field(compare=False)
    """Which one it is, 1 for the first: another one where a road is gone on with."""
    after_s: float | None = None
    """How long after it; None for right behind it."""
    amid: bool = False
    """True while dpkg has unpacked packages and not configured them, or half removed some."""

    def __str__(self) -> str:
        words = f"{self.number}, {self.record}"
        if self.amid:
            return f"{words}, {self.record.amid}"
        return words if self.after_s is None else f"{words}, {self.after_s:.2f} s later"


@dataclass
class Walk:
    """A program at its terminal, held at each of its records."""

    root: Root
    terminal: Terminal
    answered: bool = False
    _number: int = 0
    _opening: Stop = field(default_factory=lambda: Stop(Record("wizard", "", 0), 0))
    _wanted: list[float] = field(default_factory=list)
    """The instants that are still to come in the step that was opened last."""
    _began: float = 0
    _transaction: Stop | None = None

    def stops(
        self, instants: Mapping[int, Sequence[float]] | None = None, *, amid: bool = False
    ) -> Generator[Stop, None, None]:
        """Each record, and these instants inside the wizard's steps; nothing moves meanwhile.

        Whoever stops asking leaves the program held.
        """
        while self._goes_on(lambda: self._has_come() or self._is_due() or self._is_amid()):
            stood, opening = time.monotonic(), self._opening
            if self._has_come():
                yield from self._record(instants or {}, amid=amid)
            else:
                yield from self._instant()
            if self._opening is opening:
                self._began += time.monotonic() - stood

    def _record(self, instants: Mapping[int, Sequence[float]], *, amid: bool) -> Iterator[Stop]:
        record = reached(self.root)[self._number]
        if record.who == "wizard":
            while self._wanted:  # the step was shorter: they lie at its very end
                yield self._next()
        self._number += 1
        stop = Stop(record, self._number)
        yield stop
        let(self.root, self._number)
        self._transaction = replace(stop, amid=True) if amid and record.amid else None
        if record.who == "wizard" and record.event == "intent":
            self._wanted = sorted(instants.get(record.step, ()))
            self._opening, self._began = stop, time.monotonic()

    def _instant(self) -> Iterator[Stop]:
        with frozen(self.root, self.terminal.pid):
            if self._is_due():
                yield self._next()
            elif self._is_amid() and self._transaction is not None:
                yield self._transaction
                self._transaction = None

    def _has_come(self) -> bool:
        return len(reached(self.root)) > self._number

    def _is_due(self) -> bool:
        return bool(self._wanted) and time.monotonic() - self._began >= self._wanted[0]

    def _is_amid(self) -> bool:
        stop = self._transaction
        return stop is not None and dpkg_says(self.root, AMID[stop.record.amid])

    def _next(self) -> Stop:
        return replace(self._opening, after_s=self._wanted.pop(0))

    def _goes_on(self, holds: Callable[[], bool]) -> bool:
        """Read and answer until this holds; False when the program has ended instead."""
        limit = time.monotonic() + STEP_S
        while not holds():
            if self.terminal.has_ended():
                return False
            self.terminal.wait_until(
                lambda: holds() or self._asks() or self.terminal.has_ended(),
                "the next stop",
                limit - time.monotonic(),
            )
            self._answer()
        return True

    def _asks(self) -> bool:
        return not self.answered and QUESTION in self.terminal.text()

    def to_the_end(self) -> int:
        """Let it go, answer what it asks; its exit code."""
        free(self.root)
        self._goes_on(lambda: False)
        return self.terminal.exit_code()

    def kill(self, victims: Victims) -> None:
        """End them at once; what is held or frozen stays so."""
        for words in WORDS[victims]:
            kill(*pids(self.root, *words))

    def resolve(self) -> None:
        """Let all the others come to their end, held by nobody."""
        free(self.root)
        limit = time.monotonic() + ROAD_S
        while self.root.running():
            assert time.monotonic() < limit, f"still at work: {self.root.running()}"
            later = time.monotonic() + LOOK_S
            self.terminal.wait_until(lambda: time.monotonic() > later, "later")  # noqa: B023
            self._answer()
            wake(self.root)

    def _answer(self) -> None:
        if self._asks():
            self.terminal.send("yes\n")
            self.answered = True


@contextmanager
def walk(root: Root, terminal: Terminal, *, held: bool = True) -> Iterator[Walk]:
    """The program at this terminal; left, all that runs in the root is dead."""
    (hold if held else free)(root)
    with terminal:
        yield Walk(root, terminal)
        while inside := [one.pid for one in root.running()]:
            kill(*inside)


def dpkg_says(root: Root, state: re.Pattern[str]) -> bool:
    """True while a package is in this state."""
    folder = root.path("/var/lib/dpkg/updates")
    texts: list[str] = []
    for path in (root.path("/var/lib/dpkg/status"), *folder.iterdir()):
        with suppress(FileNotFoundError):
            texts.append(path.read_text(errors="replace"))
    return any(map(state.search, texts))
