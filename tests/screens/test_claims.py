"""Who says so: every statement, on its side, counted."""

from __future__ import annotations

from collections import Counter
from datetime import date

from wizard.advice.comparison import everything
from wizard.knowledge.claims import load_claims
from wizard.knowledge.stacks import load_stacks
from wizard.report.stacks import HEADS, evidence_lines


def test_the_statements_of_each_side_are_counted() -> None:
    for stack in load_stacks():
        about = Counter(c.side for c in load_claims() if stack.id in c.stacks)
        told = list(
            evidence_lines(everything(stack), load_claims(), date(2026, 11, 25), whole=True)
        )
        for side, count in about.items():
            assert f"{HEADS[side]}: {count}" in told
