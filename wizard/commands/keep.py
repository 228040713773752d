"""Keep a setting for one venv. You review it first and can undo it."""

from __future__ import annotations

import argparse

from wizard.commands.carrying import ASKS_NOTHING, add_carrying_arguments, cannot_ask, carry, refuse
from wizard.commands.choosing import absolute
from wizard.commands.looking import host_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``keep``."""
    parser.add_argument("--venv", metavar="DIR", required=True, help="a venv made by rdna1-setup")
    parser.add_argument(
        "setting", metavar="NAME=VALUE", nargs="+", help="for example MIOPEN_DEBUG_CONV_GEMM=0"
    )
    add_carrying_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the plan, ask, carry it out; 0 also when it is kept already."""
    import sys

    from wizard.plan.impossible import NothingToDo, PlanImpossible
    from wizard.plan.keep_setting import make_keep

    if cannot_ask(arguments):
        return refuse(ASKS_NOTHING)
    pairs = [word.partition("=") for word in arguments.setting]
    if any(not sign for _, sign, _ in pairs):
        return refuse("write each variable as NAME=VALUE.")
    setting = tuple((name, value) for name, _, value in pairs)
    host = host_of(arguments)
    try:
        plan = make_keep(host, absolute(arguments.venv), setting)
    except NothingToDo as nothing:
        print(nothing, file=sys.stderr if arguments.json else sys.stdout)
        return 0
    except PlanImpossible as error:
        return refuse(str(error))
    return carry(plan, arguments, host)
