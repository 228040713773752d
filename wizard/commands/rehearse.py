"""Try a plan's root steps in a copy of this system, show what changes, and keep nothing."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from wizard.commands.carrying import (
    ASKS_NOTHING,
    add_carrying_arguments,
    cannot_ask,
    refuse,
    refuse_for,
)
from wizard.commands.choosing import add_choice_arguments, choice_of, name_applications
from wizard.commands.looking import acts, agreed, host_of, places_of, there_before
from wizard.commands.making import stack_for

if TYPE_CHECKING:
    from wizard.core.events import Event
    from wizard.host.host import Host
    from wizard.machine.facts import Machine
    from wizard.overlay.rehearsed import Rehearsed
    from wizard.plan.steps import Plan

SHOWN = 200
"""Changes that are printed; the file that is named has all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``rehearse``: those of ``apply``."""
    add_choice_arguments(parser)
    add_carrying_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Rehearse; 0 when every step worked there and everything was as before after the way back."""
    import asyncio

    from wizard.core.lines import clean
    from wizard.core.trouble import Trouble
    from wizard.machine.detect import detect
    from wizard.plan.impossible import PlanImpossible

    if arguments.stack is None and not arguments.app:
        return refuse(
            "rehearse needs --stack or --app: `rdna1-setup plan` shows the recommendation."
        )
    if not acts(arguments):
        return refuse("a dry run starts nothing, not even a trial run: see `rdna1-setup plan`.")
    if cannot_ask(arguments):
        return refuse(ASKS_NOTHING)
    host = host_of(arguments)
    machine = detect(host)
    arguments.stack = arguments.stack or stack_for(arguments, machine)
    try:
        plan = asyncio.run(_settled(arguments, host, machine))
    except PlanImpossible as error:
        return refuse(clean(str(error)))
    except Trouble as trouble:
        return refuse_for(trouble)
    return _rehearse(arguments, host, plan)


async def _settled(arguments: argparse.Namespace, host: Host, machine: Machine) -> Plan:
    """The plan, settled with the archive; raises Trouble for what speaks against beginning it."""
    from wizard.core.trouble import Trouble
    from wizard.run.settling import asking_of, preflight, settled_plan, waiting_plan

    name_applications(arguments, machine)
    choice, places = choice_of(arguments, arguments.stack, host.home), places_of(host)
    if waiting_plan(choice, places) is not None:
        raise Trouble(
            "This plan has already been started, so a trial run would begin partway through it.",
            "Nothing was changed.",
            "Resume the plan (`rdna1-setup apply` with the same options), or undo it.",
        )
    print("Asking the repository and apt what would change ...", file=sys.stderr, flush=True)
    asking = asking_of(host)
    there = there_before(host, choice.venv)
    plan = await settled_plan(machine, choice, places, there, asking)
    if refusals := await preflight(plan, places, asking):
        raise refusals[0]
    return plan


def _rehearse(arguments: argparse.Namespace, host: Host, plan: Plan) -> int:
    import asyncio

    from wizard.commands.following import carry_out
    from wizard.overlay.rehearsing import OverlayRehearsal, can_be_rehearsed, rehearsable

    if not can_be_rehearsed(plan):
        return refuse("this plan has no root steps, so there is nothing to try.")
    if not arguments.json:
        from wizard.report.plan import plan_lines

        print("\n".join(plan_lines(rehearsable(plan))), end="\n\n", flush=True)
    if not arguments.yes and not agreed(
        "Try this plan on a copy of this system? The system itself is not changed."
    ):
        return 2
    executor = OverlayRehearsal(host.environ, yes=arguments.yes)
    follow = carry_out(executor, plan, as_json=arguments.json, teller=_told())
    code = asyncio.run(follow)
    if executor.outcome is not None:
        (_print_json if arguments.json else _print)(executor.outcome)
    return code


def _told() -> Any:
    """Prints events as lines, but for the last, which speaks of real runs."""
    from wizard.core.events import PlanFinished
    from wizard.report.events import Tenths, event_lines

    tenths = Tenths()

    def tell(event: Event) -> None:
        if not isinstance(event, PlanFinished) and tenths.worth_telling(event):
            print(*event_lines(event), sep="\n", flush=True)

    return tell


def _print(done: Rehearsed) -> None:
    import textwrap

    from wizard.overlay.changes import read_changes
    from wizard.overlay.rehearsed import summary

    print("", *(line for text in summary(done) for line in textwrap.wrap(text, 79)), sep="\n")
    changes = read_changes(done.there.file) if done.there.file else ()
    print("", "What the plan would change:", *map(str, changes[:SHOWN]), sep="\n")
    if len(changes) > SHOWN:
        print(f"and {len(changes) - SHOWN:,} more: {done.there.file}")
    print("The system itself was not changed.")


def _print_json(done: Rehearsed) -> None:
    import json

    from wizard.jsonform import SCHEMA, to_json

    form = {"schema": SCHEMA, "event": "Rehearsed", "ok": done.ok, **to_json(done)}
    print(json.dumps(form), file=sys.stdout, flush=True)
