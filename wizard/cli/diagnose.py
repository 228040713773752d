"""``diagnose``, ``diagnose --fix`` and ``explain``: findings, their evidence and their fixes."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from wizard.advice.recommend import recommend
from wizard.cli.console import print_json, refuse
from wizard.cli.execution import ASKS_NOTHING, GOES_ON, cannot_ask, carry_out
from wizard.core.journal import Kind
from wizard.core.json_form import SCHEMA
from wizard.core.lines import wrapped
from wizard.diagnose.explain import Explanation
from wizard.diagnose.finding import About, Finding, conclude, exit_code, to_form
from wizard.diagnose.fix import Supply, make_fix
from wizard.diagnose.fix_settings import has_plan
from wizard.diagnose.listed_cards import card_form
from wizard.diagnose.machine import diagnose
from wizard.diagnose.outcomes import found as finding_of
from wizard.diagnose.this_machine import TRY_S, to_try
from wizard.host.host import Host, places_of
from wizard.knowledge.causes import load_causes
from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.plan.impossible import NothingToDo, PlanImpossible
from wizard.plan.steps import Plan
from wizard.report.findings import (
    WORDS,
    Outcome,
    diagnosis_lines,
    explanation_lines,
    finding_form,
    fix_command,
    folder_of,
    outcome_of,
)
from wizard.report.recommendation import short_text
from wizard.run.resume import stopped_plan
from wizard.services.command_line import absolute, acts, host_of
from wizard.services.machine import Unreadable, diagnosis_of, explained_file
from wizard.services.plan_request import name_applications

TRYING = (
    "Trying each torch on the card, for at most {:g} s each. This can hang the card, so save your "
    "work first."
)
NOT_TRIED = (
    "--try-torch uses the card, so it works neither on a machine recording nor in a dry run."
)
SAID = "Diagnosed"
"""The event that says with --json what became of the finding."""


def run_diagnose(arguments: argparse.Namespace) -> int:
    """Print every check; 1 when one found something, else 0. With --fix, fix one finding."""
    if arguments.try_torch and not acts(arguments):
        return refuse(NOT_TRIED)
    if arguments.fix:
        return fix(arguments)
    host = host_of(arguments)
    machine = detect(host)
    if arguments.try_torch and to_try(machine):
        print(TRYING.format(TRY_S), file=sys.stderr)
    diagnosis = diagnosis_of(
        host, machine, kernel_log=arguments.kernel_log, try_torches=arguments.try_torch
    )
    recommended = recommend(machine, name_applications(arguments, machine))
    if arguments.json:
        findings = [finding_form(finding, diagnosis.findings) for finding in diagnosis.findings]
        found = conclude(diagnosis.findings)
        print_json(
            {
                "machine": machine.recorded,
                "rdna1": diagnosis.rdna1,
                "status": found.status.value,
                "conclusion": found.text,
                "recommended": recommended.name,
                "applications": recommended.applications,
                "findings": findings,
            }
        )
    else:
        print("\n".join(diagnosis_lines(machine, diagnosis)))
        if diagnosis.rdna1:
            print("", *wrapped(short_text(recommended)), sep="\n")
    return exit_code(diagnosis.findings)


def fix(arguments: argparse.Namespace) -> int:
    """Mend one finding; 0 when it is gone, or gone with the next login or terminal."""
    if cannot_ask(arguments):
        return refuse(ASKS_NOTHING)
    if arguments.fix not in load_causes():
        return refuse(
            f"there is no cause {arguments.fix!r}. `rdna1-setup diagnose` shows the causes in "
            "brackets."
        )
    host = host_of(arguments)
    machine = detect(host)
    finding, plan = _planned(arguments, host, machine)
    code = carry_out(plan, arguments, host)
    return _looked_again(arguments, finding) if code == 0 and acts(arguments) else code


def _planned(arguments: argparse.Namespace, host: Host, machine: Machine) -> tuple[Finding, Plan]:
    """The finding and what fixes it: a run of it that stopped half-way goes on with its plan."""
    findings = diagnose(machine).findings
    found = [one for one in findings if one.cause == arguments.fix and one.counts]
    folder = absolute(arguments.venv) if arguments.venv else ""
    waiting = None
    if acts(arguments):
        addresses = (arguments.torch_index,)
        waiting = stopped_plan(
            Kind.FIX, places_of(host), folder, arguments.fix, addresses=addresses
        )
    if waiting is not None:
        print(GOES_ON, file=sys.stderr)
        return _fixed_by(waiting, arguments.fix, found), waiting
    if not found:
        raise NothingToDo(
            f"There is nothing to fix: {arguments.fix} was not found on this machine."
        )
    house = absolute(arguments.wheelhouse) if arguments.wheelhouse else ""
    supply = Supply(house, arguments.torch_index)
    finding = _picked(found, folder, host, machine)
    return finding, make_fix(host, machine, finding, supply=supply)


def _picked(found: list[Finding], folder: str, host: Host, machine: Machine) -> Finding:
    """The one that is meant. Raises PlanImpossible where that is not clear."""
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
    """True where one plan fixes them all: the same lines of the same files."""
    settings = [one.about.settings if one.about else () for one in findings]
    return bool(settings[0]) and all(each == settings[0] for each in settings)


def _fixed_by(plan: Plan, cause: str, found: list[Finding]) -> Finding:
    """What the waiting plan fixes, also where it is not to be seen any more."""
    here = (one for one in found if not plan.venv or folder_of(one) == plan.venv)
    return next(here, finding_of(cause, (), about=About(plan.venv)))


def _looked_again(arguments: argparse.Namespace, fixed: Finding) -> int:
    """Diagnose anew and say what became of the finding."""
    now = diagnose(detect(host_of(arguments)))
    outcome = outcome_of(fixed, now.findings, card=now.rdna1)
    if arguments.json:
        form = {"schema": SCHEMA, "event": SAID, "cause": fixed.cause, "outcome": outcome.value}
        print(json.dumps(form), flush=True)
    else:
        text = WORDS[outcome].format(cause=fixed.cause)
        print(*wrapped(text), sep="\n")
    return int(outcome in (Outcome.THERE, Outcome.UNSEEN))


def run_explain(arguments: argparse.Namespace) -> int:
    """Print what each text proves; 0 nothing found, 1 findings, 2 a file that cannot be read."""
    try:
        explained = [(name, explained_file(name)) for name in arguments.files]
    except Unreadable as error:
        return refuse(str(error))
    if arguments.json:
        _print_json(explained)
    else:
        for name, each in explained:
            if len(explained) > 1:
                print(f"== {name}")
            print("\n".join(explanation_lines(each, tuple(arguments.app or ()))).lstrip("\n"))
    return exit_code(finding for _, each in explained for finding in each.told)


def _print_json(explained: list[tuple[str, Explanation]]) -> None:
    forms = [{"file": name, **_form(each)} for name, each in explained]
    if len(forms) == 1:
        print_json(forms[0])
        return
    lists = ("findings", "gpus", "unrecognised")
    merged = {name: [each for form in forms for each in form[name]] for name in lists}
    print_json({**merged, "files": forms})


def _form(explained: Explanation) -> dict[str, Any]:
    return {
        "answer": explained.answer.value,
        "kinds": list(explained.kinds),
        "rdna1": any(card.rdna1 for card in explained.cards) if explained.cards else None,
        "findings": [to_form(finding) for finding in explained.findings],
        "gpus": [card_form(card) for card in explained.cards],
        "unrecognised": [
            {"line": int(error.where.removeprefix("line ")), "text": error.text}
            for error in explained.unrecognised
        ],
    }
