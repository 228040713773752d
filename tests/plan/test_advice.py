"""Advice: one suggestion, its rivals, and nothing that the machine or a floor forbids."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import pytest

from tests.handmade import (
    GIGABYTE,
    HOME,
    card,
    clean_jammy,
    noble_with_leftovers,
    torch,
)
from wizard.knowledge.applications import applications_named
from wizard.knowledge.claims import Grade, load_claims
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import (
    Disk,
    Environment,
    Machine,
    Package,
    RocmTree,
    Setting,
    Unknown,
)
from wizard.plan.advice import Advice, Road, advise
from wizard.plan.fit import fit
from wizard.plan.ranking import ranked

T = TypeVar("T")
DARK = Unknown("no permission")
LEFTOVERS = noble_with_leftovers()


def road(advice: Advice, stack: str) -> Road:
    """One road of an advice."""
    return next(each for each in advice.roads if each.fit.stack == stack)


def order(machine: Machine, *applications: str) -> list[str]:
    """The stacks, best first."""
    return [each.fit.stack for each in advise(machine, applications).roads]


@pytest.mark.parametrize(
    ("machine", "applications", "first"),
    [
        (LEFTOVERS, ("comfyui", "yolo"), "native"),
        (LEFTOVERS, ("yolo",), "rocm52"),
        (LEFTOVERS, ("small-cnn",), "native"),
        (clean_jammy(), ("comfyui",), "native"),
        (clean_jammy(), ("a1111",), "rocm52"),
        (clean_jammy(), ("a1111", "fooocus"), "native"),
        (clean_jammy(), ("transformers",), "native"),
        (clean_jammy(), ("diffusers",), "native"),
        (clean_jammy(card("gfx1012")), ("comfyui",), "native"),
        (clean_jammy(card("gfx1012")), ("a1111",), "rocm52"),
        (clean_jammy(), (), "native"),
        (replace(clean_jammy(), gpus=()), ("comfyui",), "cpu"),
        (clean_jammy(card("gfx1013")), ("yolo",), "cpu"),
        (clean_jammy(card("gfx1031")), ("yolo",), "cpu"),
        (replace(clean_jammy(), disks=(Disk(HOME, "/", 9, 5 * GIGABYTE),)), ("comfyui",), "cpu"),
        (replace(clean_jammy(), disks=(Disk(HOME, "/", 9, 9 * GIGABYTE),)), ("comfyui",), "native"),
    ],
)
def test_the_first_road_by_machine_and_wishes(
    machine: Machine, applications: tuple[str, ...], first: str
) -> None:
    assert order(machine, *applications)[0] == first


def test_every_road_is_shown_ranked_from_one() -> None:
    advice = advise(LEFTOVERS, ("yolo",))
    assert [each.rank for each in advice.roads] == [*range(1, len(load_stacks()) + 1)]
    assert {each.fit.stack for each in advice.roads} == {stack.id for stack in load_stacks()}


def test_what_is_ruled_out_comes_last_and_says_why() -> None:
    advice = advise(replace(LEFTOVERS, uv=DARK), ("a1111",))
    assert [each.fit.stack for each in advice.roads[-2:]] == ["rocm52", "rocm57"]
    for last in advice.roads[-2:]:
        assert not last.fit.possible
        assert last.why[0].startswith("ruled out here: it needs Python 3.10")
    assert any("ruled out: it needs Python" in text for text in advice.would_change)


def test_the_only_road_new_enough_says_so() -> None:
    advice = advise(LEFTOVERS, ("comfyui", "yolo"))
    assert "only stack for the card that suits ComfyUI (2.7 or newer)" in advice.roads[0].why[0]
    assert "only stack" in advice.headline
    assert "(ComfyUI: likely, YOLO train: unknown)" in advice.headline
    assert "We have tested no RDNA1 card" in advice.headline


def test_without_an_rdna1_card_the_processor_is_advised_with_the_reason() -> None:
    advice = advise(clean_jammy(card("gfx1031")), ("yolo",))
    assert advice.headline.startswith("No RDNA1 card is known here.")
    assert "RX 6700 XT is gfx1031" in advice.headline
    for_cards = ", ".join(stack.id for stack in load_stacks() if stack.gfx)
    assert [text for text in advice.would_change if "ruled out" in text] == [
        f"{for_cards} ruled out: RX 6700 XT is gfx1031; this stack is for "
        "gfx1010, gfx1011, gfx1012 (RX 5500, 5600, 5700 and relatives); PyTorch's own ROCm wheels "
        "(pytorch.org) are made for cards of its age: take those, without this program"
    ]


def test_on_a_full_disk_no_road_is_suggested_as_open() -> None:
    full = replace(clean_jammy(), disks=(Disk(HOME, "/home", 500 * GIGABYTE, GIGABYTE // 10),))
    advice = advise(full, ("yolo",))
    assert not any(each.fit.possible for each in advice.roads)
    assert advice.headline.startswith("No stack is possible on this machine.")
    assert "/home has 0.1 GB free" in advice.headline


def test_a_leftover_that_breaks_a_road_is_named_with_file_and_line() -> None:
    advice = advise(LEFTOVERS, ("comfyui",))
    native = " ".join(road(advice, "native").also)
    assert "HSA_OVERRIDE_GFX_VERSION=10.3.0 (~/.bashrc:118) breaks this stack" in native
    assert native.count("HSA_OVERRIDE_GFX_VERSION=10.3.0") == 1
    old = " ".join(road(advice, "rocm52").also)
    assert "LD_LIBRARY_PATH=/opt/rocm-5.7.1/lib: (/etc/profile.d/rocm-rdna1-57.sh:4)" in old
    assert "HSA_OVERRIDE_GFX_VERSION" not in old


def test_a_setting_in_several_files_is_one_sentence_with_every_place() -> None:
    again = LEFTOVERS.settings[0]._replace(file="/etc/environment", line=3)
    machine = replace(LEFTOVERS, settings=(*LEFTOVERS.settings, again))
    native = road(advise(machine, ("comfyui",)), "native").also
    assert "HSA_OVERRIDE_GFX_VERSION=10.3.0 (~/.bashrc:118, /etc/environment:3) breaks" in native[0]


def test_a_setting_of_this_session_alone_is_named_as_such() -> None:
    live = Setting("HSA_OVERRIDE_GFX_VERSION", "10.1.0", "", 0, "")
    advice = advise(replace(clean_jammy(), settings=(live,)), ("own",))
    assert "HSA_OVERRIDE_GFX_VERSION=10.1.0 (set in this session) breaks this stack" in " ".join(
        road(advice, "native").also
    )
    assert "another value than this stack's 10.3.0" in " ".join(road(advice, "rocm52").also)


def test_other_settings_that_reach_a_road_are_named_by_file() -> None:
    also = road(advise(LEFTOVERS, ("own",)), "rocm57").also
    where = "settings in /etc/profile.d/rocm-rdna1-57.sh:9 reach this stack as well"
    assert f"{where}: MIOPEN_DEBUG_CONV_DIRECT=0 and 1 more" in also


def test_system_rocm_is_said_not_to_be_used_once() -> None:
    also = road(advise(LEFTOVERS, ("own",)), "native").also
    found = [text for text in also if "not used by these wheels" in text]
    assert found == ["/opt/rocm-5.7.1 (system ROCm) is not used by these wheels"]


def test_the_folder_of_amds_driver_packages_is_not_called_rocm() -> None:
    driver = RocmTree("/opt/amdgpu", Unknown("/opt/amdgpu states no version"), None, "amdgpu-core")
    also = road(advise(replace(clean_jammy(), rocm_trees=(driver,)), ("own",)), "native").also
    assert not [text for text in also if "/opt/amdgpu" in text]


def test_a_half_installed_system_rocm_is_called_that() -> None:
    core = Package(
        name="rocm-core",
        version="6.2.0.60200-66",
        origin="amd",
        grounds="index",
        state="installed",
        held=False,
        missing=True,
    )
    half = replace(clean_jammy(), rocm_packages=(core,))
    assert "half installed" in " ".join(road(advise(half, ("own",)), "native").also)


def test_the_processors_road_minds_no_leftover() -> None:
    stack = next(stack for stack in load_stacks() if stack.id == "cpu")
    assert road(advise(LEFTOVERS, ("own",)), "cpu").also == stack.cautions


def test_claims_about_another_chip_or_build_say_so() -> None:
    native = road(advise(clean_jammy(), ("comfyui",)), "native")
    turbo = next(text for text in native.in_favour if text.startswith("SDXL Turbo"))
    assert "another chip than yours" in turbo
    arch = next(text for text in native.in_favour if "MNIST" in text)
    assert "another build than this stack's" in arch
    same = road(advise(clean_jammy(card("gfx1012")), ("comfyui",)), "native")
    own = next(text for text in same.in_favour if text.startswith("SDXL Turbo"))
    assert "another chip" not in own


def test_what_bears_on_the_wishes_comes_first_and_what_is_refuted_last() -> None:
    rocm52 = road(advise(clean_jammy(), ("a1111",)), "rocm52")
    assert rocm52.in_favour[0].startswith("AUTOMATIC1111 forced torch 1.13.1")
    assert rocm52.in_favour[-1].startswith("refuted: ")
    refuted = [text.startswith("refuted: ") for text in rocm52.in_favour]
    assert refuted == sorted(refuted)


def test_a_refuted_claim_stands_beside_what_refutes_it() -> None:
    in_favour = road(advise(clean_jammy(), ("own",)), "rocm52").in_favour
    env = next(text for text in in_favour if "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=1" in text)
    assert "In truth: MIOpen only asks whether an algorithm is switched off" in env
    assert "(source code)" in env


def test_a_torch_that_is_there_is_named_and_to_be_measured_first() -> None:
    advice = advise(LEFTOVERS, ("yolo",))
    assert road(advice, "rocm57").your_card.startswith("you have it (~/venv); not tested by us")
    assert "torch that you have (2.2.2+rocm5.7 in ~/venv), before" in advice.would_change[0]
    assert "rdna1-setup conv2d --python " in advice.would_change[0]


def test_native_torch_is_there_only_for_the_same_target() -> None:
    wheels = replace(torch("2.12.0+rocm7.14.0", rocm="7.14"), native_gfx=("gfx1010",))
    places = (Environment(f"{HOME}/native", "venv", "3.12", wheels),)
    same = advise(replace(clean_jammy(), environments=places), ("own",))
    other = advise(replace(clean_jammy(card("gfx1012")), environments=places), ("own",))
    assert road(same, "native").your_card.startswith("you have it (~/native)")
    assert road(other, "native").your_card.startswith("not tested by us")
    assert not road(same, "rocm52").your_card.startswith("you have it")


@pytest.mark.parametrize("stack", [stack.id for stack in load_stacks() if stack.gfx])
def test_no_road_for_a_card_hides_that_we_tested_none(stack: str) -> None:
    assert "not tested by us" in road(advise(LEFTOVERS, ("own",)), stack).your_card


def test_statements_about_the_very_model_are_counted() -> None:
    named = clean_jammy(card(name="AMD Radeon RX 5600 XT", revision="ca"))
    text = road(advise(named, ("own",)), "rocm57").your_card
    about = [
        claim
        for claim in load_claims()
        if "rocm57" in claim.stacks and claim.grade is not Grade.REFUTED
    ]
    model = sum("RX 5600 XT" in claim.card.split(", ") for claim in about)
    assert f"{model} of {len(about)} statements are about the RX 5600 XT" in text


def test_a_size_that_nobody_gives_is_said_not_to_be_known() -> None:
    advice = advise(clean_jammy(), ("own",))
    assert road(advice, "rocm57").cost.startswith("download size not known, size on disk not known")
    assert road(advice, "rocm52").cost == "1.3 GB to download, 7.7 GB on disk, 91.0 GB free on /"


def test_the_wish_that_decides_is_named() -> None:
    changes = advise(LEFTOVERS, ("comfyui", "yolo")).would_change
    assert "without ComfyUI, rocm52 would come first" in changes


def test_what_an_application_spoils_is_told_for_pinned_roads() -> None:
    advice = advise(clean_jammy(), ("yolo",))
    assert any("numpy 2" in text for text in road(advice, "rocm52").also)
    assert not any("opencv" in text for text in road(advice, "native").also)


def test_roads_of_no_use_stand_in_a_fixed_order_too_whatever_order_they_came_in() -> None:
    stacks = {stack.id: stack for stack in load_stacks()}
    asked = applications_named(("comfyui",))
    fits = tuple(fit(clean_jammy(), asked, stack) for stack in stacks.values())

    first = [each.stack for each in ranked(fits, stacks, ("comfyui",))]
    assert first[0] == "native"
    assert first[1] == "cpu"
    assert first == [each.stack for each in ranked(fits[::-1], stacks, ("comfyui",))]
    assert first.index("rocm62") < first.index("rocm57") < first.index("rocm52")


def test_a_road_whose_libraries_need_a_repair_comes_behind_its_equal() -> None:
    machine = clean_jammy()
    strict = replace(machine, system=replace(machine.system, glibc="2.41"))

    less = tuple(claim for claim in load_claims() if claim.id != "native-torch-fine")
    before, after = (advise(each, ("own",), claims=less) for each in (machine, strict))
    assert [each.fit.stack for each in before.roads[:2]] == ["rocm52", "native"]
    assert [each.fit.stack for each in after.roads[:2]] == ["native", "rocm52"]
    assert "its libraries need no repair" in after.headline


def test_what_keeps_the_card_from_being_used_stands_in_the_headline() -> None:
    away = clean_jammy(replace(card(), driver="vfio-pci"))
    assert "First of all it needs the kernel driver amdgpu" in advise(away, ("own",)).headline


def test_a_torch_too_old_for_the_wishes_is_not_to_be_measured_first() -> None:
    assert "torch that you have (2.2.2" in advise(LEFTOVERS, ("own",)).would_change[0]
    assert not any("torch that you have" in t for t in advise(LEFTOVERS, ("comfyui",)).would_change)


def test_a_torch_without_any_card_is_not_to_be_measured_first() -> None:
    bare = replace(LEFTOVERS, gpus=())
    assert not any("torch that you have" in text for text in advise(bare, ("own",)).would_change)


def test_a_card_that_cannot_be_used_yet_is_measured_once_it_can() -> None:
    away = replace(LEFTOVERS, gpus=tuple(replace(g, driver="") for g in LEFTOVERS.gpus))
    assert "and once the card can be used" in advise(away, ("own",)).would_change[0]


def test_the_suggestion_has_its_risks_and_a_next_best() -> None:
    advice = advise(clean_jammy(), ("a1111",))

    assert advice.roads[0].fit.stack == "rocm52"
    assert any("stuck" in text for text in advice.risks)
    assert len(advice.risks) == 2
    assert advice.next_best == "AMD TheRock wheels for the card's own target (A1111: unknown)"


def test_where_nothing_is_possible_there_is_no_next_best_and_no_risk() -> None:
    full = replace(clean_jammy(), disks=(Disk(HOME, "/home", 500 * GIGABYTE, 0),))
    assert (advise(full, ("own",)).risks, advise(full, ("own",)).next_best) == ((), "")


def test_training_is_proven_by_a_training_step_alone() -> None:
    assert any(
        "--work forward,backward,train" in t for t in advise(LEFTOVERS, ("yolo",)).would_change
    )


@pytest.mark.parametrize(("stack", "told"), [("rocm52", True), ("rocm62", False)])
def test_what_an_application_spoils_with_numpy_1_is_told_where_that_is_needed(
    stack: str, told: bool
) -> None:
    also = road(advise(clean_jammy(), ("yolo",)), stack).also
    assert any("asks for numpy 2 from 4.12 on" in text for text in also) is told
