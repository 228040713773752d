"""Aspects of a stack: a word first, how well it is supported, and never an invented one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import clean_jammy
from wizard.knowledge.applications import applications_named
from wizard.knowledge.claims import Claim, Grade, load_claims
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.machine.facts import Machine
from wizard.plan.aspect import UNKNOWN, Aspect, LineSpeed
from wizard.plan.aspects import aspects, everything
from wizard.plan.fit import fit
from wizard.plan.strength import strength

CLAIMS = load_claims()
BY_ID = {claim.id: claim for claim in CLAIMS}
STACKS = {stack.id: stack for stack in load_stacks()}
ASKED = ("comfyui", "yolo", "transformers")


def weighed(
    stack: str | Stack,
    machine: Machine | None = None,
    claims: tuple[Claim, ...] = CLAIMS,
    *,
    system: bool = False,
    speed: LineSpeed | None = None,
) -> dict[str, Aspect]:
    """The aspects of a stack by their ids."""
    machine = machine or clean_jammy()
    held = STACKS[stack] if isinstance(stack, str) else stack
    asked = applications_named(ASKED)
    found = fit(machine, asked, held, claims)
    given = aspects(machine, asked, held, found, claims, system=system, speed=speed)
    return {aspect.id: aspect for aspect in given}


every_stack = pytest.mark.parametrize("stack", STACKS)


@every_stack
def test_what_the_user_wants_to_run_comes_first_and_all_stacks_have_the_same_rows(
    stack: str,
) -> None:
    found = list(weighed(stack))
    assert found[:3] == [f"run-{each}" for each in ASKED]
    assert found == list(weighed("cpu"))


@every_stack
def test_every_aspect_has_a_word_and_a_reason_that_fit_their_places(stack: str) -> None:
    for aspect in weighed(stack).values():
        assert aspect.word
        assert aspect.because
        assert len(aspect.title) <= 14
        assert not aspect.because.endswith(".")


@every_stack
def test_claims_stand_in_order_of_strength(stack: str) -> None:
    gfx = "gfx1010" if STACKS[stack].gfx else ""
    for aspect in weighed(stack).values():
        weights = [strength(BY_ID[each], gfx) for each in aspect.claims]
        assert weights == sorted(weights, reverse=True), aspect.id


@every_stack
def test_a_verdict_that_claims_decide_has_their_grade(stack: str) -> None:
    grades = {grade.value for grade in Grade}
    for name in ("large-conv2d", "small-conv2d", "training", "transformers"):
        aspect = weighed(stack)[name]
        if aspect.claims and aspect.word != UNKNOWN:
            assert aspect.grade in grades - {Grade.REFUTED.value}


@every_stack
def test_without_any_claim_all_that_people_would_have_to_say_is_unknown(stack: str) -> None:
    found = weighed(stack, claims=())
    asked = ("large-conv2d", "small-conv2d", "training", "transformers", "support")
    assert {found[each].word for each in asked} == {UNKNOWN}
    assert {found[each].grade for each in asked} == {""}


def test_the_verdict_on_large_conv2d_is_that_on_an_application_that_asks_for_it() -> None:
    found = weighed("native")
    assert found["large-conv2d"].word == found["run-comfyui"].word


def test_only_code_of_ones_own_is_called_any_program() -> None:
    asked = applications_named(("jupyter", "own"))
    stack = STACKS["rocm52"]
    found = fit(clean_jammy(), asked, stack, CLAIMS)
    titles = [each.title for each in aspects(clean_jammy(), asked, stack, found, CLAIMS)[:2]]
    assert titles == ["Jupyter", "Any program"]


def test_explanations_that_exclude_one_another_are_counted() -> None:
    assert weighed("rocm57")["cause"].word == "disputed"
    assert weighed("rocm57")["cause"].because.startswith("5 explanations")


def test_where_nobody_names_a_cause_the_crashes_and_freezes_are_told() -> None:
    found = weighed("native")["cause"]
    assert found.word == UNKNOWN
    assert found.because.startswith("nobody names one; ")
    assert "Video models and Flux crash" in found.because
    assert "Linux 6.17 and later froze" in found.because
    assert found.claims == ("native-heavy-crashes", "kernel-617-freezes")
    assert "nobody describes a hang" in weighed("native", claims=())["cause"].because


def test_support_is_a_no_where_the_makers_say_so_whatever_others_declare() -> None:
    assert weighed("rocm52")["support"].word == "no"
    assert weighed("rocm52")["support"].grade == "maintainer"


def test_refuted_claims_stay_behind_their_cell_and_come_last() -> None:
    behind = weighed("rocm52")["large-conv2d"].claims
    assert behind[-1] == "r52-same-limit"
    assert BY_ID[behind[-1]].grade is Grade.REFUTED


def test_a_torch_that_is_not_in_the_data_has_no_age_and_no_holes() -> None:
    found = weighed(replace(STACKS["rocm62"], torch="9.9.9+rocm9.9"))
    assert (found["age"].word, found["security"].word) == (UNKNOWN, UNKNOWN)


def test_holes_are_those_that_later_releases_closed() -> None:
    assert weighed("rocm62")["security"].word == "2 holes"
    assert "CVE-2025-32434" in weighed("rocm62")["security"].because
    assert weighed("native")["security"].word == "none known"


def test_a_size_that_no_source_gives_is_unknown() -> None:
    assert weighed("rocm57")["download"].word == UNKNOWN
    assert weighed("rocm57")["disk"].word == UNKNOWN


def test_a_time_is_told_only_where_the_line_was_measured() -> None:
    assert weighed("rocm52")["download"].word == "1.3 GB"
    assert "was not measured" in weighed("rocm52")["download"].because
    found = weighed("rocm52", speed=LineSpeed(1_000_000, "2026-11-02"))["download"]
    assert found.word == "1.3 GB, 22 min"
    assert "as this line was on 2026-11-02" in found.because


def test_the_python_is_the_one_that_the_plan_would_take() -> None:
    machine = clean_jammy()
    found = fit(machine, applications_named(ASKED), STACKS["rocm52"], CLAIMS)
    assert found.python == "/usr/bin/python3.10"
    assert weighed("rocm52", machine)["python"].word == "3.10, here"


def test_root_is_needed_for_packages_of_the_system_and_not_for_a_folder() -> None:
    assert weighed("rocm52")["root"].word == "no"
    assert weighed("rocm52", system=True)["root"].word == "yes"


def test_everything_holds_each_claim_of_the_stack_once() -> None:
    found = everything(STACKS["rocm52"], "gfx1010", CLAIMS).claims
    assert sorted(found) == sorted(c.id for c in CLAIMS if "rocm52" in c.stacks)


def test_what_people_say_of_age_and_holes_stands_behind_the_figures() -> None:
    found = weighed("rocm57")
    assert {BY_ID[each].topic for each in found["age"].claims} == {"age"}
    assert "torch-load-hole" in found["security"].claims
    assert found["undo"].claims == ()


def test_of_the_strongest_on_support_the_newest_counts() -> None:
    found = weighed("rocm52")["support"]
    strongest = [BY_ID[each] for each in found.claims if BY_ID[each].grade is Grade.MAINTAINER]
    assert strongest[0].date == max(claim.date for claim in strongest)
    assert {claim.leaning for claim in strongest} == {"for", "against"}
