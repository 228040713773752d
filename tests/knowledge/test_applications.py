"""The applications in the data have a place on the screen, a source and floors that parse."""

from __future__ import annotations

import pytest
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
