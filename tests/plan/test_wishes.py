"""Applications that are there already are what stacks are weighed for first."""

from __future__ import annotations

from dataclasses import replace

from tests.handmade import clean_jammy
from wizard.machine.facts import FoundApplication, Machine
from wizard.plan.advice import advise
from wizard.plan.wishes import wishes_of

COMFY = FoundApplication("comfyui", "/home/ada/ComfyUI", "/home/ada/ComfyUI/venv", "")


def library(name: str, environment: str = "/home/ada/venv") -> FoundApplication:
    """A library as it is found in an environment."""
    return FoundApplication(name, environment, environment, "")


def having(*found: FoundApplication) -> Machine:
    """A machine with these applications."""
    return replace(clean_jammy(), applications=found)


def test_a_machine_without_applications_has_no_wishes() -> None:
    assert wishes_of(having()) == ()


def test_wishes_come_in_the_order_of_the_table_and_once() -> None:
    machine = having(library("transformers"), library("yolo"), COMFY, library("yolo", "/other"))

    assert wishes_of(machine) == ("comfyui", "yolo", "transformers")


def test_what_cannot_be_chosen_for_is_no_wish() -> None:
    assert wishes_of(having(library("skynet"), library("hal"))) == ()


def test_a_library_that_came_with_an_application_is_no_wish() -> None:
    assert wishes_of(having(COMFY, library("transformers", COMFY.environment))) == ("comfyui",)


def test_a_library_beside_an_application_is_one() -> None:
    assert wishes_of(having(COMFY, library("transformers"))) == ("comfyui", "transformers")


def test_stacks_are_weighed_for_the_floors_of_what_is_there() -> None:
    machine = having(COMFY)

    roads = {road.fit.stack: road for road in advise(machine, wishes_of(machine)).roads}

    assert [cell.application for cell in roads["rocm52"].fit.cells] == ["comfyui"]
    assert "asks for torch 2.7 or newer" in roads["rocm52"].fit.cells[0].because
