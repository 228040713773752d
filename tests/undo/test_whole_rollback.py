"""A whole run taken back: root's part first, its folder last, and never one for the other."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.machine.records import machine
from tests.run.places import places_below, plan_of
from wizard.core.events import (
    CHECKED,
    REMOVED,
    Event,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.journal import ROLLED_BACK, UNFINISHED, Kind
from wizard.core.trouble import Trouble
from wizard.host.files import prints
from wizard.host.host import Host
from wizard.operations.system_files import SetSystemPathAside
from wizard.operations.write_file import WriteFile
from wizard.plan.steps import Plan
from wizard.run.journal import Journal, Owned
from wizard.run.obstacles import obstacle
from wizard.run.rollback import Rollback, Undo, find_undo
from wizard.run.runs import half_undone, read_record, unfinished_run

RUN, WAY = "20260101-000000-aaaaaa", "20260101-000100-bbbbbb"
ASIDE = SetSystemPathAside("x", "/etc/profile.d/rocm.sh")
HOST: Host = machine("rx5700xt-jammy-clean")


class FakeRoot:
    """Carries every step out, or stops before one; it tells how far the folder was by then."""

    def __init__(self, home: Path, stop: StepFailed | None = None) -> None:
        self.seen: list[bool] = []
        self.cancelled = False
        self._file = home / "venv" / "ours.txt"
        self._stop = stop

    async def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        for number, step in enumerate(plan.steps, 1):
            yield StepStarted(number, len(plan.steps), str(step), step.reason)
            self.seen.append(self._file.exists())
            if self._stop is not None:
                yield self._stop
                yield PlanFinished(False, False, True, False, "", "/log")
                return
            yield StepFinished(number, 0.1, False, "done")
        yield PlanFinished(True, False, True, False, "", "/log")

    def cancel(self) -> None:
        self.cancelled = True


def run_in(home: Path, *, begun: bool = True) -> Plan:
    """A run that moved a file of the system's and wrote one into a folder."""
    venv = home / "venv"
    written = WriteFile("x", str(venv), str(venv / "ours.txt"), "ours", 0o644)
    plan = replace(plan_of(home, ASIDE, written), stack="rocm52")
    journal = Journal(Path(places_below(home).runs) / RUN)
    journal.folder.parent.mkdir(parents=True, exist_ok=True)
    journal.begin(plan, "t")
    if begun:
        journal.intend(1, {})
        journal.finish(1, "moved")
    venv.mkdir()
    (venv / "ours.txt").write_text("ours")
    Owned(journal.folder).add(prints(venv, (venv / "ours.txt",)))
    journal.intend(2, {})
    journal.finish(2, "written")
    return plan


def way_back_in(home: Path, *, done: bool, state: str = "") -> None:
    """An earlier attempt to take that run back."""
    system = find_undo(places_below(home), HOST).system.plan
    assert system is not None
    journal = Journal(Path(places_below(home).runs) / WAY)
    journal.begin(system, "t")
    journal.intend(1, {})
    if done:
        journal.finish(1, "back in its place")
    if state:
        journal.close(state, "t")


def shown(home: Path) -> Undo:
    return find_undo(places_below(home), HOST)


async def taken(
    home: Path, executor: FakeRoot, when: Callable[[Rollback, Event], None] | None = None
) -> list[Event]:
    taking = Rollback(shown(home), executor, places_below(home))
    found = []
    async with aclosing(taking.events()) as events:
        async for event in events:
            found.append(event)
            if when is not None:
                when(taking, event)
    return found


def state_of(home: Path) -> str:
    record = read_record(Path(places_below(home).runs) / RUN)
    assert record is not None
    return record.state


async def test_the_folder_is_the_last_step_of_one_plan_and_waits_for_the_system(
    tmp_path: Path,
) -> None:
    run_in(tmp_path)
    executor = FakeRoot(tmp_path)
    events = await taken(tmp_path, executor)
    assert executor.seen == [True]
    assert not (tmp_path / "venv" / "ours.txt").exists()
    begun = [(e.number, e.total) for e in events if isinstance(e, StepStarted)]
    assert begun == [(1, 2), (2, 2)]
    assert events[-1] == PlanFinished(True, False, True, False, "", "/log")
    assert sum(isinstance(event, PlanFinished) for event in events) == 1
    assert state_of(tmp_path) == ROLLED_BACK


async def test_the_files_that_are_checked_and_removed_are_counted(tmp_path: Path) -> None:
    run_in(tmp_path, begun=False)
    venv = tmp_path / "venv"
    for number in range(2_000):
        (venv / f"{number}.txt").write_text("ours")
    Owned(Path(places_below(tmp_path).runs) / RUN).add(prints(venv, venv.iterdir()))
    events = await taken(tmp_path, FakeRoot(tmp_path))
    counted = [event for event in events if isinstance(event, Progress)]
    assert counted[-1] == Progress(2_001, 2_001, REMOVED, "", None)
    assert {event.unit for event in counted} <= {CHECKED, REMOVED}


async def test_without_a_part_in_the_system_there_is_the_folder_alone(tmp_path: Path) -> None:
    run_in(tmp_path, begun=False)
    assert shown(tmp_path).system.plan is None
    executor = FakeRoot(tmp_path)
    events = await taken(tmp_path, executor)
    assert [e.total for e in events if isinstance(e, StepStarted)] == [1]
    assert executor.seen == []
    assert state_of(tmp_path) == ROLLED_BACK


async def test_where_root_s_part_fails_the_folder_is_left_as_it_is(tmp_path: Path) -> None:
    run_in(tmp_path)
    events = await taken(tmp_path, FakeRoot(tmp_path, StepFailed(1, "no", "so", "do")))
    assert isinstance(events[-1], PlanFinished)
    assert not events[-1].ok
    assert (tmp_path / "venv" / "ours.txt").exists()
    assert state_of(tmp_path) == UNFINISHED


async def test_a_stop_that_is_asked_for_in_root_s_last_step_leaves_the_folder(
    tmp_path: Path,
) -> None:
    run_in(tmp_path)
    executor = FakeRoot(tmp_path)

    def stop(taking: Rollback, event: Event) -> None:
        if isinstance(event, StepFinished):
            taking.cancel()

    events = await taken(tmp_path, executor, stop)
    assert executor.cancelled
    assert events[-1] == PlanFinished(False, True, True, False, "", "/log")
    assert (tmp_path / "venv" / "ours.txt").exists()


async def test_what_cannot_be_undone_is_named_and_the_end_is_not_well(tmp_path: Path) -> None:
    run_in(tmp_path)

    def spoil(_: Rollback, event: Event) -> None:
        if isinstance(event, StepFinished) and event.number == 1:
            (tmp_path / "venv" / "ours.txt").write_text("changed meanwhile")

    events = await taken(tmp_path, FakeRoot(tmp_path), spoil)
    failed = next(event for event in events if isinstance(event, StepFailed))
    assert failed.number == 2
    assert "The contents of" in failed.happened
    assert isinstance(events[-1], PlanFinished)
    assert not events[-1].ok


def test_once_the_system_is_back_only_the_folder_is_left_to_do(tmp_path: Path) -> None:
    run_in(tmp_path)
    assert shown(tmp_path).system.plan is not None
    way_back_in(tmp_path, done=True, state="finished")
    assert shown(tmp_path).system.plan is None


def test_a_rollback_that_was_cut_off_is_continued(tmp_path: Path) -> None:
    plan = run_in(tmp_path)
    way_back_in(tmp_path, done=True)
    record = read_record(Path(places_below(tmp_path).runs) / WAY)
    system = shown(tmp_path).system.plan
    assert record is not None
    assert system is not None
    assert system.id == record.plan["id"]
    assert (system.kind, system.takes_back) == (Kind.ROLLBACK, plan.id)


def test_a_rollback_that_never_began_is_planned_anew(tmp_path: Path) -> None:
    run_in(tmp_path)
    fresh = shown(tmp_path).system.plan
    assert fresh is not None
    stale = replace(fresh, id="of another state", steps=(*fresh.steps, *fresh.steps))
    journal = Journal(Path(places_below(tmp_path).runs) / WAY)
    journal.begin(stale, "t")
    journal.intend(1, {})  # then the password was refused
    assert shown(tmp_path).system.plan == fresh


def test_the_rollback_of_another_run_is_none_of_this_one(tmp_path: Path) -> None:
    run_in(tmp_path)
    way_back_in(tmp_path, done=True, state="finished")
    later = Path(places_below(tmp_path).runs) / "20260101-000200-aaaaaa"
    Path(places_below(tmp_path).runs, RUN).rename(later)
    assert shown(tmp_path).system.plan is not None


def test_a_run_whose_part_in_the_system_is_being_undone_is_not_continued(
    tmp_path: Path,
) -> None:
    plan = run_in(tmp_path)
    assert unfinished_run(places_below(tmp_path)) is not None
    assert half_undone(places_below(tmp_path)) is None
    way_back_in(tmp_path, done=True)
    assert unfinished_run(places_below(tmp_path)) is None
    begun = half_undone(places_below(tmp_path))
    assert begun is not None
    assert begun.id == RUN
    found = obstacle(plan, places_below(tmp_path))
    assert isinstance(found, Trouble)
    assert f"Run {RUN} is being undone" in found.happened
    assert f"rdna1-setup rollback {RUN}" in found.next_step


@pytest.mark.parametrize("state", ["", "finished"])
def test_a_rollback_that_did_nothing_leaves_a_run_as_it_was(tmp_path: Path, state: str) -> None:
    plan = run_in(tmp_path)
    way_back_in(tmp_path, done=False, state=state)
    assert unfinished_run(places_below(tmp_path)) is not None
    assert obstacle(plan, places_below(tmp_path)) is None
