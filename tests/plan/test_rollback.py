"""The way back is a plan like any other: the inverse steps, last first, as far as it came."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.plan.system_machines import RELEASES, amd, prepared, with_packages
from tests.plan.test_system import changes, plan_for
from wizard.apt.packages import LocalDeb
from wizard.apt.sources import SOURCE
from wizard.core.journal import Kind
from wizard.host.live import LiveHost
from wizard.operations.edit_lines import PutLinesBack, TakeLinesOut
from wizard.operations.groups import AddToGroups, TakeFromGroups
from wizard.operations.operation import Before
from wizard.operations.packages import AptChange, FinishInterrupted, MarkPackages, RestoreSettings
from wizard.operations.system_files import PutSystemPathBack, SetSystemPathAside, WriteSystemFile
from wizard.plan.impossible import NothingToDo
from wizard.plan.removal import make_removal, system_plan
from wizard.plan.rollback import NOTHING_NOTED, changed_since, lost, make_rollback
from wizard.plan.steps import Plan, Step

RUN = "20260101-000000-aaaaaa"
OLD = f"1.0.0.{RELEASES['5.7.1']}"
KEPT = (
    LocalDeb("/var/lib/rdna1-setup/runs/r/backup/debs/comgr.deb", "1" * 64, "comgr", OLD),
    LocalDeb("/var/lib/rdna1-setup/runs/r/backup/debs/core.deb", "2" * 64, "rocm-core", OLD),
)


def all_of(plan: Plan) -> range:
    return range(1, len(plan.steps) + 1)


def back(
    *steps: Step,
    installed: dict[str, str] | None = None,
    changed: tuple[str, ...] = (),
    noted: Mapping[int, Before] = NOTHING_NOTED,
) -> tuple[Step, ...]:
    plan = system_plan(Kind.REMOVE, steps, ())
    way = make_rollback(
        plan, all_of(plan), KEPT, installed or {}, run=RUN, changed=changed, noted=noted
    )
    return way.steps


def removal() -> Plan:
    return make_removal(with_packages(amd("comgr"), amd("rocm-core")))


def test_what_was_moved_comes_back_before_the_packages_that_look_for_it() -> None:
    plan = removal()
    steps = make_rollback(plan, all_of(plan), KEPT, {}, run=RUN).steps
    kinds = [type(step) for step in steps]
    assert kinds == [*([PutSystemPathBack] * 4), AptChange, RestoreSettings]
    assert [step.path for step in steps if isinstance(step, PutSystemPathBack)][-1] == (
        "/etc/apt/sources.list.d/rocm.list"
    )


def test_packages_come_back_from_the_files_that_were_kept_in_their_very_versions() -> None:
    plan = removal()
    (change,) = changes(make_rollback(plan, all_of(plan), KEPT, {}, run=RUN))
    assert change.debs == KEPT
    assert change.install == ()
    assert set(change.expect_install) == {("comgr", OLD), ("rocm-core", OLD)}
    assert change.resolved


def test_without_a_kept_file_the_very_version_is_asked_of_the_archive() -> None:
    plan = removal()
    (change,) = changes(make_rollback(plan, all_of(plan), KEPT[:1], {}, run=RUN))
    assert change.install == (("rocm-core", OLD),)


def test_what_went_for_good_is_not_asked_of_anybody() -> None:
    machine = with_packages(amd("comgr"), amd("rocm-core"))
    plan = make_removal(machine, for_good=(("rocm-core", OLD),))
    (change,) = changes(make_rollback(plan, all_of(plan), KEPT[:1], {}, run=RUN))
    assert change.expect_install == (("comgr", OLD),)
    assert lost(plan, all_of(plan), {}) == (("rocm-core", OLD),)
    assert lost(plan, all_of(plan), {"rocm-core": "1"}) == (("rocm-core", OLD),)
    assert lost(plan, all_of(plan), {"rocm-core": OLD}) == ()
    assert lost(plan, (), {}) == ()


def test_a_module_that_went_for_good_is_not_said_to_wait() -> None:
    plan = make_removal(
        with_packages(amd("amdgpu-dkms", state="half-configured")),
        for_good=(("amdgpu-dkms", OLD),),
    )
    way = make_rollback(plan, all_of(plan), (), {}, run=RUN)
    assert changes(way) == []
    assert not any("kernel module" in note for note in way.notes)


def test_of_what_the_plan_brought_no_package_file_is_kept_and_root_is_told() -> None:
    plan = plan_for(with_packages(), found=prepared())
    installed = dict(changes(plan)[0].expect_install)
    (change,) = changes(make_rollback(plan, all_of(plan), (), installed, run=RUN))
    assert dict(change.for_good) == installed
    assert str(change).endswith("no package file is kept for them")


def test_marks_come_back_also_where_no_package_went() -> None:
    """apt drops them before dpkg removes anything, and dpkg may end right there."""
    plan = removal()
    installed = {"comgr": OLD, "rocm-core": OLD}
    numbers = [n for n, step in enumerate(plan.steps, 1) if isinstance(step, AptChange)]
    steps = make_rollback(plan, numbers, KEPT, installed, run=RUN).steps
    assert [type(step) for step in steps] == [RestoreSettings]


def test_what_the_plan_brought_goes_before_what_was_there_comes_back() -> None:
    machine = with_packages(amd("rocm-core"), amd("comgr"))
    plan = plan_for(machine, found=prepared())
    installed = dict(changes(plan)[1].expect_install)
    way = make_rollback(plan, all_of(plan), KEPT, installed, run=RUN)
    first, second = changes(way)
    assert set(first.remove) == set(installed)
    assert first.purge
    assert set(second.expect_install) == {("comgr", OLD), ("rocm-core", OLD)}
    kinds = [type(step) for step in way.steps]
    second_change = kinds.index(AptChange, 1)
    assert kinds.index(AptChange) < second_change < kinds.index(SetSystemPathAside)
    moved = [step.path for step in way.steps if isinstance(step, PutSystemPathBack)]
    assert moved[-1] == "/etc/apt/sources.list.d/rocm.list"


def test_a_transaction_that_was_cut_off_is_undone_as_far_as_it_came() -> None:
    plan = plan_for(with_packages(), found=prepared())
    came = ("pciutils", "1:3.9.0-4")
    way = make_rollback(plan, all_of(plan), (), dict([came]), interrupted=True, run=RUN)
    assert isinstance(way.steps[0], FinishInterrupted)
    (change,) = changes(way)
    assert change.remove == ("pciutils",)
    assert changes(make_rollback(plan, all_of(plan), (), {"pciutils": "2:0"}, run=RUN)) == []


def test_what_is_somebody_elses_by_now_is_left_alone() -> None:
    plan = removal()
    installed = {"comgr": "9", "rocm-core": OLD}
    assert list(changed_since(plan, all_of(plan), installed, LiveHost())) == ["comgr"]
    assert changed_since(plan, (), installed, LiveHost()) == {}
    way = make_rollback(plan, all_of(plan), KEPT, installed, run=RUN, changed=("comgr",))
    assert changes(way) == []
    written = WriteSystemFile("", SOURCE, "new\n")
    (rest,) = back(written, changed=(SOURCE,))
    assert isinstance(rest, RestoreSettings)


def test_a_removal_that_was_cut_off_brings_back_only_what_is_gone() -> None:
    plan = removal()
    way = make_rollback(plan, all_of(plan), KEPT, {"comgr": OLD}, run=RUN)
    assert [change.expect_install for change in changes(way)] == [(("rocm-core", OLD),)]


def test_what_is_only_half_removed_comes_back_too() -> None:
    installed = {"comgr": OLD, "rocm-core": OLD}
    plan = removal()
    way = make_rollback(plan, all_of(plan), KEPT, installed, run=RUN, half={"comgr"})
    assert [change.expect_install for change in changes(way)] == [(("comgr", OLD),)]


def test_only_steps_that_were_begun_are_undone() -> None:
    plan = plan_for(with_packages(), found=prepared())
    number = next(
        n
        for n, s in enumerate(plan.steps, 1)
        if isinstance(s, WriteSystemFile) and s.path == SOURCE
    )
    step, last = make_rollback(plan, (number,), (), {}, run=RUN).steps
    assert isinstance(last, RestoreSettings)  # for what a run that was cut off has left
    assert step == SetSystemPathAside(
        f"{SOURCE} did not exist before the run.", SOURCE, may_be_gone=True
    )
    with pytest.raises(NothingToDo):
        make_rollback(plan, (), (), {}, run=RUN)


def test_a_file_that_was_replaced_comes_back_from_the_backup() -> None:
    step = WriteSystemFile("", SOURCE, "new\n", before="0" * 64)
    assert [type(one) for one in back(step)] == [PutSystemPathBack, RestoreSettings]


def test_groups_marks_and_lines_are_turned_round() -> None:
    lines = TakeLinesOut("", "/home/ada/.bashrc", ((3, "export HSA_X=1"),), "b", "a")
    joined = AddToGroups("", "ada", ("render",))
    marked = MarkPackages("", auto=("gcc",))
    put, left, marks = back(marked, joined, lines)
    assert isinstance(put, PutLinesBack)
    assert (put.before, put.after) == ("a", "b")
    assert isinstance(left, TakeFromGroups)
    assert isinstance(marks, RestoreSettings)  # swapped, it would mark what was marked before


def test_marks_of_packages_that_go_anyway_are_left_out() -> None:
    brought = AptChange("", install=(("xx", "1"),), expect_install=(("xx", "1"),))
    steps = back(brought, MarkPackages("", auto=("xx",)), installed={"xx": "1"})
    assert [type(step) for step in steps] == [AptChange, RestoreSettings]


def test_a_kernel_module_is_never_built_on_the_rollback_and_that_is_said() -> None:
    broken = amd("amdgpu-dkms", state="half-configured")
    plan = make_removal(with_packages(broken, amd("rocm-core")))
    way = make_rollback(plan, all_of(plan), KEPT, {}, run=RUN)
    assert [change.expect_install for change in changes(way)] == [(("rocm-core", OLD),)]
    assert any("amdgpu-dkms builds a kernel module" in note for note in way.notes)


def test_what_package_files_do_not_bring_along_comes_last() -> None:
    """Settings that the user changed, what had been deleted, alternatives: as that run found it."""
    plan = removal()
    last = make_rollback(plan, all_of(plan), KEPT, {}, run=RUN).steps[-1]
    assert isinstance(last, RestoreSettings)
    assert last.run == RUN
    joined = AddToGroups("", "ada", ("render",))
    assert not any(isinstance(step, RestoreSettings) for step in back(joined))


def test_a_module_alone_comes_back_too() -> None:
    broken = amd("amdgpu-dkms", state="half-configured")
    plan = make_removal(with_packages(broken), ("amd", "driver"))
    numbers = [n for n, step in enumerate(plan.steps, 1) if isinstance(step, AptChange)]
    steps = make_rollback(plan, numbers, (), {}, run=RUN).steps
    assert [type(step) for step in steps] == [RestoreSettings]


def test_the_venv_is_left_to_the_undo_of_its_own() -> None:
    plan = plan_for(with_packages(), found=prepared())
    way = make_rollback(plan, all_of(plan), (), {}, run=RUN)
    assert all(step.needs_root for step in way.steps)
    assert way.venv == ""


def test_a_rollback_has_a_rollback() -> None:
    plan = removal()
    way = make_rollback(plan, all_of(plan), KEPT, {}, run=RUN)
    again = make_rollback(way, all_of(way), (), {"comgr": OLD, "rocm-core": OLD}, run=RUN)
    assert [set(change.remove) for change in changes(again)] == [{"comgr", "rocm-core"}]


@pytest.mark.parametrize(
    ("step", "noted"),
    [
        (AddToGroups("why", "owner", ("render",)), {"in": ["render"]}),
        (TakeFromGroups("why", "owner", ("render",)), {"out": ["render"]}),
    ],
)
def test_groups_that_were_so_before_are_left_alone(step: Step, noted: Before) -> None:
    with pytest.raises(NothingToDo):
        back(step, noted={1: noted})
