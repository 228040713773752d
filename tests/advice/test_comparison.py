"""The stacks beside each other: a word for each aspect, its reason, and never an invented one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import clean_jammy, noble_with_leftovers
from wizard.advice.comparison import Aspect, LineSpeed, also, columns, everything
from wizard.advice.recommend import recommend
from wizard.apt.packages import Package
from wizard.core.fact import Unknown
from wizard.knowledge.applications import applications_named
from wizard.knowledge.claims import load_claims
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Machine, RocmTree, Setting

BY_ID = {claim.id: claim for claim in load_claims()}
STACKS = {stack.id: stack for stack in load_stacks()}
ASKED = ("comfyui", "yolo", "transformers")
LEFTOVERS = noble_with_leftovers()


def aspects(
    stack: str,
    machine: Machine | None = None,
    *,
    system: bool = False,
    speed: LineSpeed | None = None,
    preset: str = "",
) -> dict[str, Aspect]:
    """The aspects of a stack by their ids."""
    machine = machine or clean_jammy()
    found = recommend(machine, ASKED, preset=preset)
    beside = columns(machine, found, system=lambda _: system, speed=speed, preset=preset)
    return {a.id: a for column in beside if column.stack == stack for a in column.aspects}


def also_of(stack: str, machine: Machine, *asked: str) -> tuple[str, ...]:
    """What else the user of a stack meets."""
    found = recommend(machine, asked)
    fit = next(each for each in found.fits if each.stack == stack)
    return also(machine, STACKS[stack], fit, applications_named(found.applications))


every_stack = pytest.mark.parametrize("stack", STACKS)


@every_stack
def test_what_is_to_run_comes_first_and_all_stacks_have_the_same_rows(stack: str) -> None:
    found = list(aspects(stack))
    assert found[:3] == [f"run-{each}" for each in ASKED]
    assert found == list(aspects("cpu"))


@every_stack
def test_every_aspect_has_a_word_and_a_reason_that_fit_their_places(stack: str) -> None:
    for aspect in aspects(stack).values():
        assert aspect.word
        assert aspect.because
        assert len(aspect.title) <= 14
        assert set(aspect.claims) <= BY_ID.keys()


def test_a_floor_of_its_makers_rests_on_no_claim() -> None:
    assert aspects("rocm52")["run-comfyui"].claims == ()
    assert aspects("native")["run-comfyui"].claims[0].startswith("native-")


def test_published_settings_change_the_aspects_that_were_reviewed_with_them() -> None:
    assert aspects("rocm57")["small-conv2d"].word == "unlikely"
    assert aspects("rocm57", preset="GEMM only")["small-conv2d"].word == "possible"


def test_vulnerabilities_are_those_that_later_releases_closed() -> None:
    assert aspects("rocm62")["security"].word == "2 known"
    assert "CVE-2025-32434" in aspects("rocm62")["security"].because
    assert aspects("native")["security"].word == "none known"


def test_a_size_that_no_source_gives_is_unknown() -> None:
    assert aspects("rocm57")["download"].word == "unknown"
    assert aspects("rocm57")["disk"].word == "unknown"


def test_a_time_is_told_only_where_the_line_was_measured() -> None:
    assert aspects("rocm52")["download"].word == "1.3 GB"
    assert "is not measured" in aspects("rocm52")["download"].because
    found = aspects("rocm52", speed=LineSpeed(1_000_000, "2026-11-02"))["download"]
    assert found.word == "1.3 GB, 22 min"
    assert "measured on 2026-11-02" in found.because


def test_the_python_is_the_one_that_the_plan_would_take() -> None:
    assert aspects("rocm52")["python"].word == "3.10, here"


def test_root_is_needed_for_packages_of_the_system_and_not_for_a_folder() -> None:
    assert aspects("rocm52")["root"].word == "no"
    assert aspects("rocm52", system=True)["root"].word == "yes"
    assert "replaced" not in aspects("rocm52", system=True)["root"].because


def test_everything_holds_each_claim_of_the_stack_once() -> None:
    found = everything(STACKS["rocm52"]).claims
    assert sorted(found) == sorted(c.id for c in BY_ID.values() if "rocm52" in c.stacks)


def test_what_people_say_of_age_and_vulnerabilities_stands_behind_the_figures() -> None:
    found = aspects("rocm57")
    assert {BY_ID[each].topic for each in found["age"].claims} == {"age"}
    assert "torch-load-hole" in found["security"].claims
    assert found["undo"].claims == ()


def test_a_leftover_that_breaks_a_stack_is_named_with_file_and_line() -> None:
    native = " ".join(also_of("native", LEFTOVERS, "comfyui"))
    assert "HSA_OVERRIDE_GFX_VERSION=10.3.0 (~/.bashrc:118) breaks this stack" in native
    assert native.count("HSA_OVERRIDE_GFX_VERSION=10.3.0") == 1
    old = " ".join(also_of("rocm52", LEFTOVERS, "comfyui"))
    assert "LD_LIBRARY_PATH=/opt/rocm-5.7.1/lib: (/etc/profile.d/rocm-rdna1-57.sh:4)" in old
    assert "HSA_OVERRIDE_GFX_VERSION" not in old


def test_a_setting_in_several_files_is_one_sentence_with_every_place() -> None:
    again = LEFTOVERS.settings[0]._replace(file="/etc/environment", line=3)
    machine = replace(LEFTOVERS, settings=(*LEFTOVERS.settings, again))
    first = also_of("native", machine, "comfyui")[0]
    assert "HSA_OVERRIDE_GFX_VERSION=10.3.0 (~/.bashrc:118, /etc/environment:3) breaks" in first


def test_a_setting_of_this_session_alone_is_named_as_such() -> None:
    live = Setting("HSA_OVERRIDE_GFX_VERSION", "10.1.0", "", 0, "")
    machine = replace(clean_jammy(), settings=(live,))
    native = " ".join(also_of("native", machine, "own"))
    assert "HSA_OVERRIDE_GFX_VERSION=10.1.0 (set in this session) breaks this stack" in native
    assert "differs from this stack's 10.3.0" in " ".join(also_of("rocm52", machine, "own"))


def test_what_native_starts_without_is_named_with_its_place() -> None:
    told = also_of("native", LEFTOVERS, "own")
    place = "(/etc/profile.d/rocm-rdna1-57.sh:9)"
    assert (
        f"MIOPEN_DEBUG_CONV_DIRECT=0 {place} can break this stack; rdna1-python starts without it"
    ) in told
    assert not [text for text in told if "affect this stack" in text and "CONV_DIRECT" in text]


def test_other_settings_that_reach_a_stack_are_named_by_file() -> None:
    where = "settings in /etc/profile.d/rocm-rdna1-57.sh:9 also affect this stack"
    told = also_of("rocm57", LEFTOVERS, "own")
    assert f"{where}: MIOPEN_DEBUG_CONV_DIRECT=0 and 1 more" in told


def test_system_rocm_is_said_not_to_be_used_once() -> None:
    told = [text for text in also_of("native", LEFTOVERS, "own") if "not used by" in text]
    assert told == ["/opt/rocm-5.7.1 (system ROCm) is not used by these wheels"]


def test_the_folder_of_amds_driver_packages_is_not_called_rocm() -> None:
    driver = RocmTree("/opt/amdgpu", Unknown("/opt/amdgpu states no version"), None, "amdgpu-core")
    told = also_of("native", replace(clean_jammy(), rocm_trees=(driver,)), "own")
    assert not [text for text in told if "/opt/amdgpu" in text]


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
    assert "half installed" in " ".join(also_of("native", half, "own"))


def test_the_processors_stack_minds_no_leftover() -> None:
    assert also_of("cpu", LEFTOVERS, "own") == STACKS["cpu"].cautions


@pytest.mark.parametrize(("stack", "told"), [("rocm52", True), ("rocm62", False)])
def test_what_an_application_spoils_with_numpy_1_is_told_where_that_is_needed(
    stack: str, told: bool
) -> None:
    found = also_of(stack, clean_jammy(), "yolo")
    assert any("needs numpy 2 from version 4.12 on" in text for text in found) is told


def test_an_older_release_that_an_application_takes_is_told() -> None:
    assert any(
        "Transformers needs an older release" in text
        for text in also_of("rocm57", clean_jammy(), "transformers")
    )
