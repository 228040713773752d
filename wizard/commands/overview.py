"""The wizard's road as plain text: machine, advice, the plan in full; changes nothing."""

from __future__ import annotations

import argparse

from wizard.commands.looking import acts, host_of, places_of


def run(arguments: argparse.Namespace) -> int:
    """Print what the screens would show, for terminals that have none and for screen readers."""
    from wizard.machine.detect import detect
    from wizard.plan.advice import advise
    from wizard.plan.choice import Choice
    from wizard.plan.planner import PlanImpossible, make_plan
    from wizard.report import advice_lines, machine_lines, plan_lines

    host = host_of(arguments)
    machine = detect(host)
    advice = advise(machine, ())
    stack = advice.roads[0].fit.stack
    print(_heading(arguments))
    print("\n== This machine", *machine_lines(machine), sep="\n")
    print("\n== Advice", *advice_lines(advice), sep="\n")
    print("\n== What the first road would do")
    try:
        plan = make_plan(machine, Choice(stack, "venv", f"{host.home}/ai/{stack}"), places_of(host))
    except PlanImpossible as error:
        print(f"No plan can be made here: {error}")
        return 0
    print("\n".join(plan_lines(plan)))
    print(f"\nNothing was changed. To carry it out: rdna1-setup apply --stack {stack} --yes")
    return 0


def _heading(arguments: argparse.Namespace) -> str:
    if acts(arguments):
        return "rdna1-setup: plain text, nothing is changed by looking"
    return "rdna1-setup: DRY RUN, nothing is changed"
