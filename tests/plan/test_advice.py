"""Advice: one suggestion, its rivals, and nothing that the machine or a floor forbids."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.handmade import (
    GIGABYTE,
    HOME,
    card,
    clean_jammy,
    in_the_dark,
    noble_with_leftovers,
    node,
    python,
    torch,
)
from wizard.knowledge.applications import applications_named, load_applications
from wizard.knowledge.claims import Grade, load_claims
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import (
    Disk,
    Environment,
    Fact,
    Machine,
    Package,
    RocmTree,
    Setting,
    Unknown,
)
from wizard.plan.advice import Advice, Road, advise
from wizard.plan.fit import Verdict

T = TypeVar("T")
IDS = [application.id for application in load_applications()]
CLAIM_IDS = {claim.id for claim in load_claims()}
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
        (LEFTOVERS, ("small-cnn",), "rocm57"),
        (clean_jammy(), ("comfyui",), "native"),
        (clean_jammy(), ("a1111",), "rocm52"),
        (clean_jammy(), ("a1111", "fooocus"), "native"),
        (clean_jammy(), ("transformers",), "native"),
        (clean_jammy(), ("diffusers",), "native"),
        (clean_jammy(card("gfx1012")), ("comfyui",), "native"),
        (clean_jammy(card("gfx1012")), ("a1111",), "rocm52"),
        (clean_jammy(), (), "rocm52"),
        (replace(clean_jammy(), gpus=()), ("comfyui",), "cpu"),
        (clean_jammy(card("gfx1013")), ("yolo",), "cpu"),
        (clean_jammy(card("gfx1031")), ("yolo",), "cpu"),
        (replace(clean_jammy(), disks=(Disk(HOME, "/", 9, 5 * GIGABYTE),)), ("comfyui",), "native"),
    ],
)
def test_the_first_road_by_machine_and_wishes(
    machine: Machine, applications: tuple[str, ...], first: str
) -> None:
    assert order(machine, *applications)[0] == first


def test_every_road_is_shown_ranked_from_one() -> None:
    advice = advise(LEFTOVERS, ("yolo",))
    assert [each.rank for each in advice.roads] == [1, 2, 3, 4, 5]
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
    assert "(ComfyUI: possible, YOLO train.: unknown)" in advice.headline
    assert "We have tested no RDNA1 card" in advice.headline


def test_without_an_rdna1_card_the_processor_is_advised_with_the_reason() -> None:
    advice = advise(clean_jammy(card("gfx1031")), ("yolo",))
    assert advice.headline.startswith("No RDNA1 card is known here.")
    assert "RX 6700 XT is gfx1031" in advice.headline
    assert [text for text in advice.would_change if "ruled out" in text] == [
        "rocm52, rocm57, rocm62, native ruled out: RX 6700 XT is gfx1031; this stack is for "
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
    failed = next(text for text in native.against if "RX 5500 XT owner reported" in text)
    assert "another chip than yours" in failed
    arch = next(text for text in native.in_favour if "MNIST" in text)
    assert "another build than this stack's" in arch
    same = road(advise(clean_jammy(card("gfx1012")), ("comfyui",)), "native")
    own = next(text for text in same.against if "RX 5500 XT owner reported" in text)
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


def facts(*values: T) -> st.SearchStrategy[Fact[T]]:
    """One of some values, or unknown."""
    return st.one_of(st.just(DARK), st.sampled_from(values))


DRIVERS = facts("amdgpu", "vfio-pci", "")
MEMORIES = facts(GIGABYTE, 32 * GIGABYTE)
GROUPS: st.SearchStrategy[Fact[tuple[str, ...]]] = facts(("ada",), ("ada", "render"))
PACKAGES: st.SearchStrategy[Fact[tuple[Package, ...]]] = facts(())


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    """Machines of every kind, any fact of them perhaps unknown."""
    base = draw(st.sampled_from([clean_jammy(), LEFTOVERS]))
    kinds = st.sampled_from(["gfx1010", "gfx1012", "gfx1013", "gfx1031"])
    cards = [
        in_the_dark(card(gfx)) if draw(st.booleans()) else replace(card(gfx), driver=draw(DRIVERS))
        for gfx in draw(st.lists(kinds, max_size=2))
    ]
    system = replace(
        base.system,
        glibc=draw(facts("2.35", "2.41", "odd")),
        architecture=draw(facts("x86_64", "aarch64")),
        memory_bytes=draw(MEMORIES),
    )
    access = replace(
        base.access,
        home=draw(st.sampled_from([HOME, "/", "", "/root"])),
        groups_in_file=draw(GROUPS),
        kfd=node("/dev/kfd", usable=draw(st.booleans()))._replace(
            present=draw(st.booleans()),
            group=draw(facts("render", "root")),
        ),
    )
    free = draw(st.sampled_from([0, 2 * GIGABYTE, 91 * GIGABYTE]))
    return replace(
        base,
        gpus=tuple(cards),
        system=system,
        access=access,
        disks=draw(st.sampled_from([(), (Disk(HOME, "/", 500 * GIGABYTE, free),)])),
        interpreters=tuple(
            python(version, makes_venvs=draw(st.booleans()))
            for version in draw(st.lists(st.sampled_from(["3.8", "3.10.12", "3.12", "3.14"])))
        ),
        uv=draw(facts("/usr/bin/uv")),
        rocm_packages=draw(PACKAGES),
    )


@settings(max_examples=120, deadline=None)
@given(machine=machines(), ids=st.lists(st.sampled_from(IDS), unique=True))
def test_no_machine_gets_advice_that_its_facts_or_a_floor_forbid(
    machine: Machine, ids: list[str]
) -> None:
    advice = advise(machine, tuple(ids))
    asked = applications_named(tuple(ids) or ("own",))
    assert len(advice.roads) == len(load_stacks())
    assert advice.headline
    for each in advice.roads:
        assert each.why
        assert [cell.application for cell in each.fit.cells] == [a.id for a in asked]
        for cell in each.fit.cells:
            assert set(cell.claims) <= CLAIM_IDS
            assert cell.because
            assert each.fit.possible or cell.verdict is Verdict.NO
        assert bool(each.fit.obstacles) is not each.fit.possible
        assert not each.fit.possible or each.fit.python
    opened = [each.fit.possible for each in advice.roads]
    assert opened == sorted(opened, reverse=True)


@settings(max_examples=60, deadline=None)
@given(machine=machines())
def test_no_card_means_that_only_the_processor_is_open(machine: Machine) -> None:
    bare = replace(machine, gpus=())
    assert [r.fit.stack for r in advise(bare, ("own",)).roads if r.fit.possible] in (["cpu"], [])
