"""Show the steps that lead to a stack, every command and every file, and do none of them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.choosing import add_choice_arguments, choice_of
from wizard.commands.looking import host_of, places_of, there_before

if TYPE_CHECKING:
    from wizard.plan.advice import Advice


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``plan``."""
    add_choice_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print the plan; without --stack, the suggested one."""
    from wizard.machine.detect import detect
    from wizard.plan.advice import advise
    from wizard.plan.card import with_card
    from wizard.plan.planner import PlanImpossible, make_plan

    host = host_of(arguments)
    machine = detect(host)
    advice = None if arguments.stack else advise(with_card(machine, arguments.gpu), ())
    stack = arguments.stack if advice is None else advice.roads[0].fit.stack
    try:
        choice = choice_of(arguments, stack, host.home)
        plan = make_plan(machine, choice, places_of(host), there_before(host, choice.venv))
    except PlanImpossible as error:
        print(f"rdna1-setup: {error}", file=sys.stderr)
        return 2
    if arguments.json:
        import json

        from wizard.jsonform import SCHEMA
        from wizard.plan.form import plan_form

        print(json.dumps({"schema": SCHEMA, **plan_form(plan)}, indent=1))
        return 0
    from wizard.report.plan import plan_lines

    print("\n".join((*(_taken(advice) if advice else ()), *plan_lines(plan))))
    return 0


def _taken(advice: Advice) -> tuple[str, ...]:
    """Which stack was taken where none was named, why, and how to take another."""
    import textwrap

    first, *others = sorted(advice.roads, key=lambda road: road.rank)
    *names, last = (road.fit.stack for road in others)
    stack = first.fit.stack
    texts = (
        f"No --stack was given: this is the plan for {stack}, the suggested one.",
        f"Why: {advice.headline}",
        f"To choose another: --stack {', '.join(names)} or {last}. "
        "What speaks for and against each: rdna1-setup --plain",
    )
    return (*(line for text in texts for line in textwrap.wrap(text, 79)), "")
