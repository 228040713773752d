"""A refuted claim never stands among those that speak for something."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.running import MACHINE, wizard
from wizard.core.amounts import today
from wizard.knowledge.claims import Grade, load_approaches, load_claims
from wizard.knowledge.stacks import load_stacks
from wizard.report.explanations import approaches, topic_lines
from wizard.report.stacks import approach_aspect, evidence_lines

REFUTED = [claim for claim in load_claims() if claim.grade is Grade.REFUTED]


def below_for(text: str) -> str:
    """What stands below the heads of what speaks for it, as one line of words."""
    parts, counts = [], False
    for line in text.splitlines():
        if line.startswith(("FOR IT", "AGAINST IT", "OPEN", "REFUTED", "==")):
            counts = line.startswith("FOR IT")
        elif counts and not line.startswith(("    but", "        ")):
            parts.append(line)  # who says otherwise is named as such
    return " ".join(" ".join(parts).split())


def test_there_are_refuted_claims_that_would_speak_for_a_stack() -> None:
    assert any(claim.leaning == "for" and claim.stacks for claim in REFUTED)


@pytest.mark.parametrize("stack", [stack.id for stack in load_stacks()])
def test_the_evidence_of_a_plan_keeps_them_apart(tmp_path: Path, stack: str) -> None:
    words = ("plan", "--stack", stack, "--evidence", "--machine", MACHINE)
    told = wizard(tmp_path, *words).stdout
    assert "\nFOR IT: " in told
    for claim in REFUTED:
        assert " ".join(claim.text.split()) not in below_for(told)


def test_the_evidence_of_an_approach_keeps_them_apart() -> None:
    for approach in load_approaches():
        told = "\n".join(
            evidence_lines(approach_aspect(approach), load_claims(), today(), whole=True)
        )
        for claim in REFUTED:
            assert " ".join(claim.text.split()) not in below_for(told)


def test_programs_are_told_so(tmp_path: Path) -> None:
    told = json.loads(wizard(tmp_path, "plan", "--json", "--machine", MACHINE).stdout)
    side = {claim["id"]: claim["side"] for claim in told["advice"]["claims"]}
    assert {side[claim.id] for claim in REFUTED} == {"refuted"}
    assert set(side.values()) == {"for", "against", "unknown", "refuted"}


def test_no_explanation_and_no_approach_repeats_one_as_it_stands() -> None:
    text = " ".join(" ".join(topic_lines(approaches())).split())
    assert [claim.id for claim in REFUTED if claim.text.rstrip(".") in text] == []
