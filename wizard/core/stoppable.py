"""How a wish to stop is heard, and waiting that it cuts short: for a call, and for time to pass."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

LOOK_S = 0.2
"""Time between two looks whether to stop."""


def on_signals(numbers: Iterable[signal.Signals], call: Callable[[], object]) -> None:
    """Call this when one of these signals comes, but for those that were ignored from the start.

    nohup has a hang-up ignored, and a shell Ctrl+C by what a script starts behind itself.
    """
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, call)


class Left(Exception):
    """The call was left to itself, because stopping was asked for while it blocked."""


class Aside:
    """A thread for calls that may block for long, such as reading from a server that is silent.

    A blocked read cannot be interrupted, and closing what it reads from waits for it. So whoever
    is to stop leaves the call behind; its thread ends with it, closes what was opened, and keeps
    nobody from exiting.
    """

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        self._cancelled = cancelled
        self._calls: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._ends: SimpleQueue[tuple[Any, Exception | None]] = SimpleQueue()
        self._left = False
        self._thread = Thread(target=self._work, name="rdna1-setup aside", daemon=True)

    def __enter__(self) -> Aside:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._calls.put(None)
        if not self._left:
            self._thread.join()

    def call(self, function: Callable[[], T]) -> T:
        """What the function returns or raises; raises Left when asked to stop meanwhile.

        A result that can be closed is closed in the end.
        """
        self._calls.put(function)
        while True:
            with suppress(Empty):
                result, error = self._ends.get(timeout=LOOK_S)
                if error is not None:
                    raise error
                found: T = result
                return found
            if self._cancelled():
                self._left = True
                raise Left

    def _work(self) -> None:
        with ExitStack() as opened:
            while (function := self._calls.get()) is not None:
                try:
                    result = function()
                except Exception as error:  # it is the caller's, who raises it again
                    self._ends.put((None, error))
                    continue
                if hasattr(result, "close"):
                    opened.callback(result.close)
                self._ends.put((result, None))


def pause(cancelled: Callable[[], bool], seconds: float) -> None:
    """Let time pass, unless stopping is asked for."""
    until = time.monotonic() + seconds
    while not cancelled() and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, LOOK_S))
