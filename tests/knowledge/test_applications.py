"""The applications in the data have a place on the screen, a source and floors that parse."""

from __future__ import annotations

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from wizard.knowledge.applications import Application, applications_named, load_applications
from wizard.plan.weighing import BEARING

every_application = pytest.mark.parametrize(
    "application", load_applications(), ids=lambda application: application.id
)


@every_application
def test_a_title_fits_a_column_head(application: Application) -> None:
    assert 0 < len(application.title) <= 12


@every_application
def test_a_workload_is_one_that_can_be_weighed(application: Application) -> None:
    assert application.workload in BEARING


@every_application
def test_floors_parse_and_have_a_dated_source(application: Application) -> None:
    limits = (
        application.torch_floor,
        application.torch_ceiling,
        application.python_floor,
        application.python_ceiling,
    )
    assert all(Version(text) for text in limits if text)
    assert application.source
    assert application.date[:2] == "20"


def test_ids_are_unique() -> None:
    ids = [application.id for application in load_applications()]
    assert len(ids) == len(set(ids))


def test_applications_come_in_the_order_asked_for() -> None:
    assert [a.id for a in applications_named(("yolo", "comfyui"))] == ["yolo", "comfyui"]


def test_an_unknown_application_is_refused_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="no application 'skynet'; known are comfyui"):
        applications_named(("skynet",))


@every_application
def test_older_releases_go_back_step_by_step_and_say_what_to_ask_pip_for(
    application: Application,
) -> None:
    floors = [application.torch_floor, *(older.torch_floor for older in application.older)]
    versions = [Version(floor) for floor in floors if floor]
    assert versions == sorted(set(versions), reverse=True)
    for older in application.older:
        assert [Requirement(text).specifier for text in older.ask]
        assert older.pip.startswith("pip install ")


@every_application
def test_what_an_application_asks_of_numpy_and_memory_can_be_compared(
    application: Application,
) -> None:
    low, high = application.numpy_floor, application.numpy_below
    assert not (low and high) or Version(low) < Version(high)
    sizes = (
        application.vram_bytes,
        application.memory_bytes,
        application.memory_without_card_bytes,
        application.disk_bytes,
    )
    assert all(size >= 10**9 for size in sizes if size is not None)


@every_application
def test_what_an_application_pulls_in_is_told_unless_it_is_plain_torch(
    application: Application,
) -> None:
    assert bool(application.pulls) is (application.id not in ("own", "small-cnn"))


def test_what_most_people_run_can_be_chosen() -> None:
    asked = {"comfyui", "a1111", "invokeai", "fooocus", "yolo", "timm", "diffusers"}
    assert {*asked, "transformers", "jupyter"} <= {each.id for each in load_applications()}
