"""The plans of every stack and of each system of the notes, on one machine, as reviewed."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator

import pytest

from tests.conftest import Golden
from tests.machine.records import MACHINES, seen
from wizard.cli.options import parser
from wizard.knowledge.stacks import load_stacks
from wizard.machine.recorded import RecordedHost
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import AptChange
from wizard.operations.write_file import WriteFile
from wizard.plan.steps import Plan
from wizard.report.plan import cost_lines
from wizard.services.plan_request import choice_of, plan_here

MACHINE = "rx5700xt-jammy-clean"
"""Ubuntu 22.04: the full set of 5.2.0 needs its repair there."""
FULL = ("--footprint", "venv+system", "--system-set", "full")
ALONE = {f"{stack.id}, in one folder": ("--stack", stack.id) for stack in load_stacks()}
NOTES = {
    "Notes 000: packages of ROCm 5.2.0 beside torch 2.2.2, implicit GEMM only": (
        *("--stack", "rocm57", *FULL, "--system-release", "5.2.0"),
        *("--preset", "implicit GEMM only"),
    ),
    "The same, as it really was installed: the smallest set": (
        *("--stack", "rocm57", "--footprint", "venv+system", "--system-release", "5.2.0"),
        *("--preset", "implicit GEMM only"),
    ),
    "Notes 001: packages of ROCm 5.2.0 beside torch 1.13.1": ("--stack", "rocm52", *FULL),
    "Notes 002: torch 2.2.2, GEMM only": ("--stack", "rocm57", "--preset", "GEMM only"),
    "Notes 002, with the packages of its own release": (
        *("--stack", "rocm57", *FULL, "--preset", "GEMM only"),
    ),
    "Notes 004: packages of ROCm 6.2.4 beside torch 2.5.1": ("--stack", "rocm62", *FULL),
}


def plan_for(words: tuple[str, ...]) -> Plan:
    """What ``plan`` makes of these options on the machine."""
    arguments = parser().parse_args(["plan", *words])
    host = RecordedHost(MACHINES / MACHINE)
    return plan_here(seen(MACHINE), choice_of(arguments, arguments.stack, host.home), host)


def listed(title: str, words: tuple[str, ...]) -> Iterator[str]:
    """The plan with each step by its title and reason, and what it installs or sets."""
    plan = plan_for(words)
    yield from ("", f"== {title}", f"   plan {shlex.join(words)}", "", *cost_lines(plan))
    if plan.first:
        yield from textwrap.wrap(plan.first, 79, initial_indent="First ", subsequent_indent="  ")
    for note in plan.notes:
        yield from textwrap.wrap(note, 79, initial_indent="! ", subsequent_indent="  ")
    for number, step in enumerate(plan.steps, 1):
        root = "root: " if step.needs_root else ""
        yield f"{number:2}. {root}{step.title}"
        yield from textwrap.wrap(step.reason, 79, initial_indent="    ", subsequent_indent="    ")
        if isinstance(step, AptChange):
            yield f"    {', '.join((*(name for name, _ in step.install), *step.remove))}"
        if isinstance(step, WriteFile) and step.path.endswith("/rdna1-python"):
            lines = step.content.splitlines()
            yield from (f"    {each}" for each in lines if each.startswith(("export ", "unset ")))


def test_every_stack_and_each_system_of_the_notes_is_planned_as_reviewed(golden: Golden) -> None:
    lines = [line for each in (ALONE | NOTES).items() for line in listed(*each)]
    golden.check("plans.txt", "\n".join([*lines[1:], ""]))


@pytest.mark.parametrize("title", NOTES)
def test_the_settings_of_a_note_are_applied_by_its_plan(title: str) -> None:
    words = NOTES[title]
    stack = next(stack for stack in load_stacks() if stack.id in words)
    preset = next((each for each in stack.presets if each.name in words), None)
    written = [s.content for s in plan_for(words).steps if isinstance(s, WriteFile)]
    for name, value in preset.variables if preset else stack.environment:
        assert any(f"export {name}={value}\n" in content for content in written)
        assert any(f"os.environ[{name!r}] = {value!r}" in content for content in written)


@pytest.mark.parametrize("title", [t for t in NOTES if "5.2.0" in " ".join((t, *NOTES[t]))])
def test_the_repair_that_the_full_set_of_5_2_0_needs_is_named_and_only_there(title: str) -> None:
    told = " ".join(plan_for(NOTES[title]).notes)
    assert ("rdna1-setup-rocm52-compat" in told) == ("full" in NOTES[title])


@pytest.mark.parametrize("title", [each for each in NOTES if "venv+system" in NOTES[each]])
def test_nobody_is_told_to_join_by_hand_the_groups_that_a_step_joins(title: str) -> None:
    plan = plan_for(NOTES[title])
    assert any(isinstance(step, AddToGroups) and "render" in step.groups for step in plan.steps)
    assert "usermod" not in " ".join((plan.first, *plan.notes))
