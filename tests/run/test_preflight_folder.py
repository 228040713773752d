"""What preflight asked together goes when a run has ended, and stays while one still needs it."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from pathlib import Path

import pytest

from tests.run.places import RunProgram, places_below, plan_of
from tests.run.test_live import ending, events_of, live, two_steps
from wizard.apt.packages import LocalDeb
from wizard.operations.packages import AptChange
from wizard.plan.steps import Plan
from wizard.run.executor import now
from wizard.run.journal import Journal
from wizard.run.preflight import asking_folder, drop_preflight, preflight_folder
from wizard.run.rehearsal import Rehearsal
from wizard.run.rollback import Rollback, Undo, find_forgettable, forget_run
from wizard.run.rollback_folder import find_folder_rollback
from wizard.run.runs import read_records


def asked(home: Path) -> Path:
    """A package that preflight built for a plan."""
    deb = preflight_folder(places_below(home)) / "stand-in.deb"
    deb.parent.mkdir(parents=True)
    deb.write_text("a package")
    return deb


def installing(home: Path, deb: Path) -> Plan:
    local = LocalDeb(str(deb), "ab", "stand-in", "1.0")
    brings = (("stand-in", "1.0"),)
    return plan_of(home, AptChange("x", debs=(local,), expect_install=brings))


def begun(home: Path, plan: Plan) -> None:
    Journal(Path(places_below(home).runs) / "20260101-000000-aaaaaa").begin(plan, "now")


async def test_it_goes_when_a_run_has_ended_well(tmp_path: Path) -> None:
    deb = asked(tmp_path)
    assert ending(await events_of(live(tmp_path), two_steps(tmp_path))).ok
    assert not deb.parent.exists()


async def test_it_goes_when_a_run_has_failed_that_installs_nothing_out_of_it(
    tmp_path: Path,
) -> None:
    deb = asked(tmp_path)
    fails = plan_of(tmp_path, RunProgram("x", ("false",)))
    assert not ending(await events_of(live(tmp_path), fails)).ok
    assert not deb.parent.exists()


@pytest.mark.parametrize(("state", "stays"), [("", True), ("finished", False)])
def test_it_stays_while_an_unfinished_run_installs_a_package_out_of_it(
    tmp_path: Path, state: str, stays: bool
) -> None:
    deb = asked(tmp_path)
    begun(tmp_path, installing(tmp_path, deb))
    if state:
        Journal(Path(read_records(Path(places_below(tmp_path).runs))[0].folder)).close(state, "t")
    drop_preflight(places_below(tmp_path))
    assert deb.exists() == stays


async def test_the_end_of_another_run_takes_nothing_from_one_that_waits(tmp_path: Path) -> None:
    deb = asked(tmp_path)
    begun(tmp_path, dataclasses.replace(installing(tmp_path, deb), venv=str(tmp_path / "other")))
    assert ending(await events_of(live(tmp_path), two_steps(tmp_path))).ok
    assert deb.exists()


async def test_it_goes_when_the_run_that_needed_it_is_undone(tmp_path: Path) -> None:
    deb, places = asked(tmp_path), places_below(tmp_path)
    begun(tmp_path, installing(tmp_path, deb))
    (record,) = read_records(Path(places.runs))
    rollback = Rollback(Undo(record, find_folder_rollback(record)), Rehearsal(), places)
    assert [event async for event in rollback.events()]
    assert not deb.parent.exists()


def test_it_goes_when_the_run_that_needed_it_is_forgotten(tmp_path: Path) -> None:
    deb, places = asked(tmp_path), places_below(tmp_path)
    begun(tmp_path, installing(tmp_path, deb))
    record, _ = find_forgettable(places, "")
    forget_run(record, places, now())
    assert not deb.parent.exists()


def test_nothing_is_left_of_it_where_nothing_came_of_asking(tmp_path: Path) -> None:
    folder = preflight_folder(places_below(tmp_path))
    with suppress(OSError), asking_folder(folder):
        raise OSError("no network")
    assert not folder.parent.exists()


def test_nothing_is_left_of_it_where_a_run_ends_while_something_is_asked(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    with asking_folder(preflight_folder(places)):
        drop_preflight(places)
    assert not Path(places.cache).exists()


def test_nothing_is_left_of_it_where_asking_was_killed(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    preflight_folder(places).mkdir(parents=True)
    drop_preflight(places)
    assert not Path(places.cache).exists()


def test_what_came_of_asking_stays(tmp_path: Path) -> None:
    folder = preflight_folder(places_below(tmp_path))
    with asking_folder(folder):
        (folder / "lists").mkdir()
    assert (folder / "lists").exists()


def test_what_was_asked_in_a_home_without_a_cache_leaves_none(tmp_path: Path) -> None:
    folder = preflight_folder(places_below(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    with asking_folder(folder):
        assert folder.is_dir()
    assert list((tmp_path / "home").iterdir()) == []
    (tmp_path / "home" / ".cache").mkdir()
    with asking_folder(folder):
        pass
    assert [each.name for each in (tmp_path / "home").iterdir()] == [".cache"]
