"""Carry out a plan. You see it first, can resume it, and can undo it with rollback."""

from __future__ import annotations

import argparse

from wizard.commands.carrying import (
    ASKS_NOTHING,
    add_carrying_arguments,
    cannot_ask,
    carry,
    refuse,
    refuse_for,
)
from wizard.commands.choosing import add_choice_arguments
from wizard.commands.looking import acts, host_of
from wizard.commands.making import make_asked, stack_for
from wizard.commands.obstacle import obstacle_to
from wizard.commands.watch import watch_first


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``apply``."""
    add_choice_arguments(parser)
    parser.add_argument(
        "--plan",
        metavar="FILE",
        help="a file with the exact output of `plan --json`; - for standard input",
    )
    add_carrying_arguments(parser)
    parser.set_defaults(remove=False, clean_up=False)


def run(arguments: argparse.Namespace) -> int:
    """Show the plan, ask, carry it out; 0 when every outcome was verified."""
    from wizard.core.trouble import Trouble
    from wizard.machine.detect import detect
    from wizard.plan.impossible import PlanImpossible

    if cannot_ask(arguments):
        return refuse(ASKS_NOTHING)
    watch_first(arguments)
    if arguments.plan is not None:
        from wizard.commands.from_file import apply_file

        return apply_file(arguments)
    if arguments.stack is None and not arguments.app:
        return refuse("apply needs --stack or --app: `rdna1-setup plan` shows the recommendation.")
    host = host_of(arguments)
    machine = detect(host)
    arguments.stack = arguments.stack or stack_for(arguments, machine)
    try:
        plan = make_asked(arguments, arguments.stack, host, machine, exact=acts(arguments))
    except PlanImpossible as error:
        return refuse(str(error))
    except Trouble as trouble:
        return refuse_for(trouble)
    if obstacle := obstacle_to(machine, arguments, plan):
        return refuse(obstacle)
    return carry(plan, arguments, host, machine)
