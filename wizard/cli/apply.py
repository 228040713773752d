"""``apply``, ``remove``, ``clean-up`` and ``keep``: plans, shown and carried out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from wizard.advice.card import with_card, wrong_card
from wizard.advice.fit import fit
from wizard.cli.console import refuse
from wizard.cli.execution import (
    ASKS_NOTHING,
    GOES_ON,
    cannot_ask,
    carry_out,
    show_and_do,
    watch_first,
)
from wizard.cli.options import SOURCES, add_plan_arguments
from wizard.core.journal import PARTLY_ROLLED_BACK, ROLLED_BACK, UNFINISHED, Record
from wizard.core.lines import clean
from wizard.host.host import Host, places_of
from wizard.knowledge.stacks import find_stack
from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.plan.existing import obstacles_to
from wizard.plan.form import plan_of
from wizard.plan.impossible import PlanImpossible
from wizard.plan.keep_setting import make_keep
from wizard.plan.plan_file import (
    LONGEST,
    PlanFile,
    WrongPlanFile,
    plan_differences,
    read_plan_document,
)
from wizard.plan.start_check import no_longer_so
from wizard.plan.steps import Plan
from wizard.run.executor import AllDone, Live
from wizard.run.resume import resumed_plan, stopped_plan
from wizard.run.runs import records_of
from wizard.services.command_line import absolute, acts, host_of, wrong_wheelhouse
from wizard.services.plan_request import request_words, requested_kind, requested_plan, stack_for

FOR_ANOTHER = "To install for another machine that has the card, add --without-card"
ANEW = "Nothing was changed. Make the plan again (`rdna1-setup plan --json`) and review it."


def obstacle_to(machine: Machine, asked: argparse.Namespace, plan: Plan) -> str:
    """Why this stack cannot work here; the device is not asked for with --without-card."""
    stack = find_stack(asked.stack)
    if asked.without_card or stack is None:
        return ""
    chosen = with_card(machine, asked.gpu)
    against = list(obstacles_to(plan.steps, machine, stack, fit(chosen, (), stack)))
    if against and stack.gfx and wrong_card(chosen, stack):
        against.append(FOR_ANOTHER)
    return " ".join(f"{each.rstrip('.')}." for each in against)


def apply_file(arguments: argparse.Namespace) -> int:
    """Check the plan of the file, show it, ask, carry it out; 0 also when all of it is done."""
    if given := _given_beside(arguments):
        return refuse(f"--plan already contains all options. Omit {', '.join(given)}.")
    name = clean(arguments.plan)
    try:
        file = _read(arguments.plan)
        asked = _asked_in(file)
    except WrongPlanFile as wrong:
        return refuse(f"{name} cannot be carried out: {clean(str(wrong))}. {ANEW}")
    except OSError as error:
        return refuse(f"{name} cannot be read: {error.strerror}.")
    try:
        return _carry_out(file.plan, asked, arguments)
    except PlanImpossible as error:
        return refuse(f"This plan is no longer possible. {clean(str(error))} {ANEW}")


def _carry_out(reviewed: Plan, asked: argparse.Namespace, arguments: argparse.Namespace) -> int:
    host = host_of(arguments)
    record = _earlier(reviewed, host) if acts(arguments) else None
    lost: tuple[str, ...] = ()
    if record is not None:
        unfinished = record.state == UNFINISHED
        lost = () if unfinished else no_longer_so(reviewed, host)
        if not lost:
            # The plan as it was when the run began: the journal is ours, the file may be anybody's.
            plan = resumed_plan(record, asked.torch_index, asked.python_mirror)
            if unfinished:
                return carry_out(plan, arguments, host)
            # What its folder lacks by now is done again.
            live = Live(places_of(host), host.environ, yes=arguments.yes)
            return show_and_do(plan, arguments, live if plan.venv else AllDone(record), host)
    machine = detect(host)
    plan = requested_plan(asked, asked.stack or "", host, machine, exact=acts(arguments))
    if (plan.id, plan.steps) != (reviewed.id, reviewed.steps):
        return _refuse_other(reviewed, plan, lost)
    if obstacle := obstacle_to(machine, asked, plan):
        return refuse(obstacle)
    return carry_out(plan, arguments, host, machine)


def _refuse_other(reviewed: Plan, now: Plan, lost: tuple[str, ...]) -> int:
    refuse("This machine differs from the one the plan was made for:")
    texts = (
        *((f"since it was installed: {text}") for text in lost),
        *plan_differences(reviewed, now),
    )
    print(*(f"  {clean(text)}" for text in texts), ANEW, sep="\n", file=sys.stderr)
    return 2


def _read(name: str) -> PlanFile:
    """The file, checked to the last word; raises WrongPlanFile or OSError."""
    if name == "-":
        content = sys.stdin.buffer.read(LONGEST + 1)
    else:
        with Path(name).open("rb") as opened:
            content = opened.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise WrongPlanFile("it is too long for a plan")
    try:
        return read_plan_document(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise WrongPlanFile("it is not UTF-8") from None


def _asked_in(file: PlanFile) -> argparse.Namespace:
    """The options that the file names, checked as on a command line; raises WrongPlanFile."""
    asked = _options().parse_args(file.asked)
    if request_words(asked, asked.stack or "", "") != file.asked:
        raise WrongPlanFile("its options are not in the form that this program writes")
    if not file.plan.resolved:
        raise WrongPlanFile(
            "its packages have no exact versions: make it with `plan --exact --json`"
        )
    if wrong := wrong_wheelhouse(asked):
        raise WrongPlanFile(wrong.rstrip("."))
    return asked


class _Options(argparse.ArgumentParser):
    """The options of a plan, where nobody sits at a command line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong as a value of ours."""
        raise WrongPlanFile(f"its options are not valid: {message}")


def _options() -> _Options:
    options = _Options(add_help=False, allow_abbrev=False)
    add_plan_arguments(options)
    options.set_defaults(machine=None, **SOURCES)
    return options


def _given_beside(arguments: argparse.Namespace) -> list[str]:
    """Options of a choice that were given beside the file."""
    usual = vars(_options().parse_args([]))
    given = (name for name in usual if name != "machine")
    return [
        f"--{name.replace('_', '-')}"
        for name in given
        if getattr(arguments, name, usual[name]) != usual[name]
    ]


def _earlier(plan: Plan, host: Host) -> Record | None:
    """The newest run of this plan, if it was not taken back."""
    newest = next((record for record in records_of(host) if record.plan["id"] == plan.id), None)
    if newest is None or newest.state in (ROLLED_BACK, PARTLY_ROLLED_BACK):
        return None
    return newest if plan_of(newest.plan).steps == plan.steps else None


def run_apply(arguments: argparse.Namespace) -> int:
    """Show the plan, ask, carry it out; 0 when every outcome was verified."""
    if cannot_ask(arguments):
        return refuse(ASKS_NOTHING)
    watch_first(arguments)
    if arguments.plan is not None:
        return apply_file(arguments)
    if arguments.stack is None and not arguments.app:
        return refuse("apply needs --stack or --app: `rdna1-setup plan` shows the recommendation.")
    host = host_of(arguments)
    machine = detect(host)
    arguments.stack = arguments.stack or stack_for(arguments, machine)
    plan = requested_plan(arguments, arguments.stack, host, machine, exact=acts(arguments))
    if obstacle := obstacle_to(machine, arguments, plan):
        return refuse(obstacle)
    return carry_out(plan, arguments, host, machine)


def run_clearing(arguments: argparse.Namespace) -> int:
    """Show the plan of ``remove`` or ``clean-up``, ask, carry it out; 0 also when nothing is there.

    A run of this kind that stopped half-way is continued with its plan.
    """
    if cannot_ask(arguments):
        return refuse(ASKS_NOTHING)
    host = host_of(arguments)
    plan = stopped_plan(requested_kind(arguments), places_of(host)) if acts(arguments) else None
    if plan is not None:
        print(GOES_ON, file=sys.stderr)
    else:
        plan = requested_plan(arguments, "", host, detect(host), exact=acts(arguments))
    return carry_out(plan, arguments, host)


def run_keep(arguments: argparse.Namespace) -> int:
    """Show the plan, ask, carry it out; 0 also when it is kept already."""
    if cannot_ask(arguments):
        return refuse(ASKS_NOTHING)
    pairs = [word.partition("=") for word in arguments.setting]
    if any(not sign for _, sign, _ in pairs):
        return refuse("write each variable as NAME=VALUE.")
    host = host_of(arguments)
    setting = tuple((name, value) for name, _, value in pairs)
    return carry_out(make_keep(host, absolute(arguments.venv), setting), arguments, host)
