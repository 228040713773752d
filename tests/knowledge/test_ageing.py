"""What has not been looked at for a year is known as such.

``pytest -s tests/knowledge/test_ageing.py -k lists`` prints what is overdue today.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from tests.handmade import clean_jammy
from wizard.advice.comparison import everything
from wizard.advice.recommend import recommend
from wizard.core.amounts import today
from wizard.knowledge.claims import load_claims, overdue
from wizard.knowledge.stacks import load_catalogue, load_stacks
from wizard.report.recommendation import Compared, compared, stack_lines
from wizard.report.stacks import claim_lines, evidence_lines

CLAIMS = load_claims()
CHECKS = {
    **{claim.id: claim.checked for claim in CLAIMS},
    **{f"stack {stack.id}": stack.checked for stack in load_stacks()},
    "releases of ROCm": load_catalogue().checked,
}
NEWEST = date.fromisoformat(max(CHECKS.values()))
A_YEAR_ON = NEWEST + timedelta(days=366)


def older_than_a_year(day: date) -> list[str]:
    """What was last checked more than a year before a day."""
    return [name for name, checked in CHECKS.items() if overdue(checked, day)]


def test_no_source_was_checked_before_it_said_what_it_says() -> None:
    assert [c.id for c in CLAIMS if c.checked[: len(c.date)] < c.date] == []


@pytest.mark.parametrize(
    ("day", "late"), [("2026-11-25", False), ("2027-11-25", False), ("2027-11-26", True)]
)
def test_a_check_is_overdue_after_a_year(day: str, late: bool) -> None:
    assert overdue("2026-11-25", date.fromisoformat(day)) is late


def test_a_given_date_lists_what_was_checked_more_than_a_year_before() -> None:
    print(*older_than_a_year(today()), sep="\n")
    assert older_than_a_year(date(2026, 11, 25)) == []
    assert older_than_a_year(A_YEAR_ON) == list(CHECKS)


def said(found: Compared, day: date) -> str:
    """What is said of a stack of packages, with all its claims, on a day."""
    return "\n".join(stack_lines(found, "rocm57", day))


def test_an_old_check_is_told_beside_each_claim_and_a_fresh_one_is_not() -> None:
    found = compared(clean_jammy(), recommend(clean_jammy(), ()))
    about = [claim for claim in CLAIMS if "rocm57" in claim.stacks]
    assert "more than a year ago" not in said(found, NEWEST)

    told = said(found, A_YEAR_ON)
    aspect = everything(next(stack for stack in load_stacks() if stack.id == "rocm57"))
    lines = "".join(evidence_lines(aspect, CLAIMS, A_YEAR_ON, whole=True))
    assert lines.count("  checked  ") >= len(about)
    assert "The index, versions and sizes were checked on" in told
    assert "AMD's system packages were checked on" in told
    assert [line for line in told.splitlines() if len(line) > 79 and "://" not in line] == []


def test_of_two_claims_the_one_with_the_old_check_is_marked() -> None:
    fresh, other = CLAIMS[:2]
    old = replace(other, checked="2025-06-01")
    assert "checked" not in "\n".join(claim_lines(fresh, NEWEST, 79))
    assert "checked  2025-06-01" in "\n".join(claim_lines(old, NEWEST, 79))
