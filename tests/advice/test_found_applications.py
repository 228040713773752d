"""Applications that are there already are what a stack is recommended for."""

from __future__ import annotations

from dataclasses import replace

from tests.handmade import clean_jammy
from wizard.advice.recommend import found_applications
from wizard.machine.facts import FoundApplication, Machine

COMFY = FoundApplication("comfyui", "/home/ada/ComfyUI", "/home/ada/ComfyUI/venv", "")


def library(name: str, environment: str = "/home/ada/venv") -> FoundApplication:
    """A library as it is found in an environment."""
    return FoundApplication(name, environment, environment, "")


def having(*found: FoundApplication) -> Machine:
    """A machine with these applications."""
    return replace(clean_jammy(), applications=found)


def test_a_machine_without_applications_has_none() -> None:
    assert found_applications(having()) == ()


def test_they_come_in_the_order_of_the_table_and_once() -> None:
    machine = having(library("transformers"), library("yolo"), COMFY, library("yolo", "/other"))

    assert found_applications(machine) == ("comfyui", "yolo", "transformers")


def test_what_cannot_be_chosen_for_is_none() -> None:
    assert found_applications(having(library("skynet"), library("hal"))) == ()


def test_a_library_that_came_with_an_application_is_none() -> None:
    assert found_applications(having(COMFY, library("transformers", COMFY.environment))) == (
        "comfyui",
    )


def test_a_library_beside_an_application_is_one() -> None:
    assert found_applications(having(COMFY, library("transformers"))) == ("comfyui", "transformers")
