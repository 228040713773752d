"""Permission to use the GPU: whoever lacks it gets it by the plan, unless they decline."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import HOME, card, clean_jammy, node
from tests.machine.records import NAMES
from tests.plan.system_machines import recorded
from wizard.advice.card import chosen_card
from wizard.advice.recommend import recommend
from wizard.core.fact import Unknown
from wizard.core.own_files import places
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Machine
from wizard.operations.groups import AddToGroups
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.plan.planner import make_plan
from wizard.plan.steps import Plan
from wizard.report.plan import cost_lines
from wizard.report.recommendation import recommendation_lines

LACKING = ("bc250-fedora", "rx5700xt-jammy-clean")
"""The recorded machines whose owner is not in the group of /dev/kfd."""
FOOTPRINTS = ("venv", "venv+system")


def plan_for(machine: Machine, stack: str, footprint: str = "venv", **options: object) -> Plan:
    home = machine.access.home
    choice = Choice(stack, footprint, f"{home}/ai/{stack}", **options)  # type: ignore[arg-type]
    return make_plan(machine, choice, places({}, home))


def joining(plan: Plan) -> list[AddToGroups]:
    return [step for step in plan.steps if isinstance(step, AddToGroups)]


def lacked(machine: Machine) -> set[object]:
    """Groups of the closed device files of the card that the user is in neither now nor later."""
    found, access = chosen_card(machine), machine.access
    if found is None or isinstance(access.groups_in_file, Unknown):
        return set()
    nodes = [n for n in access.render_nodes if n.path == found.render_node]
    closed = [n for n in (access.kfd, *nodes) if n.present and not n.usable]
    groups: set[object] = {n.group for n in closed}
    return groups.difference(access.groups_in_file)


def closed(*groups: str, group: str = "render") -> Machine:
    """A machine whose user is in these groups, and may not open /dev/kfd, which is of another."""
    machine = clean_jammy()
    kfd = node("/dev/kfd", usable=False)._replace(group=group)
    return replace(
        machine, access=replace(machine.access, kfd=kfd, groups_in_file=("ada", *groups))
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_gives_the_permission_that_is_missing_whatever_the_footprint_and_no_other(
    name: str,
) -> None:
    machine, _ = recorded(name)
    wanted = lacked(machine)
    assert bool(wanted) == (name in LACKING)
    made = 0
    for stack in load_stacks():
        for footprint in FOOTPRINTS:
            try:
                plan = plan_for(machine, stack.id, footprint)
                declined = plan_for(machine, stack.id, footprint, without_groups=True)
            except PlanImpossible:
                continue
            made += 1
            groups = [set(step.groups) for step in joining(plan)]
            assert groups == ([wanted] if wanted and stack.gfx else []), (stack.id, footprint)
            assert plan.relogin_needed == bool(groups)
            assert joining(declined) == []
            assert not declined.relogin_needed
            kept = [step for step in plan.steps if not isinstance(step, AddToGroups)]
            assert list(declined.steps) == kept
    assert made


def test_what_the_plan_does_is_not_asked_of_the_user_too() -> None:
    plan = plan_for(closed(), "rocm52")
    told = f"{plan.first} {' '.join(plan.notes)}"
    assert "usermod" not in told
    assert "right to open" not in told
    steps, _, root, _ = cost_lines(plan)
    assert root == "Root:  needed for 1 step: Give you permission to use the GPU"
    assert steps.endswith("; a new login afterwards")
    assert joining(plan)[0] is plan.steps[0], "root is asked for while somebody is there"


def test_who_declines_is_told_what_to_do_and_gets_the_plan_of_a_machine_that_lacks_nothing() -> (
    None
):
    plan = plan_for(closed(), "rocm52", without_groups=True)
    assert "sudo usermod -aG render ada, then log in again" in plan.first
    assert plan.id == plan_for(clean_jammy(), "rocm52").id


@pytest.mark.parametrize(
    "machine",
    [
        clean_jammy(),
        closed("render"),
        closed(group="root"),
        closed(group="plugdev"),
        replace(closed(), gpus=()),
    ],
    ids=["open", "from the next login", "root's", "another group's", "no card"],
)
def test_where_joining_would_not_help_or_is_not_ours_to_do_there_is_no_such_step(
    machine: Machine,
) -> None:
    assert joining(plan_for(machine, "rocm52")) == []


def test_the_card_that_was_chosen_decides() -> None:
    other = replace(card(), pci_address="0000:03:00.0", render_node="/dev/dri/renderD129")
    machine = clean_jammy(card(), other)
    nodes = (node("/dev/dri/renderD128"), node("/dev/dri/renderD129", usable=False))
    access = replace(machine.access, render_nodes=nodes, groups_in_file=("ada",))
    machine = replace(machine, access=access)
    for gpu, count in (("0000:0b:00.0", 0), ("0000:03:00.0", 1)):
        choice = Choice("rocm52", "venv", f"{HOME}/ai", gpu=gpu)
        assert len(joining(make_plan(machine, choice, places({}, HOME)))) == count


def test_where_the_groups_of_the_user_are_not_known_root_finds_out() -> None:
    machine = closed()
    access = replace(machine.access, groups_in_file=Unknown("no file"))
    (step,) = joining(plan_for(replace(machine, access=access), "rocm52"))
    assert step.groups == ("render",)


def test_advice_does_not_ask_the_user_for_what_the_plan_does() -> None:
    for machine, told in (
        (closed(), "the plan adds you to render"),
        (closed("render"), "at your next login"),
    ):
        found = recommend(machine, ())
        texts = " ".join("\n".join(recommendation_lines(found)).split())
        assert told in texts
        assert "usermod" not in texts


def test_for_another_machine_nobody_joins_a_group_of_this_one() -> None:
    assert joining(plan_for(closed(), "rocm52", without_card=True)) == []
