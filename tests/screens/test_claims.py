"""Who says so: the same numbers as beside it."""

from __future__ import annotations

from datetime import date

from tests.handmade import clean_jammy
from wizard.knowledge.claims import Grade, load_claims
from wizard.knowledge.stacks import load_stacks
from wizard.plan.advice import advise
from wizard.plan.aspects import everything
from wizard.report.evidence import evidence_lines


def test_the_statements_are_counted_as_on_the_line_about_the_card() -> None:
    stacks = {stack.id: stack for stack in load_stacks()}
    for road in advise(clean_jammy(), ()).roads:
        about = [c for c in load_claims() if road.fit.stack in c.stacks]
        refuted = sum(claim.grade is Grade.REFUTED for claim in about)
        aspect = everything(stacks[road.fit.stack], "gfx1010", load_claims())
        lines = list(evidence_lines(aspect, load_claims(), date(2026, 11, 25), whole=True))
        [head] = [line for line in lines if line.startswith(f"ALL {len(about)}, ")]
        assert (f"{refuted} REFUTED" in head) == bool(refuted)
        if "statements" in road.your_card:
            assert f"of {len(about) - refuted} statements" in road.your_card
