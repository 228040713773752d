"""What is advised on every recorded machine for every application, reviewed as text."""

from __future__ import annotations

import pytest

from tests.conftest import Golden
from tests.machine.records import NAMES, seen
from tests.plan.advice_table import advice_text


@pytest.mark.parametrize("name", NAMES)
def test_the_advice_on_a_recorded_machine_is_as_reviewed(name: str, golden: Golden) -> None:
    golden.check(f"advice/{name}.txt", advice_text(seen(name)))
