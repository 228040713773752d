"""Floors of torch, numpy and Python, with stacks and applications of the test's own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wizard.advice.floors import (
    numpy_allowed,
    older_release,
    pythons_for,
    steps_back,
    takes_torch,
    unmet_floor,
)
from wizard.knowledge.applications import Application, Older, applications_named
from wizard.knowledge.stacks import Stack, find_stack


def stack(torch: str = "2.2.2+rocm5.7", constraints: tuple[str, ...] = ()) -> Stack:
    found = find_stack("rocm57")
    assert found is not None
    return replace(found, torch=torch, constraints=constraints, pythons=("3.10", "3.11"))


OLDER = (Older("2.2", "3.9", ("app<5",)), Older("1.13", "3.8", ("app<4", "helper<1")))
APP: Application = replace(
    applications_named(("own",))[0],
    title="App",
    torch_floor="2.6",
    python_floor="3.11",
    older=OLDER,
    source="its metadata",
)


@pytest.mark.parametrize(
    ("torch", "asked", "back"),
    [
        ("2.12.0+rocm7.14.0", "", 0),
        ("2.6.0", "", 0),
        ("2.5.1+rocm6.2", "pip install 'app<5'", 1),
        ("2.2.2+rocm5.7", "pip install 'app<5'", 1),
        ("2.0.1", "pip install 'app<4' 'helper<1'", 2),
    ],
)
def test_the_newest_release_that_takes_the_torch_is_found(
    torch: str, asked: str, back: int
) -> None:
    older = older_release(APP, stack(torch))
    assert (older.pip if older else "") == asked
    assert steps_back(APP, stack(torch)) == back
    assert unmet_floor(APP, stack(torch)) == ""


def test_the_floor_told_is_that_of_the_oldest_release() -> None:
    told = unmet_floor(APP, stack("1.12.0"))
    assert told == "App needs torch 1.13 or newer; this stack has 1.12.0 (its metadata)"


def test_pythons_are_those_of_the_release_that_suits() -> None:
    assert pythons_for(APP, stack("2.7.0")) == ("3.11",)
    assert pythons_for(APP, stack("2.5.1")) == ("3.10", "3.11")


def test_a_python_too_old_for_every_release_is_a_floor() -> None:
    new = replace(APP, torch_floor="", older=(), python_floor="3.13")
    assert pythons_for(new, stack()) == ()
    assert unmet_floor(new, stack()).startswith("App needs Python 3.13 or newer; this stack has")


@pytest.mark.parametrize(
    ("constraints", "floor", "allowed"),
    [
        ((), "2.0", True),
        (("numpy<2",), "1.25", True),
        (("numpy<2",), "2.0", False),
        (("numpy==1.26.4",), "1.25", True),
        (("numpy==1.26.4",), "2.0", False),
        (("torch==2.2.2",), "2.0", True),
    ],
)
def test_numpy_is_held_against_what_the_stack_keeps(
    constraints: tuple[str, ...], floor: str, allowed: bool
) -> None:
    assert numpy_allowed(stack(constraints=constraints), floor) is allowed


def test_an_application_for_numpy_2_is_refused_by_a_torch_for_numpy_1() -> None:
    modern = replace(APP, torch_floor="", older=(), python_floor="", numpy_floor="2.0")
    told = unmet_floor(modern, stack(constraints=("numpy<2",)))
    assert told.startswith("App needs numpy 2.0 or newer, but this stack's torch needs an older")
    assert unmet_floor(modern, stack()) == ""


@pytest.mark.parametrize(("version", "taken"), [("2.2.2+rocm5.7", True), ("1.12.1", False)])
def test_a_torch_that_is_there_is_held_against_the_oldest_release(
    version: str, taken: bool
) -> None:
    assert takes_torch(APP, version) is taken
