"""Every road of the notes and of others is told, with its state, its reason and its claims."""

from __future__ import annotations

import re
from collections import Counter

from wizard.knowledge.claims import STATES, load_approaches, load_claims
from wizard.knowledge.stacks import load_catalogue, load_stacks

INSTALLABLE, BY_HAND, GONE, *_ = STATES
APPROACHES = load_approaches()
BY_ID = {approach.id: approach for approach in APPROACHES}
CLAIM_IDS = {claim.id for claim in load_claims()}
SPEAKS_OF = {
    "torch20-nightly": ("r52-nightly-gone", "r52-quoted-snapshot", "r52-kept-for-us"),
    "torch222-from-source": ("r52-override-ran",),
    "rocm56": ("torch-2-never-starts", "torch-2-segfaults", "torch-2-heats-up", "nobody-bisected"),
    "rocm54": ("torch-2-never-starts", "torch-2-segfaults", "r52-a1111-pin"),
    "rocm61-tensile": ("native-61-comfyui",),
    "efenstor": ("override-crashes", "kernel-617-freezes", "reserve-video-memory"),
    "jc1122": (
        "native-self-built-conv",
        "native-batchnorm-backward",
        "native-self-built-select",
    ),
    "fedora": ("native-no-build",),
    "arch": ("native-arch-mnist", "override-1030-crashed"),
    "ubuntu-torch": ("asked-winograd-source", "asked-winograd-off", "debian-ci"),
    "patched-miopen": (
        "r62-library-replaced",
        "r62-force-rdna1",
        "r62-first-layer-hangs",
        "invented-variables",
    ),
    "patched-driver": ("svm-not-different", "cause-svm"),
    "luaartist-script": ("r52-debs-do-not-install",),
    "another-card": ("no-gfx101x-code",),
    "waiting": ("never-supported", "native-published", "native-not-in-ci"),
    "windows": (
        "native-5700-sdxl",
        "native-5500-turbo",
        "native-slower-than-zluda",
        "wsl-stops-rdna1",
        "native-batchnorm-windows",
    ),
}
"""Claims about a stack of ours that speak of another road as well: by its maker or of its build."""
NOTED = {
    "5.2 and torch 1.13.1": ("rocm52-wheels", INSTALLABLE),
    "5.2 and torch 2.2.2": ("rocm52-system-torch222", INSTALLABLE),
    "the 2.0 nightly": ("torch20-nightly", GONE),
    "2.2.2 from source": ("torch222-from-source", BY_HAND),
    "5.6": ("rocm56", BY_HAND),
    "5.4": ("rocm54", BY_HAND),
    "5.7": ("rocm57-wheels", INSTALLABLE),
    "6.1 with Tensile's fix": ("rocm61-tensile", BY_HAND),
    "6.2.4": ("rocm62-wheels", INSTALLABLE),
    "patched MIOpen": ("patched-miopen", BY_HAND),
    "patched runtime and kernel": ("patched-driver", BY_HAND),
    "the script that notes 003 name": ("luaartist-script", GONE),
    "the processor": ("cpu", INSTALLABLE),
    "another card": ("another-card", "elsewhere"),
    "waiting": ("waiting", "waiting"),
}


def test_every_road_of_the_notes_is_there() -> None:
    state = {approach.id: approach.state for approach in APPROACHES}
    wrong = [
        f"{what}: {state.get(approach)}"
        for what, (approach, wanted) in NOTED.items()
        if state.get(approach) != wanted
    ]
    assert wrong == []


def test_roads_that_the_notes_did_not_know_are_there_too() -> None:
    sources = " ".join(approach.source for approach in APPROACHES)
    others = ("TheRock", "Efenstor", "TheTrustedComputer", "jc1122")
    assert [repository for repository in others if repository not in sources] == []


def test_ids_and_titles_are_unique() -> None:
    assert len(BY_ID) == len({approach.title for approach in APPROACHES}) == len(APPROACHES)


def test_a_road_can_be_read() -> None:
    wrong = [
        approach
        for approach in APPROACHES
        if approach.state not in STATES
        or not 0 < len(approach.title) <= 44
        or len(approach.because) <= 60
        or not approach.by_hand
        or not all(approach.by_hand)
    ]
    assert wrong == []


def test_a_road_has_a_dated_source() -> None:
    wrong = [
        f"{approach.id}: {approach.source}, {approach.date}"
        for approach in APPROACHES
        if not re.search(r"notes 00[0-4]|https://", approach.source)
        or not re.fullmatch(r"20\d\d(-\d\d){0,2}", approach.date)
    ]
    assert wrong == []


def test_a_road_rests_on_claims_that_exist_once_each() -> None:
    wrong = [
        f"{approach.id}: {claim}"
        for approach in APPROACHES
        for claim, times in Counter(approach.claims).items()
        if claim not in CLAIM_IDS or times > 1
    ]
    assert wrong == []


def test_a_claim_about_another_road_is_cited_by_the_road_that_it_is_about() -> None:
    cited = {claim for approach in APPROACHES for claim in approach.claims}
    assert [c.id for c in load_claims() if not c.stacks and c.id not in cited] == []


def test_every_road_cites_a_claim_and_none_of_another_road() -> None:
    assert [approach.id for approach in APPROACHES if not approach.claims] == []
    wrong = [
        f"{approach.id}: {claim.id}"
        for approach in APPROACHES
        for claim in load_claims()
        if claim.id in approach.claims
        and claim.stacks
        and approach.stack not in claim.stacks
        and claim.id not in SPEAKS_OF.get(approach.id, ())
    ]
    assert wrong == []
    needless = [
        f"{approach}: {claim}"
        for approach, claims in SPEAKS_OF.items()
        for claim in claims
        if claim not in BY_ID[approach].claims
    ]
    assert needless == []


def test_a_road_that_we_install_names_its_stack_and_no_other_does() -> None:
    assert [r.id for r in APPROACHES if bool(r.stack) is not (r.state == INSTALLABLE)] == []


def test_every_stack_has_a_road_and_every_road_a_stack_that_exists() -> None:
    assert {approach.stack for approach in APPROACHES} - {""} == {
        stack.id for stack in load_stacks()
    }


def test_a_command_of_ours_names_stacks_and_releases_that_exist() -> None:
    said = " ".join(line for approach in APPROACHES for line in approach.by_hand)
    stacks = {stack.id for stack in load_stacks()}
    assert set(re.findall(r"--stack (\w+)", said)) - stacks == set()
    releases = set(load_catalogue().releases)
    assert set(re.findall(r"--system-release ([\d.]+\d)", said)) - releases == set()


def test_the_disputed_pair_names_both_verdicts_of_its_author() -> None:
    claims = BY_ID["rocm52-system-torch222"].claims
    assert {"r57-implicit-all-pass", "r57-pair-memory-errors"} <= set(claims)
