"""A right that is missing is told where the plan says what it takes, and never as "no root"."""

from dataclasses import replace

import pytest

from screens.choose.roads_table import root_word
from tests.handmade import clean_jammy, node
from tests.plan.test_planner import plan_for
from wizard.advice.recommend import recommend
from wizard.machine.facts import Machine
from wizard.report.plan import plan_lines, totals


def closed(*groups: str) -> Machine:
    machine = clean_jammy()
    access = replace(
        machine.access, kfd=node("/dev/kfd", usable=False), groups_in_file=("ada", *groups)
    )
    return replace(machine, access=access)


def test_what_is_to_be_done_first_stands_in_the_plan_apart_from_the_notes() -> None:
    plan = plan_for(closed(), without_groups=True)
    assert "sudo usermod -aG render ada, then log in again" in plan.first
    assert plan.first not in plan.notes
    assert plan_for(clean_jammy()).first == ""


def test_a_plan_with_something_to_do_first_never_says_no_new_login() -> None:
    plan = plan_for(closed(), without_groups=True)
    lines = "\n".join(plan_lines(plan))
    assert "see First" in totals(plan)
    assert "no new login" not in lines
    assert "First you need the right to open /dev/kfd" in lines
    assert "none as root" in totals(plan_for(clean_jammy()))
    assert "no new login" in totals(plan_for(clean_jammy()))


@pytest.mark.parametrize(
    ("machine", "word"),
    [(closed(), "once"), (closed("render"), "no"), (clean_jammy(), "no")],
)
def test_root_is_told_once_where_root_must_give_a_right(machine: Machine, word: str) -> None:
    words = {fit.stack: root_word(fit, steps=False) for fit in recommend(machine, ()).fits}
    assert words["rocm52"] == word
    assert words["cpu"] == "no"


def test_steps_as_root_are_told_as_such() -> None:
    assert root_word(recommend(closed(), ()).fits[0], steps=True) == "yes"
