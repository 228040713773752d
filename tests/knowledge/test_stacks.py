"""The stacks in the data are complete, and say nothing that their sources do not."""

from __future__ import annotations

import re

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from wizard.knowledge.stacks import Stack, load_stacks
from wizard.knowledge.variables import known_names

STACKS = load_stacks()
BY_ID = {stack.id: stack for stack in STACKS}


def torch_of(stack: Stack) -> Version:
    return Version(stack.torch.partition("+")[0])


def test_no_stack_is_lost() -> None:
    assert list(BY_ID) == ["rocm52", "rocm57", "rocm62", "native", "cpu"]


def test_requirements_and_constraints_are_valid_for_any_target() -> None:
    for stack in STACKS:
        for text in (*stack.requirements, *stack.constraints):
            Requirement(text.format(gfx="gfx1010"))


def test_what_a_person_reads_fits_its_place() -> None:
    wrong = [
        stack
        for stack in STACKS
        if not 0 < len(stack.one_line) < 40
        or not stack.title
        or not stack.index_source
        or not stack.size_source
        or not all(stack.cautions)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("stack", "torch", "vision", "audio"),
    [
        ("rocm52", "1.13.1+rocm5.2", "0.14.1+rocm5.2", "0.13.1+rocm5.2"),
        ("rocm57", "2.2.2+rocm5.7", "0.17.2+rocm5.7", "2.2.2+rocm5.7"),
        ("rocm62", "2.5.1+rocm6.2", "0.20.1+rocm6.2", "2.5.1+rocm6.2"),
    ],
)
def test_the_torch_family_is_pinned_to_builds_that_pypi_cannot_answer(
    stack: str, torch: str, vision: str, audio: str
) -> None:
    family = (f"torch=={torch}", f"torchvision=={vision}", f"torchaudio=={audio}")
    assert BY_ID[stack].requirements[:3] == family
    assert BY_ID[stack].constraints[:3] == family


def test_every_stack_brings_numpy_itself_or_with_torchvision() -> None:
    for stack in STACKS:
        names = {Requirement(text.replace("{gfx}", "gfx1010")).name for text in stack.requirements}
        assert names & {"numpy", "torchvision"}, stack.id


def test_numpy_2_is_kept_out_of_older_torches_in_the_same_run_and_later() -> None:
    old = {stack.id for stack in STACKS if torch_of(stack) < Version("2.3")}
    assert {stack.id for stack in STACKS if "numpy<2" in stack.requirements} == old
    assert {stack.id for stack in STACKS if "numpy<2" in stack.constraints} == old


def test_native_asks_for_the_cards_own_target_and_for_no_override() -> None:
    native = BY_ID["native"]
    assert native.requirements[0].format(gfx="gfx1012") == "torch[device-gfx1012]"
    assert "HSA_OVERRIDE_GFX_VERSION" not in dict(native.environment)
    assert "HSA_OVERRIDE_GFX_VERSION" in native.unset
    assert len(native.other_indexes) == 2
    assert native.gfx == ("gfx1010", "gfx1011", "gfx1012")


def test_stock_wheels_alone_get_the_override() -> None:
    stock = {s.id for s in STACKS if re.search(r"\+rocm\d", s.torch) and s.id != "native"}
    override = ("HSA_OVERRIDE_GFX_VERSION", "10.3.0")
    assert {stack.id for stack in STACKS if override in stack.environment} == stock


def test_only_wheels_with_runpath_forbid_the_loader_path() -> None:
    """Torch's wheels have RPATH since 2.1; AMD's own have RUNPATH."""
    runpath = {s.id for s in STACKS if torch_of(s) < Version("2.1") or s.id == "native"}
    assert {stack.id for stack in STACKS if "LD_LIBRARY_PATH" in stack.unset} == runpath


def test_only_known_variables_are_set_and_unset() -> None:
    named = {
        name
        for stack in STACKS
        for name in (*dict(stack.environment), *stack.unset, *stack.unset_where_set)
    }
    assert named <= set(known_names())


def test_libraries_up_to_rocm_6_0_ask_for_an_executable_stack() -> None:
    built_for = {stack.id: re.search(r"\+rocm(\d+\.\d+)", stack.torch) for stack in STACKS}
    old = {s for s, rocm in built_for.items() if rocm and Version(rocm[1]) <= Version("6.0")}
    assert {stack.id for stack in STACKS if stack.executable_stack} == old


def test_a_known_hash_belongs_to_a_wheel_that_is_asked_for() -> None:
    wrong = [
        f"{stack.id}: {name} {digest}"
        for stack in STACKS
        for asked in [[f"{text.replace('==', '-')}-cp" for text in stack.requirements]]
        for name, digest in stack.hashes
        if not name.startswith(tuple(asked)) or not re.fullmatch(r"[0-9a-f]{64}", digest)
    ]
    assert wrong == []


def test_hashes_are_known_for_two_wheels_only() -> None:
    assert {stack.id: len(stack.hashes) for stack in STACKS if stack.hashes} == {"rocm52": 2}


def test_sizes_that_no_source_gives_stay_unknown() -> None:
    assert BY_ID["rocm57"].download_bytes is None
    assert {"rocm57", "rocm62"} <= {s.id for s in STACKS if s.installed_bytes is None}


def test_the_prefix_to_check_for_is_that_of_the_torch_shown() -> None:
    assert all(stack.torch_prefix for stack in STACKS)
    assert [s.id for s in STACKS if not s.torch.startswith(s.torch_prefix)] == []


def test_presets_are_offered_with_source_and_caution_and_change_nothing_by_default() -> None:
    presets = BY_ID["rocm57"].presets
    assert [preset.name for preset in presets] == ["GEMM only", "implicit GEMM only"]
    for preset in presets:
        assert preset.source
        assert preset.caution
        assert not set(preset.variables) & set(BY_ID["rocm57"].environment)


def test_a_preset_holds_no_setting_of_one_which_miopen_ignores() -> None:
    settings = [pair for s in STACKS for preset in s.presets for pair in preset.variables]
    assert settings
    assert not [n for n, value in settings if n.startswith("MIOPEN_DEBUG_CONV") and value != "0"]
