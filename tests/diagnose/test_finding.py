"""Findings in order, their exit code and their JSON form."""

import json

import pytest

from wizard.diagnose.finding import (
    Confidence,
    Evidence,
    Finding,
    Status,
    exit_code,
    in_order,
    to_form,
)


def made(cause: str, status: Status, confidence: Confidence = Confidence.CERTAIN) -> Finding:
    return Finding(cause, status, confidence, "t", (Evidence("a line", "line 3"),), "m", ("do",))


def test_faults_come_before_warnings_and_the_surest_first() -> None:
    fine = made("a", Status.OK)
    warned = made("b", Status.WARNING)
    guessed = made("c", Status.FAULT, Confidence.POSSIBLE)
    sure = made("d", Status.FAULT)
    assert in_order((fine, warned, guessed, sure)) == (sure, guessed, warned, fine)


def test_a_lock_that_ends_by_itself_is_told_after_what_stays() -> None:
    lock = made("dpkg-lock", Status.WARNING)
    guessed = made("override-isa-mismatch", Status.WARNING, Confidence.POSSIBLE)
    idle = made("noop-setting", Status.WARNING)
    assert in_order((idle, lock, guessed)) == (guessed, lock, idle)
    failed = made("dpkg-lock", Status.FAULT)
    assert in_order((guessed, failed)) == (failed, guessed)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        ((), 0),
        ((Status.OK, Status.NOT_TESTED), 0),
        ((Status.OK, Status.WARNING), 1),
        ((Status.FAULT,), 1),
    ],
)
def test_only_what_calls_for_action_counts_as_found(
    statuses: tuple[Status, ...], code: int
) -> None:
    assert exit_code(made("a", status) for status in statuses) == code


def test_the_json_form_holds_what_other_programs_rely_on() -> None:
    form = json.loads(json.dumps(to_form(made("dpkg-lock", Status.FAULT))))
    assert form["cause"] == "dpkg-lock"
    assert form["status"] == "fault"
    assert form["confidence"] == "certain"
    assert form["evidence"] == ["a line"]
    assert form["where"] == ["line 3"]
    assert {"meaning", "fix"} <= form.keys()
