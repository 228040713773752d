"""Checks that run side by side, each alone: none can hold up or take down the others."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from wizard.diagnose.finding import NO_CAUSE, Finding
from wizard.diagnose.outcomes import not_tested
from wizard.machine.facts import Machine

CHECK_S = 10.0
"""How long a check of facts that are there already may take."""


@dataclass(frozen=True, slots=True)
class Look:
    """A check with its name and its patience."""

    name: str
    """What is looked at, in words."""
    check: Callable[[Machine], Iterable[Finding]]
    deadline_s: float = CHECK_S


class _Overdue(BaseException):
    """Ends a check whose time is over; no check catches it by mistake."""


class _Running:
    """A check at work in a thread that nobody has to wait for."""

    def __init__(self, look: Look, machine: Machine) -> None:
        self._look = look
        self._found: tuple[Finding, ...] | None = None
        # A daemon, so that a read without end cannot keep the program from exiting.
        self._thread = threading.Thread(
            target=self._run, args=(machine,), daemon=True, name=f"check {look.name}"
        )
        self._thread.start()

    def _run(self, machine: Machine) -> None:
        try:
            self._found = tuple(self._look.check(machine))
        except _Overdue:
            pass
        except Exception as error:  # a mistake in a check costs that check and not the report
            self._found = self._without(f"a bug in this program: {type(error).__name__}: {error}")

    def result(self, limit: float) -> tuple[Finding, ...]:
        self._thread.join(max(limit - time.monotonic(), 0))
        if (found := self._found) is not None:
            return found
        self._end()
        return self._without(f"it took longer than {self._look.deadline_s:g} s and was abandoned")

    def _without(self, why: str) -> tuple[Finding, ...]:
        return (not_tested(NO_CAUSE, f"The check of {self._look.name} did not finish", why),)

    def _end(self) -> None:
        """Ask Python to end it: an endless loop obeys at once, a wait in the kernel at its end."""
        number = self._thread.ident
        if number is not None and self._thread.is_alive():
            thread, error = ctypes.c_ulong(number), ctypes.py_object(_Overdue)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)


def run_each(looks: Iterable[Look], machine: Machine) -> Iterator[tuple[Finding, ...]]:
    """What each finds, in this order, each as soon as it and those before it are done.

    All of them begin at once, so that the whole takes no longer than the longest patience.
    """
    began = time.monotonic()
    running = [(look, _Running(look, machine)) for look in looks]
    for look, one in running:
        yield one.result(began + look.deadline_s)
