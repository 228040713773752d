"""``plan``: what would be done here, why, and what else there is."""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import asdict

from wizard.advice.comparison import line_speed
from wizard.advice.recommend import recommend
from wizard.cli.console import print_json, refuse
from wizard.core.amounts import today
from wizard.core.journal import Kind
from wizard.core.lines import wrapped
from wizard.host.host import Host, places_of
from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.plan.impossible import NothingToDo
from wizard.plan.plan_file import brief_document, plan_document
from wizard.plan.steps import Plan
from wizard.plan.wheel_index import seek_wheels
from wizard.report.plan import as_of_lines, ending_lines, plan_lines, size_told
from wizard.report.recommendation import (
    Compared,
    chosen_lines,
    compared,
    comparison_form,
    recommendation_form,
    recommendation_lines,
    stack_lines,
)
from wizard.report.stacks import sheet_lines
from wizard.run.preflight import WheelsSize, asks_size, goes_on, preflight_folder, wheels_size
from wizard.run.runs import records_of
from wizard.services.command_line import acts, host_of
from wizard.services.plan_request import (
    name_applications,
    request_words,
    requested_kind,
    requested_plan,
)


def run_plan(arguments: argparse.Namespace) -> int:
    """Print the plan; without --stack, the recommended one."""
    if wrong := _wrong_use(arguments):
        return refuse(wrong)
    host = host_of(arguments)
    machine = detect(host)
    found, installs = None, requested_kind(arguments) is Kind.INSTALL
    if installs:
        asked = name_applications(arguments, machine)
        found = compared(
            machine,
            recommend(machine, asked, arguments.gpu, preset=arguments.preset),
            gpu=arguments.gpu,
            with_system=(arguments.stack or "") if arguments.footprint != "venv" else "",
            speed=line_speed(records_of(host)),
            preset=arguments.preset,
        )
    stack = arguments.stack or (found.recommendation.stack if found else "")
    exact = arguments.exact or (not installs and acts(arguments))
    try:
        plan = requested_plan(arguments, stack, host, machine, exact=exact)
    except NothingToDo as nothing:
        return refuse(str(nothing))
    size = None
    if arguments.exact and installs:
        _require_wheels(plan, machine, host)
        size = _ask_size(plan, host)
    if arguments.json:
        size_form = None if size is None else asdict(size)
        if arguments.brief:
            advice = recommendation_form(found.recommendation) if found else None
            document = brief_document(plan, advice, size_form)
        else:
            advice = comparison_form(found, arguments.stack or "") if found else None
            asked_for = request_words(arguments, stack, host.home)
            document = plan_document(plan, asked_for, advice, size_form)
        print_json(document)
        return 0
    before = _advice(found, arguments.stack) if found else ()
    after = _said(found, arguments, stack) if found else ()
    as_of = () if arguments.exact else as_of_lines(plan)
    told = plan_lines(plan, size, runs=places_of(host).runs)
    end = ending_lines(plan, arguments.app or (), machine, done=False)
    print("\n".join((*before, *as_of, *told, *after, *end)))
    return 0


def _wrong_use(arguments: argparse.Namespace) -> str:
    """Which options do not go together; ``""`` where all do."""
    if arguments.exact and not acts(arguments):
        return "a dry run or a machine recording does not use the network"
    if arguments.brief and not arguments.json:
        return "--brief only works with --json"
    if requested_kind(arguments) is not Kind.INSTALL and arguments.stack:
        return "--stack installs, while --remove and --clean-up remove: use only one of them"
    if (arguments.distribution_rocm or arguments.driver) and not arguments.remove:
        return "--distribution-rocm and --driver only work with --remove"
    return ""


def _require_wheels(plan: Plan, machine: Machine, host: Host) -> None:
    """Ask the index for the wheels, and tell if it could not be asked. Raises Trouble."""
    print("Checking whether the index still has the wheels ...", file=sys.stderr, flush=True)
    if goes_on(plan, host):
        return
    found = asyncio.run(seek_wheels(plan, machine, host.environ))
    if found.refusal is not None:
        raise found.refusal
    print(*wrapped(found.note), sep="\n", end="\n" * bool(found.note), file=sys.stderr)


def _ask_size(plan: Plan, host: Host) -> WheelsSize | None:
    """Ask the index how much there is to fetch, and tell what it says."""
    if not asks_size(plan, host):
        return None
    print("Asking the index how much there is to download ...", file=sys.stderr, flush=True)
    found = asyncio.run(wheels_size(plan, host.environ, preflight_folder(places_of(host))))
    print(*wrapped(size_told(plan, found)), sep="\n", file=sys.stderr)
    return found


def _advice(found: Compared, named: str | None) -> tuple[str, ...]:
    """What is recommended and why, or what is known of the stack that was named."""
    if named:
        return (*chosen_lines(found.recommendation, named), "")
    *names, last = (each.stack for each in found.recommendation.fits[1:])
    return (
        *recommendation_lines(found.recommendation),
        *wrapped(f"To choose another stack, use --stack {', '.join(names)} or {last}."),
        "",
    )


def _said(found: Compared, arguments: argparse.Namespace, stack: str) -> tuple[str, ...]:
    """Below the plan: what Choose says of the stack, and the others where none was named."""
    told = stack_lines(found, stack, today() if arguments.evidence else None)
    if arguments.stack:
        return ("", *told)
    return ("", *told, "", "== All stacks side by side", *sheet_lines(found.columns))
