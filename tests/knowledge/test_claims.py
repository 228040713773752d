"""Every claim can be weighed: it says who, on what, when, how, and who says otherwise."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from graphlib import TopologicalSorter

import pytest

from wizard.knowledge.claims import ABOUT_NO_STACK, TOPICS, Claim, Grade, load_claims
from wizard.knowledge.stacks import load_stacks
from wizard.plan.strength import OTHER_BUILDS, STRENGTH
from wizard.plan.weighing import BEARING

CLAIMS = load_claims()
BY_ID = {claim.id: claim for claim in CLAIMS}
TARGETS = {"gfx1010", "gfx1011", "gfx1012", "gfx1013"}
WEIGHED = {topic for bearing in BEARING.values() for topic in bearing.close | bearing.beside}
LINK = r"https://[\w.-]+/\S*"
FILE = r"[\w.-]+/[\w.-]+( at [\w.-]+)?(, [\w.*/-]+)?( \(notes 00[0-4]\))?"
OUR_OWN = r"rdna1-setup('s own|, | conv2d ).+"
ASPECTS = ("conv2d", "training", "age", "security")
"""Aspects that a comparison of stacks shows, and about which somebody says something of each."""
every_claim = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)


def repeated(texts: list[str]) -> list[str]:
    """What is there more than once."""
    return [text for text, count in Counter(texts).items() if count > 1]


def test_ids_are_unique() -> None:
    assert repeated([claim.id for claim in CLAIMS]) == []


def test_no_two_claims_say_the_same() -> None:
    assert repeated([claim.text.lower() for claim in CLAIMS]) == []


@every_claim
def test_a_claim_is_one_short_sentence(claim: Claim) -> None:
    assert 10 < len(claim.text) < 160
    assert claim.text.endswith(".")
    assert not re.search(r"[.!?] +[A-Z]", claim.text)
    assert claim.text == " ".join(claim.text.split())


@every_claim
def test_a_source_is_a_link_or_a_file_of_a_named_repository(claim: Claim) -> None:
    for part in claim.source.split("; "):
        known = (LINK, FILE) if claim.who != "rdna1-setup" else (LINK, FILE, OUR_OWN)
        assert any(re.fullmatch(pattern, part) for pattern in known), part


@every_claim
def test_a_claim_carries_everything_needed_to_weigh_it(claim: Claim) -> None:
    said = (claim.who, claim.card, claim.versions, claim.date, claim.method, claim.source)
    assert all(text.strip() for text in said)
    assert claim.leaning in ("for", "against", "unknown")
    assert set(claim.gfx) <= TARGETS


@every_claim
def test_a_date_is_iso_or_its_known_part(claim: Claim) -> None:
    assert re.fullmatch(r"\d{4}(-\d\d){0,2}", claim.date)
    whole = date.fromisoformat(claim.date + "-01-01"[len(claim.date) - 4 :])
    assert date(2019, 1, 1) <= whole <= date(2026, 12, 31)


@every_claim
def test_a_claim_names_stacks_and_claims_that_exist(claim: Claim) -> None:
    assert bool(claim.stacks) is (claim.topic != ABOUT_NO_STACK)
    assert set(claim.stacks) <= {stack.id for stack in load_stacks()}
    assert set(claim.supports) | set(claim.contradicts) <= BY_ID.keys()
    assert claim.id not in claim.supports + claim.contradicts


@every_claim
def test_a_contradiction_is_told_on_both_sides(claim: Claim) -> None:
    for other in claim.contradicts:
        assert claim.id in BY_ID[other].contradicts, other


@every_claim
def test_nothing_is_supported_and_contradicted_by_the_same_claim(claim: Claim) -> None:
    assert not set(claim.supports) & set(claim.contradicts)


def test_no_claim_supports_itself_by_way_of_others() -> None:
    order = TopologicalSorter({claim.id: claim.supports for claim in CLAIMS})
    assert set(order.static_order()) == BY_ID.keys()


@every_claim
def test_a_refuted_claim_names_a_shown_one_that_refutes_it(claim: Claim) -> None:
    if claim.grade is Grade.REFUTED:
        shown = STRENGTH[Grade.ONE_USER]
        assert [i for i in claim.contradicts if STRENGTH[BY_ID[i].grade] >= shown]


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
    if claim.grade in (Grade.SOURCE_CODE, Grade.MAINTAINER) and "cpu" not in claim.stacks:
        assert claim.topic not in WEIGHED


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
        ("r57-optimal-pair", "r57-pair-memory-errors"),  # the same pair, called the best
        ("all-newer-broken", "native-comfyui-images"),  # all newer releases, against one of them
        ("no-user-fix", "r52-all-sizes"),  # nothing helps, against all sizes pass
        ("r52-times-run", "r52-times-table"),  # two timings of the same layers
        ("r57-few-inputs-run", "three-64-hangs"),  # whether 3->64 hangs at all
        ("implicit-is-im2col", "implicit-no-buffer"),  # what implicit GEMM is
        ("aperture-from-mismatch", "aperture-from-svm"),  # one error, two causes
        ("r57-security-current", "torch-load-hole"),  # current, against a known hole
        ("never-supported", "full-compute-2019"),  # AMD against AMD
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
    assert claim.topic in TOPICS


def test_every_topic_is_explained_and_in_use() -> None:
    assert {claim.topic for claim in CLAIMS} == TOPICS.keys()
    assert TOPICS.keys() >= WEIGHED | OTHER_BUILDS
    assert all(TOPICS.values())


@pytest.mark.parametrize("stack", [stack.id for stack in load_stacks()])
@pytest.mark.parametrize("aspect", ASPECTS)
def test_somebody_says_something_of_every_aspect_of_a_stack(stack: str, aspect: str) -> None:
    assert [c.id for c in CLAIMS if stack in c.stacks and c.topic == aspect]
