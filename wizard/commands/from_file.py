"""A reviewed plan from a file, carried out as it is or not at all.

The file is not believed. It says what was asked for, in options of ``plan``; from these the plan is
made anew on this machine as it is now, and only if that is the very plan of the file, it is done.
So nothing can stand in a file that this program would not plan by itself.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn

from wizard.commands.carrying import carry, refuse, refuse_for, show_and_do
from wizard.commands.choosing import SOURCES, wrong_wheelhouse
from wizard.commands.looking import acts, host_of, places_of
from wizard.commands.making import add_plan_arguments, asked_words, make_asked
from wizard.commands.obstacle import obstacle_to
from wizard.core.lines import clean

if TYPE_CHECKING:
    from wizard.core.journal import Record
    from wizard.host.host import Host
    from wizard.plan.plan_file import PlanFile
    from wizard.plan.steps import Plan

ANEW = "Nothing was changed. Make the plan again (`rdna1-setup plan --json`) and review it."


def apply_file(arguments: argparse.Namespace) -> int:
    """Check the plan of the file, show it, ask, carry it out; 0 also when all of it is done."""
    from wizard.core.trouble import Trouble
    from wizard.plan.impossible import PlanImpossible
    from wizard.plan.plan_file import WrongPlanFile

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
    except Trouble as trouble:
        return refuse_for(trouble)


def _carry_out(reviewed: Plan, asked: argparse.Namespace, arguments: argparse.Namespace) -> int:
    from wizard.core.journal import UNFINISHED
    from wizard.machine.detect import detect
    from wizard.plan.start_check import no_longer_so

    host = host_of(arguments)
    record = _earlier(reviewed, host) if acts(arguments) else None
    if record is not None and record.state == UNFINISHED:
        return carry(_noted(record, asked), arguments, host)
    lost = no_longer_so(reviewed, host) if record is not None else ()
    if record is not None and not lost:
        return _look_back(record, asked, arguments, host)
    machine = detect(host)
    plan = make_asked(asked, asked.stack or "", host, machine, exact=acts(arguments))
    if (plan.id, plan.steps) != (reviewed.id, reviewed.steps):
        return _refuse_other(reviewed, plan, lost)
    if obstacle := obstacle_to(machine, asked, plan):
        return refuse(obstacle)
    return carry(plan, arguments, host, machine)


def _look_back(
    record: Record, asked: argparse.Namespace, arguments: argparse.Namespace, host: Host
) -> int:
    """Go through a finished run once more; what its folder lacks by now is done again."""
    from wizard.run.executor import AllDone, Live

    plan = _noted(record, asked)
    live = Live(places_of(host), host.environ, yes=arguments.yes)
    return show_and_do(plan, arguments, live if plan.venv else AllDone(record), host)


def _refuse_other(reviewed: Plan, now: Plan, lost: tuple[str, ...]) -> int:
    from wizard.plan.plan_file import plan_differences

    refuse("This machine differs from the one the plan was made for:")
    texts = (
        *((f"since it was installed: {text}") for text in lost),
        *plan_differences(reviewed, now),
    )
    print(*(f"  {clean(text)}" for text in texts), ANEW, sep="\n", file=sys.stderr)
    return 2


def _read(name: str) -> PlanFile:
    """The file, checked to the last word; raises WrongPlanFile or OSError."""
    from pathlib import Path

    from wizard.plan.plan_file import LONGEST, WrongPlanFile, read_plan_document

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
    from wizard.plan.plan_file import WrongPlanFile

    asked = _options().parse_args(file.asked)
    if asked_words(asked, asked.stack or "", "") != file.asked:
        raise WrongPlanFile("its options are not in the form that this program writes")
    if not file.plan.settled:
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
        from wizard.plan.plan_file import WrongPlanFile

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
    from pathlib import Path

    from wizard.core.journal import PARTLY_ROLLED_BACK, ROLLED_BACK
    from wizard.plan.form import plan_of
    from wizard.run.runs import read_records

    records = read_records(Path(places_of(host).runs))
    newest = next((record for record in records if record.plan["id"] == plan.id), None)
    if newest is None or newest.state in (ROLLED_BACK, PARTLY_ROLLED_BACK):
        return None
    return newest if plan_of(newest.plan).steps == plan.steps else None


def _noted(record: Record, asked: argparse.Namespace) -> Plan:
    """The plan as it was when the run began: the journal is ours, the file may be anybody's."""
    from wizard.run.resume import resumed_plan

    return resumed_plan(record, asked.torch_index, asked.python_mirror)
