"""Every claim can be weighed: it says who, on what, when, how, and who says otherwise."""

from __future__ import annotations

from collections import Counter

import pytest

from wizard.knowledge.claims import Claim, Grade, load_claims
from wizard.knowledge.stacks import load_stacks
from wizard.plan.strength import OTHER_BUILDS
from wizard.plan.weighing import BEARING

CLAIMS = load_claims()
BY_ID = {claim.id: claim for claim in CLAIMS}
TARGETS = {"gfx1010", "gfx1011", "gfx1012", "gfx1013"}
every_claim = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)


def test_ids_are_unique() -> None:
    assert [name for name, count in Counter(c.id for c in CLAIMS).items() if count > 1] == []


@every_claim
def test_a_claim_carries_everything_needed_to_weigh_it(claim: Claim) -> None:
    said = (claim.who, claim.card, claim.versions, claim.date, claim.method, claim.source)
    assert all(text.strip() for text in said)
    assert claim.leaning in ("for", "against", "unknown")
    assert 10 < len(claim.text) < 200
    assert set(claim.gfx) <= TARGETS


@every_claim
def test_a_date_is_iso_or_its_known_part(claim: Claim) -> None:
    parts = claim.date.split("-")
    assert [len(part) for part in parts] in ([4], [4, 2], [4, 2, 2])
    assert "2020" <= parts[0] <= "2026"


@every_claim
def test_a_claim_names_stacks_and_claims_that_exist(claim: Claim) -> None:
    assert claim.stacks
    assert set(claim.stacks) <= {stack.id for stack in load_stacks()}
    assert set(claim.supports) | set(claim.contradicts) <= BY_ID.keys()
    assert claim.id not in claim.supports + claim.contradicts


@every_claim
def test_a_contradiction_is_told_on_both_sides(claim: Claim) -> None:
    for other in claim.contradicts:
        assert claim.id in BY_ID[other].contradicts, other


@every_claim
def test_a_refuted_claim_names_a_standing_claim_that_refutes_it(claim: Claim) -> None:
    if claim.grade is Grade.REFUTED:
        assert [i for i in claim.contradicts if BY_ID[i].grade is not Grade.REFUTED]


@pytest.mark.parametrize("stack", [stack.id for stack in load_stacks()])
def test_every_stack_has_at_least_eight_claims(stack: str) -> None:
    assert sum(stack in claim.stacks for claim in CLAIMS) >= 8


@every_claim
def test_one_persons_notes_are_never_more_than_one_user(claim: Claim) -> None:
    if claim.who == "hkevin01":
        assert claim.grade in (Grade.ONE_USER, Grade.CLAIM_ONLY, Grade.REFUTED)
        assert claim.source.startswith("hkevin01/rocm-patch, ")


@every_claim
def test_source_code_says_nothing_of_a_card_it_never_ran_on(claim: Claim) -> None:
    """Read code is strong, but it is no run: it must not make a road that uses a card 'works'."""
    topics = {t for bearing in BEARING.values() for t in bearing.close | bearing.beside}
    if claim.grade in (Grade.SOURCE_CODE, Grade.MAINTAINER) and "cpu" not in claim.stacks:
        assert claim.topic not in topics


@every_claim
def test_we_claim_no_run_on_a_card(claim: Claim) -> None:
    if claim.who == "rdna1-setup":
        assert claim.card.startswith("none")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("r57-implicit-all-pass", "r57-pair-memory-errors"),  # notes 000 against notes 001
        ("r57-42-passes", "r57-power-of-two"),  # 42 against 32
        ("rocm6-cannot", "native-comfyui-images"),  # 6.x cannot, against the native builds
        ("implicit-gemm-on", "only-off-acts"),  # a setting of 1 that does nothing
        ("r57-runtime-decides", "wheel-bundles-rocm"),  # whose MIOpen runs
    ],
)
def test_the_known_contradictions_are_in_the_data(one: str, other: str) -> None:
    assert other in BY_ID[one].contradicts


def test_the_five_root_causes_exclude_one_another() -> None:
    causes = [c for c in CLAIMS if c.id.startswith("cause-")]
    assert len(causes) == 5
    for cause in causes:
        assert {c.id for c in causes} - {cause.id} <= set(cause.contradicts)


@every_claim
def test_a_topic_is_one_that_we_know(claim: Claim) -> None:
    told = {"precision", "install", "settings", "speed", "image speed", "stability", "support"}
    weighed = {t for bearing in BEARING.values() for t in bearing.close | bearing.beside}
    assert claim.topic in told | weighed | OTHER_BUILDS | {
        "cause",
        "method",
        "algorithms",
        "triton",
    }
