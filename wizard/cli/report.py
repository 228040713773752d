"""``report`` and ``about``, and the page that stands in for the screens: texts to read."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wizard.advice.recommend import recommend
from wizard.cli.console import agreed
from wizard.core.lines import clean, shown
from wizard.core.trouble import Trouble
from wizard.diagnose.finding import Finding
from wizard.diagnose.machine import diagnose
from wizard.diagnose.outcomes import plan_joins, verdict
from wizard.host.host import Host
from wizard.jsonform import SCHEMA
from wizard.knowledge.explanations import load_explanations
from wizard.machine.detect import detect
from wizard.machine.facts import Fact, Machine, Unknown
from wizard.machine.recording.making import Made, make_record
from wizard.machine.recording.replay import differences
from wizard.machine.recording.write import PlaceTaken, check_place, write
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.plan.planner import make_plan
from wizard.report.bundle import (
    Papers,
    papers_of,
    preview_lines,
    report_form,
    require_new,
    write_folder,
)
from wizard.report.issue import report_text
from wizard.report.machine import WIDTH, recorded_lines
from wizard.report.plan import cost_lines
from wizard.report.private import Redaction
from wizard.report.recommendation import recommendation_lines
from wizard.report.sources import Gathered, collect_env, environment_for, gather
from wizard.report.stacks import approaches, list_form, list_lines, topic_form, topic_lines
from wizard.root.session import STATE
from wizard.run.restart import restart_words
from wizard.run.watching import at_work
from wizard.services.command_line import (
    acts,
    app_words,
    folder_of,
    host_of,
    places_of,
    with_sources,
)

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
    yield from textwrap.wrap(told.text, WIDTH)
    yield from textwrap.wrap(told.second, WIDTH)
    counting = [each for each in findings if each.counts and not plan_joins(each)]
    if any(shown(each.title).rstrip(".") not in told.text for each in counting):
        yield from _attention(counting)


def _attention(findings: Sequence[Finding]) -> Iterator[str]:
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
    found = at_work(state or STATE)
    if found is None:
        return ()
    return ("", f"{clean(found.text)}: watch it with `rdna1-setup watch`", "")


def restart_lines(arguments: argparse.Namespace) -> tuple[str, ...]:
    """That a restart waits, or that it has happened and what comes next; nothing for neither."""
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


def run_report(arguments: argparse.Namespace) -> int:
    """Print or write the report, or record the machine; nothing leaves this machine by itself."""
    if arguments.record:
        return record(arguments)
    if arguments.folder:
        return write_report(arguments)
    if arguments.zip or arguments.collect_env is not None:
        print("rdna1-setup: --zip and --collect-env only work with --folder DIR", file=sys.stderr)
        return 2
    host = host_of(arguments)
    print(_text(gather(host, places_of(host)), arguments.format), end="")
    return 0


def _text(gathered: Gathered, form: str) -> str:
    redaction = Redaction(gathered.identity)
    if form == "json":
        return json.dumps(report_form(gathered, redaction), indent=1) + "\n"
    return report_text(gathered, redaction)


def record(arguments: argparse.Namespace) -> int:
    """Record this machine; gives 1 when the record does not tell the same facts."""
    folder = Path(arguments.record)
    try:
        check_place(folder)
    except PlaceTaken as error:
        print(f"rdna1-setup: {error}", file=sys.stderr)
        return 2
    made = make_record(host_of(arguments), folder.resolve().name)
    print("\n".join(clean(line) for line in _shown(made)))
    if arguments.dry_run:
        print("\nA dry run writes nothing. The recording would contain:")
        return 0
    write(made.record, folder)
    return _tell_record(made, folder)


def _shown(made: Made) -> Iterator[str]:
    yield (
        "The recording contains only what rdna1-setup uses for detection. Names and the path of "
        "your home folder are replaced with placeholders. The files are:"
    )
    for name, content in sorted(made.record.files.items()):
        yield f"  {name}{'' if content else '  (empty)'}"
    if made.left_out:
        yield "These files were left out, because they are not on the list of what may be recorded:"
        yield from (f"  {path}" for path in sorted(made.left_out))


def _tell_record(made: Made, folder: Path) -> int:
    """Look at the record, and say how far it tells the same."""
    differing = differences(made.machine, folder, made.disguise)
    print(f"\nWritten to {folder}. Read it before you share it.")
    print(f"To view it: rdna1-setup detect --machine {folder}")
    if differing:
        print(f"The record differs from this machine in these details: {', '.join(differing)}.")
    return 1 if differing else 0


TOUCHES = (
    "Running PyTorch's collect_env, which loads torch and reads the card's name. It will be "
    "stopped if it takes longer than 90 "
    "s."
)
NO_YES = (
    "rdna1-setup: nothing was written, because there is no terminal in which to prompt you. Read "
    "the text above, then run the command again with "
    "--yes."
)


def write_report(arguments: argparse.Namespace) -> int:
    """Show the preview, ask, write; 1 when it was not written, 2 when it cannot be."""
    folder = Path(arguments.folder).expanduser().absolute()
    try:
        require_new(folder, zipped=arguments.zip)
        papers = _papers(arguments)
        _show(papers, folder, arguments.zip)
        if arguments.dry_run:
            print("\nA dry run writes nothing. The report would contain:")
            return 0
        if not arguments.yes and not agreed("\nWrite it?"):
            print(NO_YES if not sys.stdin.isatty() else "Nothing was written.", file=sys.stderr)
            return 1
        written = write_folder(papers, folder, zipped=arguments.zip)
    except Trouble as trouble:
        for text in (trouble.happened, trouble.meaning, trouble.next_step):
            print(f"rdna1-setup: {text}", file=sys.stderr)
        return 2
    print(
        f"\nThe report was written to {' and '.join(map(str, written))}. Read it before you "
        "attach it."
    )
    return 0


def _papers(arguments: argparse.Namespace) -> Papers:
    host = host_of(arguments)
    gathered = gather(host, places_of(host))
    return papers_of(gathered, _collected(arguments, host, gathered))


def _collected(arguments: argparse.Namespace, host: Host, gathered: Gathered) -> Fact[str] | None:
    if arguments.collect_env is None:
        return None
    if host.name or arguments.dry_run:
        return Unknown("a machine recording and a dry run start nothing")
    print(TOUCHES, file=sys.stderr)
    environment = environment_for(arguments.collect_env, gathered.machine, gathered.records)
    return collect_env(environment, host.environ)


def _show(papers: Papers, folder: Path, zipped: bool) -> None:
    also = ", and to one .zip file of the same name" if zipped else ""
    print(f"These files would be written to {clean(str(folder))}{also}, for you to attach:\n")
    print("\n".join(preview_lines(papers)))


def run_about(arguments: argparse.Namespace) -> int:
    """Print the topic, or the list; 2 for a topic that there is not."""
    topics = (*load_explanations(), approaches())
    if arguments.topic is None:
        _print(arguments, list_form(topics), list_lines(topics))
        return 0
    topic = next((each for each in topics if each.id == arguments.topic.lower()), None)
    if topic is None:
        known = ", ".join(each.id for each in topics)
        print(
            f"rdna1-setup: there is no topic {arguments.topic!r}. The topics are: {known}.",
            file=sys.stderr,
        )
        return 2
    _print(arguments, topic_form(topic), topic_lines(topic))
    return 0


def _print(arguments: argparse.Namespace, form: dict[str, Any], lines: Iterable[str]) -> None:
    if not arguments.json:
        print(*lines, sep="\n")
        return
    print(json.dumps({"schema": SCHEMA, **form}, indent=1))
