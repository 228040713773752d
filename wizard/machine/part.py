"""One part of detection: read in the background, abandoned at its deadline."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from wizard.core.fact import Unknown
from wizard.host.host import Host

T = TypeVar("T")

LATE = "no response in time"
PATIENCE_S = 20.0
"""How long a part may take before detection goes on without it."""


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """What a reader found, and the sources that it could not read at all."""

    value: T
    unread: tuple[Unknown, ...] = ()


@dataclass(frozen=True, slots=True)
class PartDone:
    """A part of detection that has its answer, in words for a row on the screen."""

    title: str
    source: str
    summary: str
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """How one part of a machine is read and told."""

    title: str
    source: str
    """Where it is read, for example ``/proc/cpuinfo``."""
    read: Callable[..., Found[T]]
    """Given the host, and what other parts read too."""
    tell: Callable[[T], tuple[str, tuple[str, ...]]]
    """Summary in one line, and details."""
    without: Callable[[Unknown], Any] = lambda _: ()
    """The value when reading did not end in time."""

    def told(self, value: T) -> PartDone:
        """A value of it in words."""
        return PartDone(self.title, self.source, *self.tell(value))


def was_late(title: str, unread: Iterable[Unknown]) -> bool:
    """True where a part gave no answer in time, by what of the machine was not read."""
    return any(reason.because.startswith(f"{title}: {LATE}") for reason in unread)


class Reading(Generic[T]):
    """A part being read by a thread that nobody has to wait for."""

    def __init__(self, part: Part[T], host: Host, *shared: Once[Any]) -> None:
        """Starts at once; a daemon, so that a read without end cannot keep us from exiting."""
        self._part = part
        self._found: Found[T] | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(
            target=self._read, args=(host, *shared), daemon=True, name=f"detect {part.title}"
        )
        self._thread.start()

    def _read(self, host: Host, *shared: Once[Any]) -> None:
        try:
            self._found = self._part.read(host, *(each() for each in shared))
        except BaseException as error:  # a bug must appear where result() is called, not vanish
            self._error = error

    def result(self, patience_s: float) -> Found[T]:
        """What was found, or the part's substitute when the time is over."""
        self._thread.join(max(patience_s, 0))
        if self._error is not None:
            raise self._error
        if self._found is None:
            why = Unknown(self._late())
            return Found(self._part.without(why), (why,))
        return self._found

    def _late(self) -> str:
        """That the part is late, and what it waits for."""
        path = looked_at(self._thread.ident)
        waits = f", which was reading {path}" if path else ""
        return f"{self._part.title}: {LATE} from {self._part.source}{waits}"

    def told(self, found: Found[T]) -> PartDone:
        """The answer in words."""
        done = self._part.told(found.value)
        unread = (f"not read: {reason.because}" for reason in found.unread)
        return replace(done, details=(*done.details, *unread))


class Once(Generic[T]):
    """Gives what a function gives, and calls it one time; who comes later waits for that."""

    def __init__(self, make: Callable[[], T]) -> None:
        """Nothing is called yet."""
        self._make = make
        self._lock = threading.Lock()
        self._made: list[T] = []

    def __call__(self) -> T:
        """The value; a function that raises is called again by the next one."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]


QUESTIONS = frozenset(name for name in vars(Host) if not name.startswith("_"))
ABOUT = ("path", "folder", "query")
"""What the questions call the thing that they are about."""


def looked_at(thread: int | None) -> str:
    """The path, or the program, of the question that a thread asks a host; ``""`` for none.

    Nobody has to note each path for it: it costs nothing before something is late.
    """
    frame = sys._current_frames().get(thread or 0)
    while frame is not None:
        if frame.f_code.co_name in QUESTIONS:
            given = frame.f_locals
            about = next((given[name] for name in ABOUT if name in given), None)
            if about is not None:
                return about if isinstance(about, str) else str(about.value[0])
        frame = frame.f_back
    return ""
