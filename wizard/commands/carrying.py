"""What every command that carries a plan out does: look once more, show, ask, do, tell."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.looking import acts, agreed, places_of

if TYPE_CHECKING:
    from wizard.core.events import Event
    from wizard.core.trouble import Trouble
    from wizard.host.host import Host
    from wizard.machine.facts import Machine
    from wizard.plan.steps import Plan
    from wizard.run.executor import Executor

GOES_ON = (
    "This continues an unfinished run. To start over instead, undo it first: rdna1-setup rollback"
)
ASKS_NOTHING = (
    "With --json, this command cannot prompt you. Read the plan (`rdna1-setup plan`), then add "
    "--yes."
)


def add_carrying_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of every command that carries a plan out."""
    parser.add_argument("--yes", action="store_true", help="do not ask: you have read the plan")
    parser.add_argument("--json", action="store_true", help="print events as JSON lines")


def cannot_ask(arguments: argparse.Namespace) -> bool:
    """True where nobody could be asked and nobody has agreed before."""
    return arguments.json and acts(arguments) and not arguments.yes


def carry(
    plan: Plan, arguments: argparse.Namespace, host: Host, machine: Machine | None = None
) -> int:
    """Look once more, show the plan, ask, carry it out; 0 when every outcome was verified.

    With the ``machine``, the ending names the programs where they were found.
    """
    if acts(arguments) and (refusals := _preflight(plan, host)):
        return refuse_all(refusals)
    return show_and_do(plan, arguments, _executor(plan, arguments, host), host, machine)


def show_and_do(
    plan: Plan,
    arguments: argparse.Namespace,
    executor: Executor,
    host: Host,
    machine: Machine | None = None,
) -> int:
    """Show the plan, ask, and let this executor do it."""
    if not arguments.json:
        from wizard.report.plan import as_of_lines, plan_lines

        as_of = () if acts(arguments) else as_of_lines(plan)
        told = plan_lines(plan, log=log_text(plan, host))
        print(*as_of, *told, sep="\n", end="\n\n", flush=True)
    if acts(arguments) and not arguments.yes and not agreed("Carry out this plan?"):
        return _not_agreed()
    import asyncio

    from wizard.commands.following import carry_out
    from wizard.report.plan import foreseen_lines

    def tell_foreseen(event: Event) -> None:
        for line in foreseen_lines(event):
            print(line)

    teller = None if acts(arguments) else tell_foreseen
    code = asyncio.run(carry_out(executor, plan, as_json=arguments.json, teller=teller))
    if code == 0 and not arguments.json:
        from wizard.report.plan import ending_lines

        applications = getattr(arguments, "app", None) or ()
        print(*ending_lines(plan, applications, machine, done=acts(arguments)), sep="\n")
    return code


def log_text(plan: Plan, host: Host) -> str:
    """Where the run of a plan is recorded, and what root replaces is kept."""
    from wizard.root.session import STATE

    rooted = any(step.needs_root for step in plan.steps)
    return f"{places_of(host).runs}{f'; log and backup of root: {STATE}' if rooted else ''}"


def _preflight(plan: Plan, host: Host) -> tuple[Trouble, ...]:
    """Why root's part cannot be begun."""
    import asyncio

    from wizard.run.exact_plan import asking_of, preflight

    return asyncio.run(preflight(plan, places_of(host), asking_of(host)))


def refuse_all(refusals: tuple[Trouble, ...]) -> int:
    """Say why nothing was begun, and give the exit code."""
    for each in refusals:
        refuse_for(each)
    return 2


def refuse_for(why: Trouble) -> int:
    """Say what happened, what it means and what to do, and give the exit code."""
    from wizard.core.lines import clean

    refuse(clean(why.happened))
    print(clean(why.meaning), clean(why.next_step), sep="\n", file=sys.stderr)
    return 2


def refuse(text: str) -> int:
    """Say one sentence, and give the exit code."""
    from wizard.core.lines import clean_lines

    print(f"rdna1-setup: {clean_lines(text)}", file=sys.stderr)
    return 2


def _not_agreed() -> int:
    if sys.stdin.isatty():
        print("Nothing was changed.", file=sys.stderr)
        return 2
    return refuse(
        "Nothing was changed, because there is no terminal in which to prompt you. Read the plan "
        "above, then run the same command again with "
        "--yes."
    )


def _executor(plan: Plan, arguments: argparse.Namespace, host: Host) -> Executor:
    if not acts(arguments):
        from wizard.run.rehearsal import Rehearsal

        if host.name:
            return Rehearsal()
        from wizard.run.obstacles import foreseen

        return Rehearsal(foreseen(plan, places_of(host)))
    from wizard.run.executor import Live

    return Live(places_of(host), host.environ, yes=arguments.yes)
