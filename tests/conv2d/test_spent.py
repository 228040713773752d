"""What a result costs of the hangs that were allowed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conv2d.made import made
from wizard.conv2d.search.experiment import hangs_spent
from wizard.conv2d.search.limit import Known
from wizard.conv2d.verdicts import Verdict, together

PASS = made()
HUNG = made(verdict=Verdict.HUNG, failed=1, phase="cold")
WRONG = made(verdict=Verdict.WRONG, failed=1)


@pytest.mark.parametrize(
    ("verdict", "fields", "spent"),
    [
        (Verdict.PASS, {}, 0),
        (Verdict.SLOW, {}, 0),
        (Verdict.WRONG, {"failed": 1}, 0),
        (Verdict.ERROR, {"failed": 1, "phase": "cold"}, 0),
        (Verdict.OUT_OF_MEMORY, {"failed": 1, "phase": "cold"}, 0),
        (Verdict.UNUSABLE, {"runs": 0}, 0),
        (Verdict.HUNG, {"failed": 1, "phase": "cold"}, 1),
        (Verdict.HUNG, {"failed": 2, "runs": 2, "phase": "cold"}, 2),
        (Verdict.HUNG, {"failed": 0, "runs": 0, "phase": "import"}, 1),
        (Verdict.CRASHED, {"failed": 1, "phase": "cold"}, 1),
    ],
)
def test_each_launch_that_hung_or_died_costs_one(
    verdict: Verdict, fields: dict[str, Any], spent: int
) -> None:
    assert hangs_spent(made(verdict=verdict, **fields)) == spent


def test_what_hangs_sometimes_costs_each_launch_that_failed() -> None:
    flaky = together([PASS, HUNG, PASS, HUNG])
    assert (flaky.verdict, hangs_spent(flaky)) == (Verdict.FLAKY, 2)


def test_what_is_wrong_sometimes_costs_nothing() -> None:
    flaky = together([PASS, WRONG, PASS])
    assert (flaky.verdict, hangs_spent(flaky)) == (Verdict.FLAKY, 0)


def test_a_size_that_hung_twice_leaves_no_less_than_nothing_to_spend() -> None:
    twice = together([HUNG, HUNG])
    assert Known(8, 72, 3).after(42, False, hangs_spent(twice)) == Known(8, 42, 1)
    assert Known(8, 72, 1).after(42, False, hangs_spent(twice)) == Known(8, 42, 0)
