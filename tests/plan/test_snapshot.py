"""A snapshot by the user's own tool: an offer where one is set up, and never more than that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import clean_jammy
from wizard.core.journal import Kind
from wizard.machine.facts import Machine
from wizard.operations.drop_downloads import DropDownloads
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import MakeSnapshot
from wizard.plan.form import with_id
from wizard.plan.impossible import PlanImpossible
from wizard.plan.snapshot import as_asked, makes_snapshot, offered, with_snapshot, without_snapshot
from wizard.plan.steps import Plan

ROOT = AddToGroups("why", "sam", ("render",))


def plan_of(*steps: AddToGroups | DropDownloads) -> Plan:
    return with_id(Plan("", Kind.INSTALL, "rocm52", "venv+system", "/x", steps, 0, 0, ()))


def machine_with(*tools: str) -> Machine:
    machine = clean_jammy()
    return replace(machine, surroundings=machine.surroundings._replace(snapshots=tools))


def test_it_is_offered_where_a_tool_is_set_up_and_root_has_something_to_do() -> None:
    assert offered(machine_with("timeshift", "snapper"), plan_of(ROOT)) == "timeshift"
    assert offered(machine_with("snapper"), with_snapshot(plan_of(ROOT), "snapper")) == "snapper"
    assert offered(machine_with("timeshift"), plan_of(DropDownloads("why", "/x"))) == ""
    assert offered(machine_with(), plan_of(ROOT)) == ""
    assert offered(None, plan_of(ROOT)) == ""


def test_it_comes_first_and_goes_again_without_a_trace() -> None:
    plan = plan_of(ROOT)
    longer = with_snapshot(plan, "timeshift")
    assert isinstance(longer.steps[0], MakeSnapshot)
    assert makes_snapshot(longer)
    assert longer.id != plan.id
    assert without_snapshot(longer) == plan


@pytest.mark.parametrize(
    ("asked", "config"), [("timeshift", ""), ("snapper", "root"), ("snapper:system", "system")]
)
def test_snapper_is_told_a_configuration_and_timeshift_none(asked: str, config: str) -> None:
    plan = as_asked(machine_with("timeshift", "snapper"), plan_of(ROOT), asked)
    request = {"verb": "snapshot", "tool": asked.partition(":")[0], "config": config}
    assert plan.steps[0].request() == request  # type: ignore[union-attr]


def test_unasked_there_is_none_and_a_tool_that_is_not_set_up_is_refused() -> None:
    assert as_asked(machine_with("timeshift"), plan_of(ROOT), "") == plan_of(ROOT)
    with pytest.raises(PlanImpossible, match="available snapshot tools: timeshift"):
        as_asked(machine_with("timeshift"), plan_of(ROOT), "snapper")
