"""Show machine, advice and the full plan as plain text; changes nothing."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from wizard.commands.choosing import folder_of, with_sources
from wizard.commands.looking import acts, host_of, places_of, speed_of_line

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.plan.choice import Choice


def run(arguments: argparse.Namespace) -> int:
    """Print what the screens would show, for terminals that have none and for screen readers."""
    from wizard.advice.recommend import recommend
    from wizard.machine.detect import detect
    from wizard.plan.choice import Choice
    from wizard.plan.planner import PlanImpossible, make_plan
    from wizard.report.machine import machine_lines
    from wizard.report.plan import as_of_lines, plan_lines
    from wizard.report.recommendation import all_lines, compared

    host = host_of(arguments)
    machine = detect(host)
    speed = speed_of_line(host, places_of(host))
    found = compared(machine, recommend(machine), speed=speed)
    stack = found.recommendation.stack
    print(_heading(arguments))
    if not host.name:
        print(*work_lines(), sep="\n", end="")
        for line in restart_lines(arguments):
            print(line)
    print("\n== This machine", *machine_lines(machine), sep="\n")
    print("\n== Advice", *all_lines(found), sep="\n")
    print("\n== What the first stack would take")
    folder = folder_of(arguments, stack, host.home)
    choice = Choice(stack, "venv", folder, found.recommendation.applications)
    choice = with_sources(choice, arguments)
    try:
        plan = make_plan(machine, choice, places_of(host))
    except PlanImpossible as error:
        print(f"No plan is possible here: {error}")
        return 0
    print("\n".join((*as_of_lines(plan), *plan_lines(plan))))
    print(f"\nNothing was changed. To carry it out: {_command(choice, arguments)}")
    return 0


def work_lines(state: Path | None = None) -> tuple[str, ...]:
    """What root still does for an earlier start, and how to see it; nothing for none."""
    from wizard.root.session import STATE
    from wizard.run.lines import clean
    from wizard.run.watching import at_work

    found = at_work(state or STATE)
    if found is None:
        return ()
    return ("", f"{clean(found.text)}: watch it with `rdna1-setup watch`", "")


def restart_lines(arguments: argparse.Namespace) -> tuple[str, ...]:
    """That a restart waits, or that it has happened and what comes next; nothing for neither."""
    import textwrap

    from wizard.report.units import WIDTH
    from wizard.run.restart import restart_words

    words = restart_words(places_of(host_of(arguments)))
    return ("", *textwrap.wrap(words, WIDTH)) if words else ()


def _command(choice: Choice, arguments: argparse.Namespace) -> str:
    """The command that carries out what was shown, with the place and sources that were named."""
    sources = (
        ("--venv", choice.venv if arguments.venv else ""),
        ("--torch-index", arguments.torch_index),
        ("--wheelhouse", choice.wheelhouse),
        ("--python-mirror", choice.python_mirror),
    )
    named = [word for option, value in sources if value for word in (option, value)]
    return shlex.join(["rdna1-setup", "apply", "--stack", choice.stack, *named, "--yes"])


def _heading(arguments: argparse.Namespace) -> str:
    if acts(arguments):
        return "rdna1-setup: plain text, nothing is changed by looking"
    return "rdna1-setup: DRY RUN, nothing is changed"
