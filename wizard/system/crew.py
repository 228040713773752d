"""Jobs that may block for long, in threads that can be left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Condition, Thread
from typing import Generic, TypeVar

T = TypeVar("T")
LOOK_S = 0.1
"""Time between two looks whether to stop."""


class Left(Exception):
    """Stopping was asked for, or another job failed."""


class Crew(Generic[T]):
    """Jobs that may block for long, such as reading from a server that is silent, in threads.

    A blocked read cannot be interrupted. So whoever is to stop leaves it behind; its thread ends
    with it, changes nothing any more, and keeps nobody from exiting.
    """

    def __init__(self, lanes: int) -> None:
        self._lanes = lanes
        self._working = self._changing = 0
        self._over = False
        self._state = Condition()
        self._news: SimpleQueue[T | Exception | None] = SimpleQueue()

    def run(
        self, jobs: Sequence[Callable[[], None]], cancelled: Callable[[], bool]
    ) -> Iterator[T | None]:
        """What the jobs tell, and None from time to time; raises what the first of them raises.

        Ends early when cancelled.
        """
        for job in jobs:
            Thread(target=self._do, args=(job,), name="rdna1-setup job", daemon=True).start()
        left = len(jobs)
        try:
            while left and not cancelled():
                with suppress(Empty):
                    news = self._news.get(timeout=LOOK_S)
                    if isinstance(news, Exception):
                        raise news
                    if news is not None:
                        yield news
                        continue
                    left -= 1
                yield None
        finally:
            self._stop()

    def _do(self, job: Callable[[], None]) -> None:
        try:
            job()
        except Left:
            return
        except Exception as error:  # it is raised again where the news are read
            self._news.put(error)
        else:
            self._news.put(None)

    def _stop(self) -> None:
        """From now on no job changes anything."""
        with self._state:
            self._over = True
            self._state.notify_all()
            self._state.wait_for(lambda: not self._changing)

    def left(self) -> bool:
        """True once nobody waits for the jobs any more."""
        return self._over

    def tell(self, news: T) -> None:
        """Say something from within a job."""
        self._news.put(news)

    def pause(self, seconds: float) -> None:
        """Let time pass in a job; raises Left."""
        with self._state:
            self._state.wait_for(self.left, seconds)
            self._go_on()

    @contextmanager
    def lane(self) -> Iterator[None]:
        """One of the few places to work in; raises Left."""
        with self._state:
            self._state.wait_for(lambda: self._over or self._working < self._lanes)
            self._go_on()
            self._working += 1
        try:
            yield
        finally:
            with self._state:
                self._working -= 1
                self._state.notify_all()

    def narrow(self) -> bool:
        """Work in one lane fewer from now on; False where there is but one."""
        with self._state:
            narrower = min(self._lanes, self._working) > 1
            if narrower:
                self._lanes = min(self._lanes, self._working) - 1
            return narrower

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Where a job changes something: stopping waits for it. Raises Left."""
        with self._state:
            self._go_on()
            self._changing += 1
        try:
            yield
        finally:
            with self._state:
                self._changing -= 1
                self._state.notify_all()

    def _go_on(self) -> None:
        if self._over:
            raise Left
