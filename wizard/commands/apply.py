"""Carry a plan out: shown first, journalled, resumable, undone by rollback."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.choosing import add_choice_arguments, choice_of
from wizard.commands.looking import (
    acts,
    agreed,
    host_of,
    places_of,
    there_before,
)
from wizard.commands.watch import watch_first

if TYPE_CHECKING:
    from wizard.machine.facts import Machine
    from wizard.machine.host import Host
    from wizard.places import Places
    from wizard.plan.steps import Plan
    from wizard.preflight.refusal import Refusal
    from wizard.run.executor import Executor


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``apply``."""
    add_choice_arguments(parser)
    parser.add_argument("--yes", action="store_true", help="the plan was read; do not ask")
    parser.add_argument("--json", action="store_true", help="events as JSON lines")


def run(arguments: argparse.Namespace) -> int:
    """Show the plan, ask, carry it out; 0 when every outcome was verified."""
    from wizard.machine.detect import detect
    from wizard.plan.impossible import PlanImpossible
    from wizard.preflight.refusal import Refused

    if arguments.stack is None:
        return _refuse("apply needs --stack: see `rdna1-setup plan` for the suggested one.")
    if arguments.json and acts(arguments) and not arguments.yes:
        return _refuse("--json asks nothing. Read `rdna1-setup plan`, then add --yes.")
    watch_first(arguments)
    host = host_of(arguments)
    machine = detect(host)
    try:
        plan = _plan(arguments, host, machine)
    except PlanImpossible as error:
        return _refuse(str(error))
    except Refused as refused:
        return _refuse_all((refused.refusal,))
    if (obstacle := _obstacle(machine, arguments, plan)) and not _begun(plan, places_of(host)):
        return _refuse(obstacle)
    if acts(arguments) and (refusals := _preflight(plan, host)):
        return _refuse_all(refusals)
    if not arguments.json:
        from wizard.report.plan import plan_lines

        print("\n".join(plan_lines(plan)), end="\n\n", flush=True)
    if acts(arguments) and not arguments.yes and not agreed("Carry this plan out?"):
        return _not_agreed()
    import asyncio

    from wizard.commands.following import carry_out

    code = asyncio.run(carry_out(_executor(arguments), plan, as_json=arguments.json))
    if code == 0 and acts(arguments) and not arguments.json:
        print(_use(plan))
    return code


def _plan(arguments: argparse.Namespace, host: Host, machine: Machine) -> Plan:
    """The plan; where it acts, settled with the archive, and looked at once more."""
    from wizard.plan.planner import make_plan

    choice = choice_of(arguments, arguments.stack, host.home)
    places, there = places_of(host), there_before(host, choice.venv)
    if not acts(arguments) or choice.footprint == "venv":
        return make_plan(machine, choice, places, there)
    import asyncio

    from wizard.run.live import now
    from wizard.run.settling import asking_of, settled_plan

    print("Asking the repository and apt what would be done ...", file=sys.stderr, flush=True)
    asking = asking_of(host, places, host.environ, now())
    return asyncio.run(settled_plan(machine, choice, places, there, asking))


def _preflight(plan: Plan, host: Host) -> tuple[Refusal, ...]:
    """Why root's part cannot be begun; prints what else there is to know."""
    import asyncio
    import textwrap

    from wizard.run.live import now
    from wizard.run.settling import asking_of, preflight

    places = places_of(host)
    found = asyncio.run(preflight(plan, places, asking_of(host, places, host.environ, now())))
    for note in found.notes:
        print(*textwrap.wrap(note, 79), sep="\n", file=sys.stderr)
    return found.refusals


def _refuse_all(refusals: tuple[Refusal, ...]) -> int:
    from wizard.run.lines import clean

    for each in refusals:
        _refuse(clean(each.happened))
        print(clean(each.meaning), clean(each.next_step), sep="\n", file=sys.stderr)
    return 2


def _use(plan: Plan) -> str:
    """What to do with what was installed."""
    from wizard.plan.using import measure_command, use_command
    from wizard.run.lines import clean

    return f"Use it: {clean(use_command(plan))}\nMeasure Conv2d: {clean(measure_command(plan))}"


def _obstacle(machine: Machine, arguments: argparse.Namespace, plan: Plan) -> str:
    """Why this stack cannot work here; the device is not asked for with --without-card."""
    from wizard.knowledge.stacks import load_stacks
    from wizard.plan.card import with_card
    from wizard.plan.existing import obstacles_to
    from wizard.plan.fit import fit

    if arguments.without_card:
        return ""
    for stack in load_stacks():
        if stack.id == arguments.stack:
            found = fit(with_card(machine, arguments.gpu), (), stack)
            return " ".join(obstacles_to(plan.steps, machine, stack, found))
    return ""


def _begun(plan: Plan, places: Places) -> bool:
    """True when a run of this plan waits to be gone on with: the disk it fills is its own doing."""
    from pathlib import Path

    from wizard.run.journal import UNFINISHED, read_records

    records = read_records(Path(places.runs))
    return any(r.plan["id"] == plan.id and r.state == UNFINISHED for r in records)


def _not_agreed() -> int:
    if sys.stdin.isatty():
        print("Nothing was changed.", file=sys.stderr)
        return 2
    return _refuse(
        "Nothing was changed: there is no terminal to ask at. Read the plan above, then add --yes."
    )


def _refuse(text: str) -> int:
    print(f"rdna1-setup: {text}", file=sys.stderr)
    return 2


def _executor(arguments: argparse.Namespace) -> Executor:
    if not acts(arguments):
        from wizard.run.rehearsal import Rehearsal

        return Rehearsal()
    from wizard.run.live import Live

    host = host_of(arguments)
    return Live(places_of(host), host.environ, yes=arguments.yes)
