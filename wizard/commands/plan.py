"""Show the steps that lead to a stack, every command and every file, and do none of them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.looking import acts, host_of
from wizard.commands.making import add_plan_arguments, asked_words, make_asked, takes_away

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wizard.plan.advice import Advice
    from wizard.plan.steps import Plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``plan``."""
    add_plan_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for programs and for apply --plan")
    parser.add_argument(
        "--exact",
        action="store_true",
        help="also ask the repository and apt what would be installed, version by version",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the plan; without --stack, the suggested one."""
    from wizard.machine.detect import detect
    from wizard.plan.advice import advise
    from wizard.plan.card import with_card
    from wizard.plan.planner import PlanImpossible
    from wizard.preflight.refusal import Refused

    if wrong := _wrong_use(arguments):
        print(f"rdna1-setup: {wrong}", file=sys.stderr)
        return 2
    host = host_of(arguments)
    machine = detect(host)
    named = arguments.stack or takes_away(arguments)
    advice = None if named else advise(with_card(machine, arguments.gpu), ())
    stack = named if advice is None else advice.roads[0].fit.stack
    try:
        plan = make_asked(arguments, stack, host, machine, exact=arguments.exact)
    except PlanImpossible as error:
        print(f"rdna1-setup: {error}", file=sys.stderr)
        return 2
    except Refused as refused:
        from wizard.commands.carrying import refuse_all

        return refuse_all((refused.refusal,))
    if arguments.json:
        _print_json(plan, asked_words(arguments, stack, host.home))
        return 0
    from wizard.report.plan import plan_lines

    print("\n".join((*(_taken(advice) if advice else ()), *plan_lines(plan))))
    return 0


def _wrong_use(arguments: argparse.Namespace) -> str:
    """Which options do not go together; ``""`` where all do."""
    if arguments.exact and not acts(arguments):
        return "a dry run and a recorded machine ask nobody"
    if takes_away(arguments) and arguments.stack:
        return "--stack installs; --remove and --clean-up take away: give one of them"
    if (arguments.distribution_rocm or arguments.driver) and not arguments.remove:
        return "--distribution-rocm and --driver say what --remove takes along"
    return ""


def _print_json(plan: Plan, asked: Sequence[str]) -> None:
    import json

    from wizard.plan.plan_file import plan_document

    print(json.dumps(plan_document(plan, asked), indent=1))


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
