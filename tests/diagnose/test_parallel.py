"""Checks side by side: what one does wrong costs that one alone, and none is waited for long."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from tests.handmade import clean_jammy
from wizard.diagnose.finding import Finding, Status
from wizard.diagnose.machine import Look, diagnose, looks_of, run_each
from wizard.diagnose.outcomes import fine
from wizard.machine.facts import Machine

SHORT_S = 0.3
LOOPED = threading.Event()


def good(machine: Machine) -> Iterator[Finding]:
    yield fine("disk-full", "There is")


def raises(machine: Machine) -> Iterator[Finding]:
    yield fine("disk-full", "There is")
    raise RecursionError("too deep")


def loops(machine: Machine) -> Iterator[Finding]:
    try:
        while True:
            pass
    finally:
        LOOPED.set()
    yield


def looks(*checks: object) -> tuple[Look, ...]:
    return tuple(Look(getattr(c, "__name__", "?"), c, SHORT_S) for c in checks)  # type: ignore[arg-type]


def by_name(*checks: object) -> dict[str, tuple[Finding, ...]]:
    named = looks(*checks)
    found = run_each(named, clean_jammy())
    return {look.name: findings for look, findings in zip(named, found, strict=True)}


def test_a_mistake_costs_the_check_that_made_it() -> None:
    found = by_name(raises, good)
    (finding,) = found["raises"]
    assert finding.status is Status.NOT_TESTED
    assert "RecursionError: too deep" in finding.meaning
    assert [one.status for one in found["good"]] == [Status.OK]


def test_an_endless_loop_costs_its_own_time_and_is_ended() -> None:
    LOOPED.clear()
    found = by_name(loops, good)
    (finding,) = found["loops"]
    assert finding.status is Status.NOT_TESTED
    assert "longer than 0.3 s" in finding.meaning
    assert [one.status for one in found["good"]] == [Status.OK]
    assert LOOPED.wait(10)


def test_several_that_wait_for_ever_are_waited_for_together() -> None:
    never = threading.Event()

    def waits(machine: Machine) -> Iterator[Finding]:
        never.wait(60)
        yield from ()

    began = time.monotonic()
    found = list(run_each([Look(f"wait {n}", waits, SHORT_S) for n in range(8)], clean_jammy()))
    took = time.monotonic() - began
    never.set()
    assert [one.title for (one,) in found] == [
        f"The check of wait {n} did not finish" for n in range(8)
    ]
    assert all(one.status is Status.NOT_TESTED for (one,) in found)
    assert took < 4 * SHORT_S


def test_the_first_answer_is_there_before_the_last() -> None:
    release = threading.Event()

    def waits(machine: Machine) -> Iterator[Finding]:
        assert release.wait(10)
        yield fine("disk-full", "at last")

    told = run_each((Look("good", good), Look("waits", waits)), clean_jammy())
    assert next(told)[0].title == "There is"
    release.set()
    assert next(told)[0].title == "at last"


def test_all_of_them_begin_at_once() -> None:
    begun = threading.Event()

    def waits(machine: Machine) -> Iterator[Finding]:
        assert begun.wait(10)
        yield fine("disk-full", "the last one has begun")

    def begins(machine: Machine) -> Iterator[Finding]:
        begun.set()
        yield from ()

    first, _ = run_each((Look("waits", waits), Look("begins", begins)), clean_jammy())
    assert first[0].title == "the last one has begun"


@pytest.mark.parametrize("turn", range(5))
def test_the_order_does_not_depend_on_who_is_done_first(turn: int) -> None:
    def named(name: str, wait_s: float) -> Look:
        def check(machine: Machine) -> Iterator[Finding]:
            threading.Event().wait(wait_s)
            yield fine("disk-full", name)

        return Look(name, check)

    order = [(one, (one * 7 + turn) % 5 / 100) for one in range(5)]
    told = run_each([named(str(one), wait_s) for one, wait_s in order], clean_jammy())
    assert [one.title for (one,) in told] == ["0", "1", "2", "3", "4"]


def test_what_is_looked_at_beside_the_facts_comes_after_them_and_counts() -> None:
    def more(machine: Machine) -> Iterator[Finding]:
        yield fine("out-of-vram", "The last run fitted")

    further = (Look("the last run", more),)
    told = list(run_each((*looks_of(clean_jammy()), *further), clean_jammy()))
    assert [one.title for one in told[-1]] == ["The last run fitted"]
    titles = [finding.title for finding in diagnose(clean_jammy(), further).findings]
    assert "The last run fitted" in titles
