"""The table of variables."""

from __future__ import annotations

import re

import pytest

from wizard.knowledge.tables import read_table
from wizard.knowledge.variables import UNKNOWN, effect_of, empty_element, known_names
from wizard.machine.assignments import is_wanted

KINDS = {"effective", "no-op", "build-time", "invented"}
FAMILIES = ("GEMM", "IMPLICIT_GEMM", "WINOGRAD", "DIRECT", "FFT")
OF_THE_RUNTIMES = (
    "MIOPEN_CUSTOM_CACHE_DIR", "MIOPEN_COMPILE_PARALLEL_LEVEL", "MIOPEN_ENABLE_LOGGING_MPMT",
    "HSA_ENABLE_SDMA", "HSA_ENABLE_INTERRUPT", "HSA_FORCE_FINE_GRAIN_PCIE", "HIP_HOST_COHERENT",
    "ROCR_VISIBLE_DEVICES", "AMD_LOG_LEVEL", "AMD_LOG_MASK", "AMD_LOG_LEVEL_FILE",
    "AMD_SERIALIZE_KERNEL", "AMD_SERIALIZE_COPY", "GPU_MAX_HW_QUEUES", "GPU_ENABLE_WGP_MODE",
    "AMDGCN_USE_BUFFER_OPS",
)  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
def test_switching_a_family_on_does_nothing_and_off_acts(family: str) -> None:
    name = f"MIOPEN_DEBUG_CONV_{family}"

    assert effect_of(name, "1").kind == "no-op"
    assert effect_of(name, "0").kind == "effective"
    assert effect_of(name, "Disabled").kind == "effective"


@pytest.mark.parametrize("name", ["MIOPEN_FORCE_RDNA1", "HIP_FORCE_COARSE_GRAIN"])
def test_invented_variables_are_called_invented(name: str) -> None:
    assert effect_of(name, "1").kind == "invented"


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("MIOPEN_FIND_ENFORCE", "NONE", "no-op"),
        ("MIOPEN_FIND_ENFORCE", "3", "effective"),
        ("MIOPEN_FIND_MODE", "DYNAMIC_HYBRID", "no-op"),
        ("MIOPEN_DISABLE_CACHE", "0", "no-op"),
        ("MIOPEN_DISABLE_CACHE", "1", "effective"),
        ("HSA_OVERRIDE_GFX_VERSION", "10.3.0", "effective"),
        ("PYTORCH_ROCM_ARCH", "gfx1030", "build-time"),
        ("HIP_PLATFORM", "amd", "build-time"),
    ],
)
def test_the_value_decides_what_a_variable_does(name: str, value: str, kind: str) -> None:
    assert effect_of(name, value).kind == kind


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("word", ["2", "force", "only"])
def test_other_words_for_a_family_are_said_to_stop_newer_miopen(family: str, word: str) -> None:
    effect = effect_of(f"MIOPEN_DEBUG_CONV_{family}", word)

    assert effect.kind == "no-op"
    assert "rejects" in effect.text


@pytest.mark.parametrize("value", ["10.3", "gfx1030", "1030", "10.3.0.0", "10,3,0", "", "v10.3.0"])
def test_an_override_of_another_form_is_said_to_stop_rocm(value: str) -> None:
    assert "no ROCm program starts" in effect_of("HSA_OVERRIDE_GFX_VERSION", value).text


@pytest.mark.parametrize("value", ["11.0.0", "9.0.6", " 10.3.1 "])
def test_any_other_override_of_the_right_form_is_only_an_override(value: str) -> None:
    assert (
        effect_of("HSA_OVERRIDE_GFX_VERSION", value).text == "makes every GPU report this version"
    )


def test_an_override_that_the_shell_makes_is_not_judged_by_its_form() -> None:
    assert "the shell" in effect_of("HSA_OVERRIDE_GFX_VERSION", "${GFX:-10.3.0}").text


@pytest.mark.parametrize("node", ["0", "1", "12"])
def test_an_override_for_one_node_is_known_not_to_reach_old_wheels(node: str) -> None:
    text = effect_of(f"HSA_OVERRIDE_GFX_VERSION_{node}", "10.3.0").text

    assert "with rocm5.2, rocm5.7 and rocm6.2 wheels it has no effect" in text


def test_xnack_does_nothing_only_beside_the_override_to_gfx1030() -> None:
    spoofed = {"HSA_OVERRIDE_GFX_VERSION=10.3.0"}

    assert effect_of("HSA_XNACK", "1", spoofed).kind == "no-op"
    assert effect_of("HSA_XNACK", "1").kind == "effective"
    assert effect_of("HSA_XNACK", "1", {"HSA_OVERRIDE_GFX_VERSION=10.1.0"}).kind == "effective"


def test_shared_virtual_memory_is_said_to_be_unknown_to_rocm_5_2() -> None:
    assert "with rocm5.2 wheels it has no effect" in effect_of("HSA_USE_SVM", "0").text


def test_every_variable_of_the_runtimes_is_explained() -> None:
    assert [name for name in OF_THE_RUNTIMES if not effect_of(name, "1").kind] == []


def test_every_variable_of_the_table_is_looked_for() -> None:
    assert all(is_wanted(name) for name in known_names())


def test_the_two_overrides_are_told_apart() -> None:
    ten_three, ten_one = (effect_of("HSA_OVERRIDE_GFX_VERSION", v) for v in ("10.3.0", "10.1.0"))

    assert "gfx1030" in ten_three.text
    assert "gfx1010" in ten_one.text


def test_a_variable_without_an_entry_is_not_explained() -> None:
    assert effect_of("HSA_SOMETHING_ELSE", "1") == UNKNOWN
    assert str(UNKNOWN) == ""


def test_every_entry_has_a_source_a_known_kind_and_an_answer_for_any_value() -> None:
    for row in read_table("variables.toml")["variable"]:
        assert row["source"]
        assert {effect["kind"] for effect in row["effect"]} <= KINDS
        assert not {"values", "pattern", "beside"} & set(row["effect"][-1]), (
            f"{row['names']}: any other value is unexplained"
        )


def test_no_variable_stands_twice() -> None:
    rows = read_table("variables.toml")["variable"]

    assert len(known_names()) == sum(len(row["names"]) for row in rows)


def test_values_are_written_in_lower_case_since_they_are_compared_so() -> None:
    for row in read_table("variables.toml")["variable"]:
        for effect in row["effect"]:
            assert all(value == value.lower() for value in effect.get("values", []))


def test_every_pattern_compiles_and_every_companion_is_a_setting() -> None:
    for row in read_table("variables.toml")["variable"]:
        for effect in row["effect"]:
            re.compile(effect.get("pattern", ""))
            assert "=" in effect.get("beside", "=")


def test_an_empty_element_that_depends_on_the_old_value_is_said_to() -> None:
    assert empty_element("/a:$LD_LIBRARY_PATH").text.startswith("if it was not set before")
    assert empty_element("/a:").text.startswith("it has an empty entry")
