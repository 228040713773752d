"""Which algorithms a stack may choose from: what the tables say, and never that one works."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import HOME, clean_jammy, torch
from wizard.advice.algorithms import NO_PROMISE, algorithms, left_by
from wizard.knowledge.solvers import SEARCH, load_table, releases
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Environment, Machine, Setting

STACKS = {stack.id: stack for stack in load_stacks()}
OVERRIDE = ("HSA_OVERRIDE_GFX_VERSION", "10.3.0")
FAMILY = "MIOPEN_DEBUG_CONV_{}"
ONLY = "MIOPEN_DEBUG_FIND_ONLY_SOLVER"
IMPLICIT = "ConvHipImplicitGemmV4R4Fwd"


@pytest.mark.parametrize(
    ("stack", "gfx", "word", "says"),
    [
        ("rocm52", "gfx1010", "4 kinds", "and for 33 of them also from implicit GEMM. "),
        ("rocm57", "gfx1010", "3 kinds", "For 11 of them, it uses AMD's database, which"),
        ("rocm62", "gfx1010", "3 kinds", "choose from GEMM, Winograd and direct. "),
        ("native", "gfx1010", "not asked", "but in half precision not from Winograd. "),
        ("native", "gfx1012", "not asked", "7.2.4 can choose from GEMM, Winograd and direct. "),
    ],
)
def test_the_kinds_of_a_stack_are_those_of_its_release_and_chip(
    stack: str, gfx: str, word: str, says: str
) -> None:
    told, because = algorithms(STACKS[stack], gfx)
    assert told == word
    assert says in because
    assert because.endswith(NO_PROMISE)


def test_nothing_is_said_of_a_chip_that_nobody_asked_about() -> None:
    word, because = algorithms(STACKS["native"], "gfx1013")
    assert word == "not asked"
    assert because == "MIOpen of ROCm 10.1, which this stack has, was not asked"
    assert algorithms(STACKS["cpu"], "")[0] == "no MIOpen"


def machine(version: str, *settings: tuple[str, str]) -> Machine:
    environment = Environment(f"{HOME}/venv", "venv", "3.10", torch(version))
    told = tuple(Setting(*each, f"{HOME}/.bashrc", 7, "") for each in settings)
    return replace(clean_jammy(), environments=(environment,), settings=told)


def left(version: str, *settings: tuple[str, str], override: bool = True) -> str:
    there = machine(version, *settings, *((OVERRIDE,) if override else ()))
    return " ".join(left_by(there, there.settings))


OFF = tuple((FAMILY.format(name), "0") for name in ("GEMM", "WINOGRAD", "DIRECT"))
NORMAL = ("MIOPEN_FIND_MODE", "NORMAL")


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        (OFF, "no solver left on gfx1030"),
        ((*OFF, NORMAL), "a solver left for 70 of 192 layers on gfx1030"),
        (((ONLY, IMPLICIT),), "no solver left on gfx1030"),
        (((ONLY, f"GemmFwdRest;{IMPLICIT}"), NORMAL), "a solver left for 140 of 192 layers"),
        (((ONLY, "GemmFwdRest"),), "a solver left for 121 of 192 layers"),
    ],
)
def test_settings_leave_what_the_tables_say(
    settings: tuple[tuple[str, str], ...], what: str
) -> None:
    without = "With these settings and without AMD's database"
    said = left("2.2.2+rocm5.7", *settings)
    assert f"{without}, MIOpen of ROCm 5.7.0 has {what}" in said


def test_the_release_and_the_override_decide() -> None:
    assert "a solver left for 43 of 192 layers on gfx1030" in left("1.13.1+rocm5.2", *OFF)
    assert "no solver left on gfx1010" in left("1.13.1+rocm5.2", *OFF, override=False)


@pytest.mark.parametrize(
    "settings",
    [
        OFF[1:],  # GEMM is there for every layer
        tuple((name, "1") for name, _ in OFF),
        ((ONLY, IMPLICIT), ("MIOPEN_FIND_MODE", "FAST")),  # it acts on searches only
    ],
)
def test_nothing_is_said_where_nothing_is_lost(settings: tuple[tuple[str, str], ...]) -> None:
    assert left("2.2.2+rocm5.7", *settings) == ""


@pytest.mark.parametrize("release", [each for each in releases() if each.startswith(("5", "6"))])
def test_what_is_left_is_what_the_library_answered_under_the_same_settings(release: str) -> None:
    table = load_table(release)
    assert table is not None
    searched = [key for key in table.settings if key.startswith(SEARCH) and "=" in key]
    for key in searched:
        settings = tuple(
            (name, value) for name, _, value in (word.partition("=") for word in key.split()[1:])
        )
        answers = [table.answer(shape, "gfx1030 forward float32", key) for shape in table.rows]
        count = sum(bool(each and each.names) for each in answers)
        said = left(f"2.0+rocm{release}", *settings)
        assert (f"left for {count} of {len(table.rows)} " in said) or (count, said != "") in (
            (0, True),
            (len(table.rows), False),
        )


def test_nothing_is_said_of_a_release_that_was_not_asked() -> None:
    assert left("2.14.0+rocm10.1.0", *OFF) == ""
    assert left("2.5.1+cpu", *OFF) == ""
