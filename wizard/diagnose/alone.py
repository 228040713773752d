"""One look at a time, each by itself: a mistake in it, or no end of it, costs it and no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from threading import Thread

from wizard.diagnose.checked import not_tested
from wizard.diagnose.finding import Finding

DEADLINE_S = 20.0
NOBODYS_CAUSE = "none"
"""The cause of what no cause is known for."""
REPORT_IT = "The other checks are not affected. Please report it: rdna1-setup report"


def alone(
    name: str, look: Callable[[], Iterable[Finding]], deadline: float = DEADLINE_S
) -> tuple[Finding, ...]:
    """What a look finds; that it was left where it does not end in time, or breaks."""
    answers: SimpleQueue[tuple[Finding, ...]] = SimpleQueue()
    # A daemon: the program ends without a look that never does.
    Thread(target=lambda: answers.put(_found(name, look)), daemon=True).start()
    try:
        return answers.get(timeout=deadline)
    except Empty:
        return (_broken(name, f"It was left after {deadline:g} s."),)


def _found(name: str, look: Callable[[], Iterable[Finding]]) -> tuple[Finding, ...]:
    try:
        return tuple(look())
    except Exception as error:  # a mistake in one look must not take the report down
        return (_broken(name, f"A mistake in this program: {type(error).__name__}: {error}."),)


def _broken(name: str, why: str) -> Finding:
    return not_tested(NOBODYS_CAUSE, f"The check of {name} did not end", f"{why} {REPORT_IT}")
