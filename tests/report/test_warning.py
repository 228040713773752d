"""What a stack cannot run, in words that hold on every recorded machine."""

from __future__ import annotations

import pytest

from tests.machine.records import NAMES
from tests.plan.system_machines import recorded
from wizard.advice.recommend import recommend
from wizard.knowledge.applications import load_applications
from wizard.knowledge.claims import Word
from wizard.report.recommendation import cannot_run


@pytest.mark.parametrize("name", NAMES)
def test_what_a_stack_cannot_run_is_named_and_nothing_else(name: str) -> None:
    machine, _ = recorded(name)
    for application in load_applications():
        found = recommend(machine, (application.id,))
        for fit in found.fits:
            text = cannot_run(found, fit)
            assert text.startswith(f"{fit.stack} cannot run ") == bool(text)
            assert bool(text) == (fit.answers[0].word is Word.NO)
            assert f"Suggested instead: {fit.stack} " not in text
