"""Root steps say the same to the person who reviews them and to the helper that does them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from assets.root.requests import VERBS, Person, read_request
from assets.root.trouble import Wrong
from tests.handmade import HOME, clean_jammy
from tests.machine.records import NAMES
from tests.plan.system_machines import prepared, recorded
from wizard.apt.packages import LocalDeb
from wizard.core.own_files import places
from wizard.operations.groups import AddToGroups, TakeFromGroups
from wizard.operations.packages import (
    AptChange,
    AptUpdate,
    FinishInterrupted,
    KeepDebs,
    MakeSnapshot,
    MarkPackages,
    RestoreSettings,
)
from wizard.operations.root_step import RootStep
from wizard.operations.system_files import PutSystemPathBack, SetSystemPathAside, WriteSystemFile
from wizard.plan.choice import Choice
from wizard.plan.clean_up import make_clean_up
from wizard.plan.form import plan_form, plan_of
from wizard.plan.impossible import PlanImpossible
from wizard.plan.planner import make_plan
from wizard.plan.removal import make_removal
from wizard.plan.rollback import make_rollback
from wizard.plan.snapshot import with_snapshot
from wizard.plan.steps import Plan

OWNER = Person("owner", 1000, 1000, through_sudo=True)
DEB = LocalDeb(f"{HOME}/.cache/rdna1-setup/xx_1.0_all.deb", "a" * 64, "xx", "1.0")
BOTH = (("rocm-core", "5.2.0.50200-65"), ("xx", "1.0"))
EVERY: tuple[RootStep, ...] = (
    AptUpdate("why"),
    AptChange("why", install=BOTH[:1], debs=(DEB,), expect_install=BOTH),
    KeepDebs("why", BOTH),
    WriteSystemFile("why", "/etc/profile.d/rdna1-setup-rocm.sh", "# x\n", "b" * 64),
    SetSystemPathAside("why", "/opt/rocm-5.7.1"),
    PutSystemPathBack("why", "/opt/rocm-5.7.1"),
    AddToGroups("why", "owner", ("render",)),
    TakeFromGroups("why", "owner", ("render",)),
    MarkPackages("why", auto=("xx",)),
    FinishInterrupted("why"),
    RestoreSettings("why", "20260101-000000-aaaaaa"),
    MakeSnapshot("why", "snapper", "root"),
)


def install(name: str, **options: object) -> Plan:
    machine, files = recorded(name)
    choice = Choice("rocm52", "venv+system", f"{HOME}/ai/rocm52", **options)  # type: ignore[arg-type]
    if not machine.interpreters:
        machine = replace(machine, interpreters=clean_jammy().interpreters)
    return make_plan(machine, choice, places({}, HOME), None, prepared(DEB, files=files))


def plans(name: str) -> Iterator[Plan]:
    """Every plan with root steps that there is for a recorded machine."""
    machine, files = recorded(name)
    makers: tuple[Callable[[], Plan], ...] = (
        lambda: make_removal(machine, ("amd", "driver", "distribution"), files),
        lambda: make_clean_up(machine, files),
        lambda: with_snapshot(install(name, profile_file=True), "timeshift"),
    )
    for make in makers:
        try:
            plan = make()
        except PlanImpossible:
            continue
        yield plan
        try:
            yield make_rollback(plan, range(1, len(plan.steps) + 1), (), {}, run="r")
        except PlanImpossible:
            continue


def test_there_is_one_kind_of_step_for_each_verb_of_the_helper() -> None:
    verbs = Counter(step.request()["verb"] for step in EVERY)
    assert verbs == Counter(list(VERBS)), "EVERY has one step for each verb of root's part"


@pytest.mark.parametrize("step", EVERY, ids=lambda step: type(step).__name__)
def test_every_kind_is_taken_by_the_helper_tells_root_and_has_a_rollback(step: RootStep) -> None:
    request = json.loads(json.dumps(step.request()))
    assert read_request(request, OWNER).verb == request["verb"]
    assert step.needs_root
    assert str(step).startswith("as root, ")
    assert step.reason
    assert step.undo


WITHOUT_ROOT = ("bc250-fedora", "no-amd-gpu")
"""Machines where no plan needs root."""


@pytest.mark.parametrize("name", NAMES)
def test_the_helper_takes_every_step_of_every_plan_for_a_recorded_machine(name: str) -> None:
    steps = [s for plan in plans(name) for s in plan.steps if isinstance(s, RootStep)]
    assert steps or name in WITHOUT_ROOT
    for step in steps:
        if isinstance(step, (AddToGroups, TakeFromGroups)) and step.user != OWNER.name:
            continue  # in a container everything is root's
        try:
            read_request(json.loads(json.dumps(step.request())), OWNER)
        except Wrong as wrong:
            pytest.fail(f"{step}: {wrong}")


def test_the_recorded_machines_bring_every_kind_of_step_about() -> None:
    kinds = {type(step) for name in NAMES for plan in plans(name) for step in plan.steps}
    missing = {type(step).__name__ for step in EVERY if type(step) not in kinds}
    assert missing == set(), "no recorded machine needs these"


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_is_the_same_after_its_way_through_json(name: str) -> None:
    for plan in plans(name):
        assert plan_of(json.loads(json.dumps(plan_form(plan)))) == plan


@pytest.mark.parametrize("form", [{"steps": [{"kind": "Explode"}]}, {"steps": 7}, {"steps": []}])
def test_what_is_no_plan_of_ours_is_refused(form: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not from this version"):
        plan_of(form)


def test_a_transaction_says_what_comes_along_and_that_all_else_is_refused() -> None:
    step = AptChange(
        "why",
        install=BOTH[:1],
        remove=("comgr",),
        purge=True,
        debs=(DEB,),
        expect_install=(*BOTH, ("pciutils", "1:3.9.0-4")),
        expect_remove=("comgr", "rocm-dev"),
    )
    text = str(step)
    assert "apt-get purge comgr" in text
    assert f"apt-get install rocm-core=5.2.0.50200-65 {DEB.path} (SHA-256 {'a' * 12})" in text
    assert "also installs pciutils=1:3.9.0-4" in text
    assert "also removes rocm-dev" in text
    assert text.endswith("anything else")


@pytest.mark.parametrize(
    "step",
    [
        AptChange("", install=(("rocm-core", ""),), expect_install=(("rocm-core", ""),)),
        AptChange("", install=BOTH, expect_install=BOTH[:1]),
        AptChange("", debs=(DEB,)),
        WriteSystemFile("", "/etc/apt/keyrings/rdna1-setup-rocm.asc", ""),
    ],
)
def test_what_is_not_known_exactly_cannot_be_asked_for(step: AptChange | WriteSystemFile) -> None:
    assert not step.resolved
    with pytest.raises(ValueError, match=r"not known until|not been downloaded"):
        step.request()


def test_removals_and_written_files_are_resolved() -> None:
    removal = AptChange("", remove=("xx",), expect_remove=("xx",))
    assert all(step.resolved for step in (removal, *EVERY))


def test_a_path_that_may_be_gone_is_told_as_such() -> None:
    step = SetSystemPathAside("why", "/opt/rocm-5.7.1", may_be_gone=True)
    assert "or what is left of it" in str(step)
    assert "left" not in str(replace(step, may_be_gone=False))
