"""Plans that wait: taken up again with what the journal does not keep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.run.places import places_below, plan_of
from wizard.core.own_files import Places
from wizard.operations.groups import AddToGroups
from wizard.operations.install_python import InstallPython
from wizard.operations.resolve import Resolve
from wizard.operations.uv_project import Manifest
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.plan.steps import Plan
from wizard.run.journal import Journal
from wizard.run.preflight import unfinished_plan

INDEX = "https://me:secret@wheels.example/simple"
JOIN = AddToGroups("The device files belong to it.", "owner", ("render",))
RUN = "20260101-000000-aaaaaa"


def waiting(folder: Path, index: str, mirror: str = "") -> tuple[Plan, Places]:
    """A run with root's part that stopped in its first step."""
    python = InstallPython("Python.", "uv", "3.10", str(folder), mirror)
    resolve = Resolve("Wheels.", "uv", python.python, str(folder), Manifest(("torch",), index))
    plan = replace(plan_of(folder, python, resolve, JOIN), footprint="venv+system")
    places = places_below(folder)
    run = Path(places.runs) / RUN
    run.parent.mkdir(parents=True)
    Journal(run).begin(plan, "now")
    return plan, places


def choice(plan: Plan, index: str) -> Choice:
    return Choice(plan.stack, plan.footprint, plan.venv, torch_index=index)


def test_a_login_comes_from_what_is_asked_now_and_not_from_the_journal(tmp_path: Path) -> None:
    plan, places = waiting(tmp_path, INDEX)
    assert "secret" not in "".join(f.read_text() for f in tmp_path.rglob("*.jsonl"))
    found = unfinished_plan(choice(plan, INDEX), places)
    assert found is not None
    assert found.steps == plan.steps


@pytest.mark.parametrize("index", ["", "https://other:word@elsewhere.example/simple"])
def test_a_login_that_is_not_named_again_is_asked_for(tmp_path: Path, index: str) -> None:
    plan, places = waiting(tmp_path, INDEX)
    told = f"Run {RUN} used https://\\*\\*\\*@wheels.example/simple .* Use --torch-index with"
    with pytest.raises(PlanImpossible, match=told):
        unfinished_plan(choice(plan, index), places)


def test_the_login_of_a_place_of_pythons_is_asked_for_by_its_own_option(tmp_path: Path) -> None:
    plan, places = waiting(tmp_path, "", INDEX)
    with pytest.raises(PlanImpossible, match="Use --python-mirror with"):
        unfinished_plan(choice(plan, ""), places)
    found = unfinished_plan(replace(choice(plan, ""), python_mirror=INDEX), places)
    assert found is not None
    assert found.steps == plan.steps


def test_an_address_without_a_login_needs_nothing(tmp_path: Path) -> None:
    plan, places = waiting(tmp_path, "https://wheels.example/simple")
    assert unfinished_plan(choice(plan, ""), places) == plan
