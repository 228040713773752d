"""What this machine comes to, on one page: verdict, recommendation, what needs attention."""

from __future__ import annotations

import argparse
import shlex
import textwrap
from typing import TYPE_CHECKING

from wizard.commands.choosing import app_words, folder_of, with_sources
from wizard.commands.looking import acts, host_of, places_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from wizard.diagnose.finding import Finding
    from wizard.host.host import Host
    from wizard.machine.facts import Machine
    from wizard.plan.choice import Choice

MOST_FINDINGS = 6
"""More would not leave the page its place: `diagnose` shows all of them."""
DIAGNOSE = "rdna1-setup diagnose"
MORE = (
    ("plan", "every step, command and file, and all stacks in a table"),
    ("detect", "everything that was found on this machine"),
    ("diagnose", "each problem with its evidence and its fix"),
    ("conv2d", "measure Conv2d on your card"),
    ("about", "explanations; `about approaches` lists every approach"),
    ("--help", "all commands"),
)


def run(arguments: argparse.Namespace, applications: Sequence[str] = ()) -> int:
    """Print a page for terminals that show no screens, for pipes and for screen readers.

    ``applications``: what is to run; without any, what was found here.
    """
    from wizard.machine.detect import detect
    from wizard.report.machine import recorded_lines

    host = host_of(arguments)
    machine = detect(host)
    print("rdna1-setup: " + ("" if acts(arguments) else "DRY RUN, ") + "nothing is changed")
    print(*recorded_lines(machine), sep="\n", end="\n" * bool(machine.recorded))
    if not host.name:
        print(*work_lines(), sep="\n", end="")
        for line in restart_lines(arguments):
            print(line)
    for lines in (_verdict(machine), _recommended(arguments, host, machine, applications), _more()):
        print("", *lines, sep="\n")
    return 0


def _verdict(machine: Machine) -> Iterator[str]:
    """How the machine stands, and what somebody should do something about."""
    from wizard.core.lines import shown
    from wizard.diagnose.machine import diagnose
    from wizard.diagnose.outcomes import plan_joins, verdict
    from wizard.report.machine import WIDTH

    findings = diagnose(machine).findings
    told = verdict(machine, findings, f"`{DIAGNOSE}`")
    yield from textwrap.wrap(told.text, WIDTH)
    yield from textwrap.wrap(told.second, WIDTH)
    counting = [each for each in findings if each.counts and not plan_joins(each)]
    if any(shown(each.title).rstrip(".") not in told.text for each in counting):
        yield from _attention(counting)


def _attention(findings: Sequence[Finding]) -> Iterator[str]:
    from wizard.core.lines import shown
    from wizard.report.machine import WIDTH

    yield from ("", "== Needs attention")
    for each in findings[:MOST_FINDINGS]:
        text = f"{each.status.word}: {shown(each.title)}"
        yield from textwrap.wrap(text, WIDTH, subsequent_indent="  ")
    if (left := len(findings) - MOST_FINDINGS) > 0:
        yield f"And {left} more: {DIAGNOSE}"


def _recommended(
    arguments: argparse.Namespace, host: Host, machine: Machine, applications: Sequence[str]
) -> Iterator[str]:
    """What to take here, what it costs, and the commands that show it and do it."""
    from wizard.advice.recommend import recommend
    from wizard.plan.choice import Choice
    from wizard.plan.planner import PlanImpossible, make_plan
    from wizard.report.machine import WIDTH
    from wizard.report.plan import cost_lines
    from wizard.report.recommendation import recommendation_lines

    found = recommend(machine, applications or None)
    yield "== Recommended"
    yield from recommendation_lines(found)
    folder = folder_of(arguments, found.stack, host.home)
    choice = Choice(found.stack, "venv", folder, found.applications)
    choice = with_sources(choice, arguments)
    try:
        plan = make_plan(machine, choice, places_of(host))
    except PlanImpossible as error:
        yield from textwrap.wrap(f"No plan is possible here: {error}", WIDTH)
        return
    yield from cost_lines(plan)
    yield f"Read the plan:    {_command('plan', choice, arguments, applications)}"
    yield f"Carry it out:     {_command('apply', choice, arguments, applications)}"


def _more() -> Iterator[str]:
    yield "== More"
    for command, what in MORE:
        yield f"rdna1-setup {command:<10}{what}"


def work_lines(state: Path | None = None) -> tuple[str, ...]:
    """What root still does for an earlier start, and how to see it; nothing for none."""
    from wizard.core.lines import clean
    from wizard.root.session import STATE
    from wizard.run.at_work import at_work

    found = at_work(state or STATE)
    if found is None:
        return ()
    return ("", f"{clean(found.text)}: watch it with `rdna1-setup watch`", "")


def restart_lines(arguments: argparse.Namespace) -> tuple[str, ...]:
    """That a restart waits, or that it has happened and what comes next; nothing for neither."""
    from wizard.report.machine import WIDTH
    from wizard.run.runs import restart_words

    words = restart_words(places_of(host_of(arguments)))
    return ("", *textwrap.wrap(words, WIDTH)) if words else ()


def _command(
    command: str, choice: Choice, arguments: argparse.Namespace, applications: Sequence[str]
) -> str:
    """The command for what was shown, with what was named to get it."""
    sources = (
        ("--venv", choice.venv if arguments.venv else ""),
        ("--torch-index", arguments.torch_index),
        ("--wheelhouse", choice.wheelhouse),
        ("--python-mirror", choice.python_mirror),
    )
    named = [word for option, value in sources if value for word in (option, value)]
    return shlex.join(
        ["rdna1-setup", command, "--stack", choice.stack, *app_words(applications), *named]
    )
