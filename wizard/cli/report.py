"""``report`` and ``about``, and the page that stands in for the screens: texts to read."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.advice.recommend import recommend
from wizard.cli.console import agreed, not_agreed, print_json, refuse
from wizard.core.fact import Fact, Unknown
from wizard.core.lines import clean, shown, wrapped
from wizard.diagnose.finding import Finding
from wizard.diagnose.machine import diagnose
from wizard.diagnose.outcomes import plan_joins, verdict
from wizard.host.host import Host, places_of
from wizard.knowledge.explanations import load_explanations
from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.machine.recording.recorder import (
    PlaceTaken,
    check_place,
    differences,
    make_record,
    write,
)
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.plan.planner import make_plan
from wizard.report.bundle import (
    preview_lines,
    report_files_of,
    report_form,
    require_new,
    write_folder,
)
from wizard.report.explanations import approaches, list_form, list_lines, topic_form, topic_lines
from wizard.report.issue import report_text
from wizard.report.machine import recorded_lines
from wizard.report.plan import cost_lines
from wizard.report.private import Redaction
from wizard.report.recommendation import recommendation_lines
from wizard.report.sources import Gathered, collect_env, environment_for, gather
from wizard.root.session import STATE
from wizard.run.at_work import at_work
from wizard.run.runs import restart_words
from wizard.services.command_line import acts, host_of
from wizard.services.plan_request import app_words, folder_of, with_sources

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
TOUCHES = (
    "Running PyTorch's collect_env, which loads torch and reads the card's name. It will be "
    "stopped if it takes longer than 90 s."
)


def print_overview(arguments: argparse.Namespace, applications: Sequence[str] = ()) -> int:
    """Print a page for terminals that show no screens, for pipes and for screen readers.

    ``applications``: what is to run; without any, what was found here.
    """
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
    findings = diagnose(machine).findings
    told = verdict(machine, findings, f"`{DIAGNOSE}`")
    yield from wrapped(told.text)
    yield from wrapped(told.second)
    counting = [each for each in findings if each.counts and not plan_joins(each)]
    if any(shown(each.title).rstrip(".") not in told.text for each in counting):
        yield from _attention(counting)


def _attention(findings: Sequence[Finding]) -> Iterator[str]:
    yield from ("", "== Needs attention")
    for each in findings[:MOST_FINDINGS]:
        text = f"{each.status.word}: {shown(each.title)}"
        yield from wrapped(text, indent="  ")
    if (left := len(findings) - MOST_FINDINGS) > 0:
        yield f"And {left} more: {DIAGNOSE}"


def _recommended(
    arguments: argparse.Namespace, host: Host, machine: Machine, applications: Sequence[str]
) -> Iterator[str]:
    """What to take here, what it costs, and the commands that show it and do it."""
    found = recommend(machine, applications or None)
    yield "== Recommended"
    yield from recommendation_lines(found)
    folder = folder_of(arguments, found.stack, host.home)
    choice = Choice(found.stack, "venv", folder, found.applications)
    choice = with_sources(choice, arguments)
    try:
        plan = make_plan(machine, choice, places_of(host))
    except PlanImpossible as error:
        yield from wrapped(f"No plan is possible here: {error}")
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
    found = at_work(state or STATE)
    if found is None:
        return ()
    return ("", f"{clean(found.text)}: watch it with `rdna1-setup watch`", "")


def restart_lines(arguments: argparse.Namespace) -> tuple[str, ...]:
    """That a restart waits, or that it has happened and what comes next; nothing for neither."""
    words = restart_words(places_of(host_of(arguments)))
    return ("", *wrapped(words)) if words else ()


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


def run_report(arguments: argparse.Namespace) -> int:
    """Print or write the report, or record the machine; nothing leaves this machine by itself."""
    if arguments.record:
        return record(arguments)
    if arguments.folder:
        return write_report(arguments)
    if arguments.zip or arguments.collect_env is not None:
        return refuse("--zip and --collect-env only work with --folder DIR")
    host = host_of(arguments)
    gathered = gather(host, places_of(host))
    redaction = Redaction(gathered.identity)
    if arguments.format == "json":
        print_json(report_form(gathered, redaction))
    else:
        print(report_text(gathered, redaction), end="")
    return 0


def record(arguments: argparse.Namespace) -> int:
    """Record this machine; gives 1 when the record does not tell the same facts."""
    folder = Path(arguments.record)
    try:
        check_place(folder)
    except PlaceTaken as error:
        return refuse(str(error))
    made = make_record(host_of(arguments), folder.resolve().name)
    print(
        "The recording contains only what rdna1-setup uses for detection. Names and the path of "
        "your home folder are replaced with placeholders. The files are:"
    )
    for name, content in sorted(made.record.files.items()):
        print(clean(f"  {name}{'' if content else '  (empty)'}"))
    if made.left_out:
        print(
            "These files were left out, because they are not on the list of what may be recorded:"
        )
        for path in sorted(made.left_out):
            print(clean(f"  {path}"))
    if arguments.dry_run:
        print("\nA dry run writes nothing. The recording would contain:")
        return 0
    write(made.record, folder)
    differing = differences(made.machine, folder, made.disguise)
    print(f"\nWritten to {folder}. Read it before you share it.")
    print(f"To view it: rdna1-setup detect --machine {folder}")
    if differing:
        print(f"The record differs from this machine in these details: {', '.join(differing)}.")
    return 1 if differing else 0


def write_report(arguments: argparse.Namespace) -> int:
    """Show what would leave this machine, ask, write it; 1 when it was not written."""
    folder = Path(arguments.folder).expanduser().absolute()
    require_new(folder, zipped=arguments.zip)
    host = host_of(arguments)
    gathered = gather(host, places_of(host))
    report_files = report_files_of(gathered, _collected(arguments, host, gathered))
    also = ", and to one .zip file of the same name" if arguments.zip else ""
    print(f"These files would be written to {clean(str(folder))}{also}, for you to attach:\n")
    print("\n".join(preview_lines(report_files)))
    if arguments.dry_run:
        print("\nA dry run writes nothing. The report would contain:")
        return 0
    if not arguments.yes and not agreed("\nWrite it?"):
        not_agreed("Nothing was written")
        return 1
    written = write_folder(report_files, folder, zipped=arguments.zip)
    print(
        f"\nThe report was written to {' and '.join(map(str, written))}. Read it before you "
        "attach it."
    )
    return 0


def _collected(arguments: argparse.Namespace, host: Host, gathered: Gathered) -> Fact[str] | None:
    """What PyTorch's collect_env says, where that was asked for."""
    if arguments.collect_env is None:
        return None
    if host.name or arguments.dry_run:
        return Unknown("a machine recording and a dry run start nothing")
    print(TOUCHES, file=sys.stderr)
    environment = environment_for(arguments.collect_env, gathered.machine, gathered.records)
    return collect_env(environment, host.environ)


def run_about(arguments: argparse.Namespace) -> int:
    """Print the topic, or the list; 2 for a topic that there is not."""
    topics = (*load_explanations(), approaches())
    if arguments.topic is None:
        form, lines = list_form(topics), list_lines(topics)
    else:
        topic = next((each for each in topics if each.id == arguments.topic.lower()), None)
        if topic is None:
            known = ", ".join(each.id for each in topics)
            return refuse(f"there is no topic {arguments.topic!r}. The topics are: {known}.")
        form, lines = topic_form(topic), topic_lines(topic)
    if arguments.json:
        print_json(form)
    else:
        print(*lines, sep="\n")
    return 0
