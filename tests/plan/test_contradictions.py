"""Contradictions: groups of which at most one can be true."""

from __future__ import annotations

from wizard.knowledge.claims import load_claims
from wizard.plan.contradictions import contradictions

CLAIMS = load_claims()
BY_ID = {claim.id: claim for claim in CLAIMS}


def groups_of(*ids: str) -> list[set[str]]:
    """The groups of these claims as sets of ids."""
    found = contradictions([BY_ID[each] for each in ids], CLAIMS)
    return [{claim.id for claim in group} for group in found]


def test_each_member_of_a_group_contradicts_all_others() -> None:
    for group in contradictions(CLAIMS, CLAIMS):
        for one in group:
            for other in group:
                assert one is other or other.id in one.contradicts or one.id in other.contradicts


def test_every_contradiction_of_the_data_is_in_a_group() -> None:
    groups = groups_of(*BY_ID)
    for claim in CLAIMS:
        for rival in claim.contradicts:
            assert any({claim.id, rival} <= group for group in groups)


def test_the_five_root_causes_are_one_group() -> None:
    causes = {claim.id for claim in CLAIMS if claim.id.startswith("cause-")}
    assert any(causes <= group for group in groups_of("cause-gemm"))


def test_the_pairing_of_the_notes_is_one_and_so_are_the_two_limits() -> None:
    [*groups] = groups_of("r57-implicit-all-pass", "r57-42-passes")
    assert any({"r57-implicit-all-pass", "r57-pair-memory-errors"} <= group for group in groups)
    assert any({"r57-42-passes", "r57-power-of-two"} <= group for group in groups)


def test_that_six_cannot_stands_against_the_native_builds() -> None:
    groups = groups_of("rocm6-cannot")
    assert {"rocm6-cannot", "native-comfyui-images"} in groups


def test_a_claim_that_nobody_contradicts_is_in_no_group() -> None:
    assert groups_of("r52-no-find-db") == []
