"""Every claim can be weighed: it says who, on what, when, how, and who says otherwise."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import date
from graphlib import TopologicalSorter

import pytest

from wizard.knowledge.claims import TOPICS, Claim, Grade, load_claims
from wizard.knowledge.stacks import load_stacks

CLAIMS = load_claims()
BY_ID = {claim.id: claim for claim in CLAIMS}
TARGETS = {"gfx1010", "gfx1011", "gfx1012", "gfx1013"}
RUNS = {"conv2d", "small conv2d", "training", "transformer", "applications", "device"}
"""Topics of what was run on a card."""
LINK = r"https://[\w.-]+/\S*"
FILE = r"[\w.-]+/[\w.-]+( at [\w.-]+)?(, [\w.*/-]+)?( \(notes 00[0-4]\))?"
OURS = ("rdna1-setup", "MIOpen, asked by rdna1-setup")
OUR_OWN = r"rdna1-setup('s own|, | conv2d ).+"
ASPECTS = ("conv2d", "training", "age", "security")
"""Aspects that a comparison of stacks shows, and about which somebody says something of each."""


def repeated(texts: list[str]) -> list[str]:
    """What is there more than once."""
    return [text for text, count in Counter(texts).items() if count > 1]


def test_ids_are_unique() -> None:
    assert repeated([claim.id for claim in CLAIMS]) == []


def test_no_two_claims_say_the_same() -> None:
    assert repeated([claim.text.lower() for claim in CLAIMS]) == []


def test_a_claim_is_one_short_sentence() -> None:
    wrong = [
        f"{claim.id}: {claim.text}"
        for claim in CLAIMS
        if not 10 < len(claim.text) < 160
        or not claim.text.endswith(".")
        or re.search(r"[.!?] +[A-Z]", claim.text)
        or claim.text != " ".join(claim.text.split())
    ]
    assert wrong == []


def test_a_source_is_a_link_or_a_file_of_a_named_repository() -> None:
    wrong = [
        f"{claim.id}: {part}"
        for claim in CLAIMS
        for known in [(LINK, FILE, OUR_OWN) if claim.who in OURS else (LINK, FILE)]
        for part in claim.source.split("; ")
        if not any(re.fullmatch(pattern, part) for pattern in known)
    ]
    assert wrong == []


def test_a_claim_carries_everything_needed_to_weigh_it() -> None:
    needed = ("who", "card", "versions", "date", "method", "source")
    missing = [
        f"{claim.id}: no {key}"
        for claim in CLAIMS
        for key in needed
        if not getattr(claim, key).strip()
    ]
    assert missing == []
    leanings = ("for", "against", "unknown")
    assert [f"{c.id}: {c.leaning}" for c in CLAIMS if c.leaning not in leanings] == []
    assert [f"{c.id}: {c.gfx}" for c in CLAIMS if not set(c.gfx) <= TARGETS] == []


@pytest.mark.parametrize(
    ("text", "method", "unread"),
    [
        ("It failed; what failed was not read by us.", "ran", True),
        ("It failed.", "as reported", True),
        ("It failed.", "told by others, not read", True),
        ("It holds gfx1010; nobody has read what its torch holds.", "read", True),
        ("No implicit GEMM takes 3->64.", "read; MLIR's own check was not read", False),
        ("HSA_USE_SVM is read from ROCm 5.6 on only.", "read", False),
    ],
)
def test_a_claim_whose_source_nobody_read_is_known_as_such(
    text: str, method: str, unread: bool
) -> None:
    assert is_unread(replace(CLAIMS[0], text=text, method=method)) is unread


def test_nothing_is_kept_that_nobody_read() -> None:
    assert [claim.id for claim in CLAIMS if is_unread(claim)] == []


def is_unread(claim: Claim) -> bool:
    """It says itself that its source was not read, or only that others reported it.

    What follows the method's semicolon limits what was read.
    """
    method = claim.method.partition(";")[0]
    said = f"{claim.text} {method}"
    unread = r"\b(not|nobody|never)( has| have| been)? read\b"
    return method == "as reported" or bool(re.search(unread, said))


def is_date_of_our_time(text: str) -> bool:
    """It is an ISO date, or its year, or its year and month, since RDNA1 came out."""
    if not re.fullmatch(r"\d{4}(-\d\d){0,2}", text):
        return False
    try:
        whole = date.fromisoformat(text + "-01-01"[len(text) - 4 :])
    except ValueError:
        return False
    return date(2019, 1, 1) <= whole <= date(2026, 12, 31)


def test_a_date_is_iso_or_its_known_part() -> None:
    assert [f"{c.id}: {c.date}" for c in CLAIMS if not is_date_of_our_time(c.date)] == []


def test_a_claim_names_stacks_and_claims_that_exist() -> None:
    stacks = {stack.id for stack in load_stacks()}
    about_none = [c.id for c in CLAIMS if bool(c.stacks) is (c.topic == "other ways")]
    assert about_none == []
    assert [(c.id, c.stacks) for c in CLAIMS if not set(c.stacks) <= stacks] == []
    others = [(c.id, {*c.supports, *c.contradicts}) for c in CLAIMS]
    assert [(claim, named) for claim, named in others if not named <= BY_ID.keys() - {claim}] == []


def test_a_setting_is_a_preset_of_every_stack_that_the_claim_names() -> None:
    presets = {stack.id: {preset.name for preset in stack.presets} for stack in load_stacks()}
    held = [claim for claim in CLAIMS if claim.setting]
    assert {claim.setting for claim in held} == {"GEMM only", "implicit GEMM only"}
    wrong = [c.id for c in held if not all(c.setting in presets[stack] for stack in c.stacks)]
    assert wrong == []


def test_a_contradiction_is_told_on_both_sides() -> None:
    wrong = [
        f"{other}: does not contradict {claim.id}"
        for claim in CLAIMS
        for other in claim.contradicts
        if claim.id not in BY_ID[other].contradicts
    ]
    assert wrong == []


def test_nothing_is_supported_and_contradicted_by_the_same_claim() -> None:
    assert [c.id for c in CLAIMS if set(c.supports) & set(c.contradicts)] == []


def test_no_claim_supports_itself_by_way_of_others() -> None:
    order = TopologicalSorter({claim.id: claim.supports for claim in CLAIMS})
    assert set(order.static_order()) == BY_ID.keys()


def test_a_refuted_claim_names_a_shown_one_that_refutes_it() -> None:
    shown = {c.id for c in CLAIMS if c.grade not in (Grade.CLAIM_ONLY, Grade.REFUTED)}
    refuted = [claim for claim in CLAIMS if claim.grade is Grade.REFUTED]
    assert [claim.id for claim in refuted if not shown & set(claim.contradicts)] == []


def test_every_stack_has_at_least_eight_claims() -> None:
    of_stack = Counter(stack for claim in CLAIMS for stack in claim.stacks)
    assert [stack.id for stack in load_stacks() if of_stack[stack.id] < 8] == []


def test_one_persons_notes_are_never_more_than_one_user() -> None:
    weak = (Grade.ONE_USER, Grade.CLAIM_ONLY, Grade.REFUTED)
    theirs = [claim for claim in CLAIMS if claim.who == "hkevin01"]
    assert [f"{claim.id}: {claim.grade}" for claim in theirs if claim.grade not in weak] == []
    files = "hkevin01/rocm-patch, "
    assert [c.id for c in theirs if not c.source.startswith(files)] == []


def test_source_code_says_nothing_of_a_card_it_never_ran_on() -> None:
    """Read code is strong, but it is no run: it must not make a road that uses a card 'works'."""
    wrong = [
        f"{claim.id}: {claim.topic}"
        for claim in CLAIMS
        if claim.grade in (Grade.LIBRARY, Grade.SOURCE_CODE, Grade.MAINTAINER)
        and "cpu" not in claim.stacks
        and claim.topic in RUNS
    ]
    assert wrong == []


def test_what_a_library_offers_without_a_card_speaks_for_no_stack() -> None:
    """It tells which algorithms there are; that one of them works, only a card can show."""
    wrong = [
        claim.id
        for claim in CLAIMS
        if claim.grade is Grade.LIBRARY and (claim.leaning == "for" or claim.card != "none")
    ]
    assert wrong == []


def test_we_claim_no_run_on_a_card() -> None:
    ours = [claim for claim in CLAIMS if claim.who == "rdna1-setup"]
    assert [f"{c.id}: {c.card}" for c in ours if not c.card.startswith("none")] == []


KNOWN_CONTRADICTIONS = (
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
)


def test_the_known_contradictions_are_in_the_data() -> None:
    lost = [pair for pair in KNOWN_CONTRADICTIONS if pair[1] not in BY_ID[pair[0]].contradicts]
    assert lost == []


def test_the_five_root_causes_exclude_one_another() -> None:
    causes = [c for c in CLAIMS if c.id.startswith("cause-")]
    assert len(causes) == 5
    for cause in causes:
        assert {c.id for c in causes} - {cause.id} <= set(cause.contradicts)


def test_every_topic_is_known_explained_and_in_use() -> None:
    unknown = [f"{c.id}: {c.topic}" for c in CLAIMS if c.topic not in TOPICS]
    assert unknown == []
    assert {claim.topic for claim in CLAIMS} == TOPICS.keys()
    assert TOPICS.keys() >= RUNS
    assert all(TOPICS.values())


def test_somebody_says_something_of_every_aspect_of_a_stack() -> None:
    told = {(stack, claim.topic) for claim in CLAIMS for stack in claim.stacks}
    asked = {(stack.id, aspect) for stack in load_stacks() for aspect in ASPECTS}
    assert asked - told == set()
