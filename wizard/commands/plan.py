"""Show every step, command and file of an installation, without doing anything."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.choosing import name_applications
from wizard.commands.looking import acts, host_of, places_of, speed_of_line
from wizard.commands.making import add_plan_arguments, asked_words, kind_asked, make_asked
from wizard.core.journal import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wizard.host.host import Host
    from wizard.machine.facts import Machine
    from wizard.plan.steps import Plan
    from wizard.report.recommendation import Compared
    from wizard.run.wheels_size import WheelsSize


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``plan``."""
    add_plan_arguments(parser)
    parser.add_argument(
        "--json",
        action="store_true",
        help="print JSON for programs and for apply --plan",
    )
    parser.add_argument(
        "--brief",
        action="store_true",
        help="with --json: the recommendation, sizes, and each step's title, without commands",
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="also check the wheels with the index, the download size, and the exact "
        "system packages with the repository and apt",
    )
    parser.add_argument(
        "--evidence",
        action="store_true",
        help="also show every statement about the stack: author, card, date, link, contradictions",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the plan; without --stack, the recommended one."""
    from wizard.advice.recommend import recommend
    from wizard.core.trouble import Trouble
    from wizard.machine.detect import detect
    from wizard.plan.planner import PlanImpossible
    from wizard.report.recommendation import compared

    if wrong := _wrong_use(arguments):
        print(f"rdna1-setup: {wrong}", file=sys.stderr)
        return 2
    host = host_of(arguments)
    machine = detect(host)
    found = None
    if kind_asked(arguments) is Kind.INSTALL:
        asked = name_applications(arguments, machine)
        with_system = arguments.stack if arguments.footprint != "venv" else ""
        found = compared(
            machine,
            recommend(machine, asked, arguments.gpu, preset=arguments.preset),
            gpu=arguments.gpu,
            with_system=with_system or "",
            speed=speed_of_line(host, places_of(host)),
            preset=arguments.preset,
        )
    stack = arguments.stack or (found.recommendation.stack if found else "")
    try:
        takes_away = kind_asked(arguments) is not Kind.INSTALL
        exact = arguments.exact or (takes_away and acts(arguments))
        plan = make_asked(arguments, stack, host, machine, exact=exact)
        size = None
        if arguments.exact and plan.kind is Kind.INSTALL:
            _require_wheels(plan, machine, host)
            size = _ask_size(plan, host)
    except PlanImpossible as error:
        print(f"rdna1-setup: {error}", file=sys.stderr)
        return 2
    except Trouble as trouble:
        from wizard.commands.carrying import refuse_for

        return refuse_for(trouble)
    if arguments.brief:
        _print_brief(plan, found, size)
        return 0
    if arguments.json:
        _print_json(
            plan, asked_words(arguments, stack, host.home), found, arguments.stack or "", size
        )
        return 0
    from wizard.commands.carrying import log_text
    from wizard.report.plan import as_of_lines, ending_lines, plan_lines

    before = _advice(found, arguments.stack) if found else ()
    after = _said(found, arguments, stack) if found else ()
    as_of = () if arguments.exact else as_of_lines(plan)
    told = plan_lines(plan, size, log=log_text(plan, host))
    end = ending_lines(plan, arguments.app or (), machine, done=False)
    print("\n".join((*before, *as_of, *told, *after, *end)))
    return 0


def _wrong_use(arguments: argparse.Namespace) -> str:
    """Which options do not go together; ``""`` where all do."""
    if arguments.exact and not acts(arguments):
        return "a dry run or a machine recording does not use the network"
    if arguments.brief and not arguments.json:
        return "--brief only works with --json"
    if kind_asked(arguments) is not Kind.INSTALL and arguments.stack:
        return "--stack installs, while --remove and --clean-up remove: use only one of them"
    if (arguments.distribution_rocm or arguments.driver) and not arguments.remove:
        return "--distribution-rocm and --driver only work with --remove"
    return ""


def _require_wheels(plan: Plan, machine: Machine, host: Host) -> None:
    """Ask the index for the wheels, and tell if it could not be asked. Raises Trouble."""
    import asyncio
    import textwrap

    from wizard.run.exact_plan import wheels_sought

    print("Checking whether the index still has the wheels ...", file=sys.stderr, flush=True)
    found = asyncio.run(wheels_sought(plan, machine, places_of(host), host.environ))
    if found.refusal is not None:
        raise found.refusal
    print(*textwrap.wrap(found.note, 79), sep="\n", end="\n" * bool(found.note), file=sys.stderr)


def _ask_size(plan: Plan, host: Host) -> WheelsSize | None:
    """Ask the index how much there is to fetch, and tell what it says."""
    import asyncio
    import textwrap

    from wizard.report.plan import size_told
    from wizard.run.exact_plan import asks_size, size_sought

    places = places_of(host)
    if not asks_size(plan, places):
        return None
    print("Asking the index how much there is to download ...", file=sys.stderr, flush=True)
    found = asyncio.run(size_sought(plan, places, host.environ))
    print(*textwrap.wrap(size_told(plan, found), 79), sep="\n", file=sys.stderr)
    return found


def _print_json(
    plan: Plan,
    asked: Sequence[str],
    found: Compared | None,
    stack: str,
    size: WheelsSize | None,
) -> None:
    import json
    from dataclasses import asdict

    from wizard.plan.plan_file import plan_document
    from wizard.report.recommendation import comparison_form

    advice = comparison_form(found, stack) if found else None
    told = asdict(size) if size is not None else None
    print(json.dumps(plan_document(plan, asked, advice, told), indent=1))


def _print_brief(plan: Plan, found: Compared | None, size: WheelsSize | None) -> None:
    import json
    from dataclasses import asdict

    from wizard.plan.plan_file import brief_document
    from wizard.report.recommendation import recommendation_form

    advice = recommendation_form(found.recommendation) if found else None
    told = asdict(size) if size is not None else None
    print(json.dumps(brief_document(plan, advice, told), indent=1))


def _advice(found: Compared, named: str | None) -> tuple[str, ...]:
    """What is recommended and why, or what is known of the stack that was named."""
    import textwrap

    from wizard.report.recommendation import chosen_lines, recommendation_lines

    if named:
        return (*chosen_lines(found.recommendation, named), "")
    *names, last = (each.stack for each in found.recommendation.fits[1:])
    return (
        *recommendation_lines(found.recommendation),
        *textwrap.wrap(f"To choose another stack, use --stack {', '.join(names)} or {last}.", 79),
        "",
    )


def _said(found: Compared, arguments: argparse.Namespace, stack: str) -> tuple[str, ...]:
    """Below the plan: what Choose says of the stack, and the others where none was named."""
    from wizard.core.amounts import today
    from wizard.report.recommendation import stack_lines
    from wizard.report.stacks import sheet_lines

    told = stack_lines(found, stack, today() if arguments.evidence else None)
    if arguments.stack:
        return ("", *told)
    return ("", *told, "", "== All stacks side by side", *sheet_lines(found.columns))
