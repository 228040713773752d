"""Who says so: the same numbers as beside it."""

from __future__ import annotations

from screens.claims_text import claims_text
from tests.handmade import clean_jammy
from wizard.knowledge.claims import Grade, load_claims
from wizard.plan.advice import advise


def test_the_statements_are_counted_as_on_the_line_about_the_card() -> None:
    for road in advise(clean_jammy(), ()).roads:
        about = [c for c in load_claims() if road.fit.stack in c.stacks]
        standing = sum(claim.grade is not Grade.REFUTED for claim in about)
        head = claims_text(road.fit.stack, load_claims()).plain.split("\n", 1)[0]
        assert head.startswith(f"{standing} statements, best supported first")
        assert ("refuted" in head) == (standing < len(about))
        if "statements" in road.your_card:
            assert f"of {standing} statements" in road.your_card
