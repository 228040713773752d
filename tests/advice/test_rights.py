"""A right that is missing is told where the plan says what it takes, and never as "no root"."""

from dataclasses import replace

import pytest

from screens.choose.card import SYSTEM, choosing_at, root_words
from screens.session import Session
from screens.start import services_for
from tests.handmade import clean_jammy, node
from tests.plan.test_planner import plan_for
from tests.screens.collaborators import but
from tests.screens.fakes import LIVE_SERVICES
from wizard.cli.options import parser
from wizard.machine.facts import Machine
from wizard.report.plan import cost_lines, plan_lines


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
    assert '; see "First you need"\n' in lines
    assert "no need to log in again" not in lines
    assert "First you need permission to open /dev/kfd" in lines
    steps, _, root, _ = cost_lines(plan_for(clean_jammy()))
    assert steps.endswith("; no need to log in again")
    assert root == "Root:  not needed"


def told(machine: Machine, stack: str, footprint: str = "venv") -> str:
    """What Choose says of root."""
    known = services_for(parser().parse_args(["--dry-run"])).knowledge
    services = but(LIVE_SERVICES, recommend=known.recommend, stacks=known.stacks)
    session = Session(machine=machine, stack=stack, footprint=footprint)
    return root_words(choosing_at(session, services))


@pytest.mark.parametrize(
    ("machine", "word"),
    [(closed(), "needs root once"), (closed("render"), "no root"), (clean_jammy(), "no root")],
)
def test_root_is_told_once_where_root_must_give_a_right(machine: Machine, word: str) -> None:
    assert told(machine, "rocm52").startswith(word)
    assert told(machine, "cpu") == "no root"


def test_steps_as_root_are_told_as_such() -> None:
    assert told(closed(), "rocm52", SYSTEM) == "needs root"
