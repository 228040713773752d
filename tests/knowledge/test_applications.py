"""The applications in the data have a place on the screen, a source and floors that parse."""

from __future__ import annotations

import pytest
from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

from wizard.knowledge.applications import applications_named, load_applications
from wizard.knowledge.claims import load_claims

APPLICATIONS = load_applications()


def is_version(text: str) -> bool:
    """``packaging`` can read it."""
    try:
        return bool(Version(text))
    except InvalidVersion:
        return False


def test_a_title_fits_a_column_head() -> None:
    assert [a.title for a in APPLICATIONS if not 0 < len(a.title) <= 12] == []


def test_floors_parse_and_have_a_dated_source() -> None:
    floors = ("torch_floor", "python_floor", "python_ceiling")
    texts = [(a.id, getattr(a, floor)) for a in APPLICATIONS for floor in floors]
    assert [(a, text) for a, text in texts if text and not is_version(text)] == []
    assert [a.id for a in APPLICATIONS if not a.source or not a.date.startswith("20")] == []


def test_ids_are_unique() -> None:
    ids = [application.id for application in APPLICATIONS]
    assert len(ids) == len(set(ids))


def test_applications_come_in_the_order_asked_for() -> None:
    assert [a.id for a in applications_named(("yolo", "comfyui"))] == ["yolo", "comfyui"]


def test_an_unknown_application_is_refused_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="no application 'skynet'; the known ones are comfyui"):
        applications_named(("skynet",))


def test_older_releases_go_back_step_by_step_and_say_what_to_ask_pip_for() -> None:
    each = {a.id: (a.torch_floor, *(older.torch_floor for older in a.older)) for a in APPLICATIONS}
    floors = {name: [Version(floor) for floor in said if floor] for name, said in each.items()}
    ordered = {name: sorted(set(told), reverse=True) for name, told in floors.items()}
    assert floors == ordered
    unclear = [
        (application.id, older)
        for application in APPLICATIONS
        for older in application.older
        if not older.ask
        or not all(Requirement(text).specifier for text in older.ask)
        or not older.pip.startswith("pip install ")
    ]
    assert unclear == []


def test_what_an_application_asks_of_numpy_and_memory_can_be_compared() -> None:
    wrong = [
        (a.id, a.numpy_floor, a.numpy_below)
        for a in APPLICATIONS
        if a.numpy_floor and a.numpy_below and Version(a.numpy_floor) >= Version(a.numpy_below)
    ]
    assert wrong == []
    sizes = ("vram_bytes", "memory_bytes", "memory_without_card_bytes", "disk_bytes")
    told = [(a.id, size, getattr(a, size)) for a in APPLICATIONS for size in sizes]
    assert [each for each in told if each[2] is not None and each[2] < 10**9] == []


def test_what_an_application_pulls_in_is_told_unless_it_is_plain_torch() -> None:
    assert {a.id for a in APPLICATIONS if not a.pulls} == {
        "own",
        "small-cnn",
        "llm-chat",
        "linear-algebra",
    }


def test_what_most_people_run_can_be_chosen() -> None:
    asked = {"comfyui", "a1111", "invokeai", "fooocus", "yolo", "timm", "diffusers"}
    assert {*asked, "transformers", "jupyter"} <= {each.id for each in APPLICATIONS}


def test_what_to_add_when_an_application_fails_is_named_by_its_claim() -> None:
    said = {claim.id: claim.text for claim in load_claims()}
    added = [(each.add, each.claim) for a in APPLICATIONS for each in a.if_fails]
    assert added
    assert [(add, claim) for add, claim in added if add not in said[claim]] == []
