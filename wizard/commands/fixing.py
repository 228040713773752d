"""``diagnose --fix CAUSE``: the plan that mends a finding, carried out, and looked at again."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.carrying import ASKS_NOTHING, GOES_ON, cannot_ask, carry, refuse
from wizard.commands.choosing import absolute
from wizard.commands.looking import acts, host_of, places_of

if TYPE_CHECKING:
    from wizard.diagnose.finding import Finding
    from wizard.host.host import Host
    from wizard.machine.facts import Machine
    from wizard.plan.steps import Plan
    from wizard.report.findings import Outcome

SAID = "Diagnosed"
"""The event that says with --json what became of the finding."""


def fix(arguments: argparse.Namespace) -> int:
    """Mend one finding; 0 when it is gone, or gone with the next login or terminal."""
    from wizard.diagnose.fix import NothingToDo, PlanImpossible
    from wizard.knowledge.causes import load_causes
    from wizard.machine.detect import detect

    if cannot_ask(arguments):
        return refuse(ASKS_NOTHING)
    if arguments.fix not in load_causes():
        return refuse(
            f"there is no cause {arguments.fix!r}. `rdna1-setup diagnose` shows the causes in "
            "brackets."
        )
    host = host_of(arguments)
    machine = detect(host)
    try:
        finding, plan = _planned(arguments, host, machine)
    except NothingToDo as nothing:
        print(nothing, file=sys.stderr if arguments.json else sys.stdout)
        return 0
    except PlanImpossible as error:
        return refuse(str(error))
    code = carry(plan, arguments, host)
    return _looked_again(arguments, finding) if code == 0 and acts(arguments) else code


def _planned(arguments: argparse.Namespace, host: Host, machine: Machine) -> tuple[Finding, Plan]:
    """The finding and what mends it: a run of it that stopped half-way goes on with its plan."""
    from wizard.core.journal import Kind
    from wizard.diagnose.fix import Supply, make_fix
    from wizard.plan.impossible import NothingToDo
    from wizard.run.resume import stopped_plan

    found = _of_cause(arguments.fix, machine)
    folder = absolute(arguments.venv) if arguments.venv else ""
    waiting = None
    if acts(arguments):
        addresses = (arguments.torch_index,)
        waiting = stopped_plan(
            Kind.FIX, places_of(host), folder, arguments.fix, addresses=addresses
        )
    if waiting is not None:
        print(GOES_ON, file=sys.stderr)
        return _mended_by(waiting, arguments.fix, found), waiting
    if not found:
        raise NothingToDo(
            f"There is nothing to fix: {arguments.fix} was not found on this machine."
        )
    house = absolute(arguments.wheelhouse) if arguments.wheelhouse else ""
    supply = Supply(house, arguments.torch_index)
    finding = _picked(found, folder, host, machine)
    return finding, make_fix(host, machine, finding, supply=supply)


def _of_cause(cause: str, machine: Machine) -> list[Finding]:
    from wizard.diagnose.machine import diagnose

    return [one for one in diagnose(machine).findings if one.cause == cause and one.counts]


def _picked(found: list[Finding], folder: str, host: Host, machine: Machine) -> Finding:
    """The one that is meant. Raises PlanImpossible where that is not clear."""
    from wizard.diagnose.fix import PlanImpossible
    from wizard.diagnose.fix_settings import has_plan
    from wizard.report.findings import fix_command, folder_of

    here = [
        one for one in found if not folder or host.resolve(folder_of(one)) == host.resolve(folder)
    ]
    planned = [one for one in here if has_plan(one)]
    if folder and not here:
        raise PlanImpossible(f"{found[0].cause} was not found in {folder}.")
    if not planned:
        return here[0]
    if len({folder_of(one) for one in planned}) > 1 and not _alike(planned):
        commands = "\n".join(f"  {fix_command(one, planned)}" for one in planned)
        raise PlanImpossible(f"Several findings have this cause. Name one of them:\n{commands}")
    return planned[0]


def _alike(findings: list[Finding]) -> bool:
    """True where one plan mends them all: the same lines of the same files."""
    settings = [one.about.settings if one.about else () for one in findings]
    return bool(settings[0]) and all(each == settings[0] for each in settings)


def _mended_by(plan: Plan, cause: str, found: list[Finding]) -> Finding:
    """What the waiting plan mends, also where it is not to be seen any more."""
    from wizard.diagnose.finding import About
    from wizard.diagnose.outcomes import found as finding_of
    from wizard.report.findings import folder_of

    here = (one for one in found if not plan.venv or folder_of(one) == plan.venv)
    return next(here, finding_of(cause, (), about=About(plan.venv)))


def _looked_again(arguments: argparse.Namespace, mended: Finding) -> int:
    """Diagnose anew and say what became of the finding."""
    from wizard.diagnose.machine import diagnose
    from wizard.machine.detect import detect
    from wizard.report.findings import WORDS, Outcome, outcome_of

    now = diagnose(detect(host_of(arguments)))
    outcome = outcome_of(mended, now.findings, card=now.rdna1)
    if arguments.json:
        _say(mended, outcome)
    else:
        import textwrap

        text = WORDS[outcome].format(cause=mended.cause)
        print(*textwrap.wrap(text, 79, break_on_hyphens=False), sep="\n")
    return int(outcome in (Outcome.THERE, Outcome.UNSEEN))


def _say(mended: Finding, outcome: Outcome) -> None:
    import json

    from wizard.core.json_form import SCHEMA

    form = {"schema": SCHEMA, "event": SAID, "cause": mended.cause, "outcome": outcome.value}
    print(json.dumps(form), flush=True)
