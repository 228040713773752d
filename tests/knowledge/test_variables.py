"""The table of variables."""

from __future__ import annotations

import pytest

from wizard.knowledge.tables import read_table
from wizard.knowledge.variables import UNKNOWN, effect_of, empty_element, known_names

KINDS = {"effective", "no-op", "build-time", "invented"}
FAMILIES = ("GEMM", "IMPLICIT_GEMM", "WINOGRAD", "DIRECT", "FFT")


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
        assert "values" not in row["effect"][-1], f"{row['names']}: any other value is unexplained"


def test_no_variable_stands_twice() -> None:
    rows = read_table("variables.toml")["variable"]

    assert len(known_names()) == sum(len(row["names"]) for row in rows)


def test_values_are_written_in_lower_case_since_they_are_compared_so() -> None:
    for row in read_table("variables.toml")["variable"]:
        for effect in row["effect"]:
            assert all(value == value.lower() for value in effect.get("values", []))


def test_an_empty_element_that_depends_on_the_old_value_is_said_to() -> None:
    assert empty_element("/a:$LD_LIBRARY_PATH").text.startswith("where it was not set before")
    assert empty_element("/a:").text.startswith("it has an empty element")
