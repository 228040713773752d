"""Programs whose own words are wanted: bounded in time and in what is taken of them."""

from __future__ import annotations

import sys
import time

from wizard.host.deadline import answer

PYTHON = sys.executable


def test_what_it_prints_and_how_it_ends_is_told() -> None:
    told = answer(("sh", "-c", "echo seen; echo 'not permitted' >&2; exit 3"), 10.0)
    assert (told.text, told.said, told.code) == ("seen\n", "not permitted", 3)
    assert not told.late
    assert told.gone


def test_one_that_does_not_end_is_killed_and_what_it_printed_is_kept() -> None:
    began = time.monotonic()
    told = answer(("sh", "-c", "echo begun; sleep 600"), 0.4)
    assert time.monotonic() - began < 5
    assert (told.text, told.code, told.late) == ("begun\n", None, True)


def test_one_that_closes_its_pipes_and_stays_is_killed_too() -> None:
    told = answer(("sh", "-c", "exec >&- 2>&-; exec sleep 600"), 5.0)
    assert told.gone


def test_of_one_that_prints_without_end_only_so_much_is_taken() -> None:
    began = time.monotonic()
    told = answer(("sh", "-c", "while :; do echo line after line; done"), 60.0, most_bytes=100_000)
    assert time.monotonic() - began < 30
    assert not told.late
    assert len(told.text) == 100_000


def test_what_is_not_there_is_said() -> None:
    assert answer(("no-such-program-here",), 1.0).said == "no-such-program-here is not installed"
    assert "could not be started" in answer(("/no/such/python",), 1.0).said


def test_the_environment_of_the_user_reaches_it_where_asked_for() -> None:
    program = "import os; print(os.environ.get('HSA_TEST', 'none'))"
    argv = (PYTHON, "-c", program)
    assert answer(argv, 30.0, environ={"HSA_TEST": "seen"}).text == "seen\n"
    assert answer(argv, 30.0).text == "none\n"
