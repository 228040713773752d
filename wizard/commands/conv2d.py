"""Measure Conv2d on your card, shape by shape, each with a deadline."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

from wizard.commands import conv2d_files
from wizard.commands import conv2d_settings as settings
from wizard.commands import conv2d_workarounds as workarounds
from wizard.commands.carrying import refuse
from wizard.commands.conv2d_asking import budget_lines, refusal
from wizard.commands.conv2d_options import add_arguments as add_arguments
from wizard.commands.conv2d_runs import (
    CANCELLED,
    STOPPED,
    is_about_runs,
    is_under_way,
    measure_apart,
    obstacle_to,
    run_about,
)
from wizard.commands.looking import acts, host_of, places_of
from wizard.core.amounts import counted
from wizard.core.own_files import Places

if TYPE_CHECKING:
    from wizard.conv2d.caution import Circumstances
    from wizard.conv2d.requests import Request
    from wizard.conv2d.search.find_limit import LimitRequest
    from wizard.conv2d.sweep import SweepDone
    from wizard.host.host import Host


def run(arguments: argparse.Namespace) -> int:
    """Measure; 0 when all is right, 1 when a shape is not, 2 when it cannot be measured."""
    if is_about_runs(arguments):
        return _end(run_about(arguments), arguments)
    from wizard.conv2d.requests import WrongRequest, with_hangs

    host = host_of(arguments)
    arguments.python = from_here(arguments.python or newest_python(arguments))
    if (code := conv2d_files.answered(arguments)) is not None:
        return code
    around, hangs = _caution(arguments, host)
    try:
        request, cautions = asked_for(arguments)
    except WrongRequest as error:
        return refuse(str(error))
    if not acts(arguments):
        show(request, arguments)
        if around is not None and hangs is not None:
            print("", *budget_lines(request, around, hangs), sep="\n", file=sys.stderr)
        return 0
    shell = () if arguments.clean else settings.shell_caution(os.environ)
    for text in (*cautions, *shell):
        print(text, end="\n\n", file=sys.stderr)
    request = with_hangs(request, hangs)
    before = conv2d_files.before_this(arguments)
    done = _measure(request, around, hangs, arguments, places_of(host))
    if isinstance(done, int):
        return done
    code = report(done, request, as_json=arguments.json)
    if not arguments.json:
        for line in conv2d_files.after_lines(arguments, done.results, before):
            print(line)
    return code


def asked_for(arguments: argparse.Namespace) -> tuple[Request, tuple[str, ...]]:
    """What the command line asks for, and what to beware of in what was published of it.

    Raises WrongRequest.
    """
    from wizard.conv2d.requests import limit_of, sweep_of

    sweep, cautions = sweep_of(arguments)
    request = (
        workarounds.asked_for(arguments, sweep)
        or settings.asked_for(arguments, sweep)
        or limit_of(arguments, sweep)
        or sweep
    )
    return request, cautions


def _caution(arguments: argparse.Namespace, host: Host) -> tuple[Circumstances | None, int | None]:
    """What a hang would disturb, and how many are allowed; neither on the processor.

    A search needs a number on the processor too.
    """
    from wizard.conv2d.caution import USUAL, circumstances_of

    given = arguments.hangs
    around = circumstances_of(host) if arguments.device == "cuda" else None
    allowed = given if given is not None or around is None else around.hangs
    arguments.hangs = USUAL if allowed is None else allowed
    return around, allowed


def _measure(
    request: Request,
    around: Circumstances | None,
    hangs: int | None,
    arguments: argparse.Namespace,
    places: Places,
) -> SweepDone | int:
    """Ask where a card may hang, then measure; what came of it, or an exit code."""
    from wizard.conv2d.sweep import SweepDone

    if (busy := obstacle_to(request, places)) is not None:
        return SweepDone((), busy, 0.0)
    asks = around is not None and not is_under_way(request, places)
    if asks and around is not None and hangs is not None:
        code = refusal(arguments, request, around, hangs)
        if code is not None:
            return code
    resume = arguments.resume is not False
    if resume:
        _say_if_not_continued(request, places, asked=bool(arguments.resume))
    if not arguments.foreground:
        return measure_apart(request, places, resume=resume)
    done = measure(request, resume=resume)
    if done is None:
        print(STOPPED, file=sys.stderr)
        return CANCELLED
    return done


def _say_if_not_continued(request: Request, places: Places, *, asked: bool) -> None:
    from wizard.conv2d.runs.folders import continued_lines
    from wizard.report.machine import WIDTH

    for line in continued_lines(request, places, os.environ, asked=asked, width=WIDTH):
        print(line, file=sys.stderr)


def _end(ended: tuple[SweepDone, Request] | int, arguments: argparse.Namespace) -> int:
    return ended if isinstance(ended, int) else report(*ended, as_json=arguments.json)


def from_here(python: str | None) -> str | None:
    """A path that means the same in every folder; a bare name is looked up, as ever."""
    return os.path.join(os.getcwd(), python) if python and "/" in python else python  # noqa: PTH109, PTH118 - pathlib would take `..` away, which links give a meaning


def newest_python(arguments: argparse.Namespace) -> str | None:
    """The Python of the newest venv that this program made and that still stands.

    On a recorded machine, where nothing is measured, the first that has a torch there.
    """
    from pathlib import Path

    from wizard.run.runs import read_records

    host = host_of(arguments)
    if arguments.machine:
        from wizard.advice.leftovers import torches_there
        from wizard.machine.detect import detect

        found = torches_there(detect(host))
        return found[0].python if found else "python3"
    for record in read_records(Path(places_of(host).runs)):
        python = Path(str(record.plan["venv"])) / "bin" / "python"
        if record.plan["venv"] and python.exists():
            return str(python)
    return None


def show(request: Request, arguments: argparse.Namespace) -> None:
    """What would be measured and started, for a dry run."""
    from wizard.conv2d.requests import sweep_in
    from wizard.conv2d.search.find_limit import LimitRequest
    from wizard.conv2d.search.workarounds import WorkaroundRequest
    from wizard.conv2d.worker.process import worker_argv
    from wizard.report.conv2d import request_lines

    sweep = sweep_in(request)
    command = shlex.join(worker_argv(sweep.python, "measure", sweep.device, sweep.spawn))
    tried = list(settings.plan_lines(request))
    if arguments.json:
        shapes = [row.label for row in sweep.rows]
        form = {"schema": 1, "dry_run": True, "command": command, "shapes": shapes}
        print(json.dumps({**form, **({"tried": tried} if tried else {})}))
        return
    if isinstance(request, LimitRequest):
        print(f"Nothing is started. {_search_line(request)}\n")
        print(*request_lines((request.row_at(request.smallest),)), sep="\n")
    else:
        rows = request.rows if isinstance(request, WorkaroundRequest) else sweep.rows
        print("Nothing is started. The following would be measured:\n")
        print(*request_lines(rows), sep="\n")
    if tried:
        print("", *tried, sep="\n")
    print(f"\nThis command would run, and a second one that computes the reference:\n\n  {command}")


def _search_line(limit: LimitRequest) -> str:
    return (
        f"This would search for the largest {limit.axis} from {limit.smallest} to {limit.largest} "
        f"that passes, allowing at most {counted(limit.hangs, 'hang')}, starting with a shape like "
        "this:"
    )


def measure(request: Request, *, resume: bool) -> SweepDone | None:
    """Run it here with its progress on stderr; None when it was stopped by a signal."""
    import asyncio

    from wizard.conv2d.requests import events_of, journal_of
    from wizard.conv2d.runs.runner import asking
    from wizard.conv2d.text import follow

    where: dict[str, Any] = {"journal": journal_of(request, os.environ), "resume": resume}
    where |= asking(request, os.environ)
    return asyncio.run(follow(events_of(request, **where)))


def report(done: SweepDone, request: Request, *, as_json: bool) -> int:
    """Print what came out and give the exit code."""
    from wizard.report.conv2d_answers import outcome_lines, trouble_lines

    if as_json:
        print(json.dumps(document_of(done, request), indent=1, allow_nan=False))
    else:
        for line in outcome_lines(done, request):
            print(line)
    if done.trouble is not None:
        print(*trouble_lines(done.trouble), sep="\n", file=sys.stderr)
    return _exit_code(done, request)


def _exit_code(done: SweepDone, request: Request) -> int:
    from wizard.conv2d.search.workarounds import WorkaroundRequest

    if isinstance(request, WorkaroundRequest):
        return workarounds.exit_code(request, done)
    if done.trouble is not None:
        return 1 if done.results else 2
    if settings.is_about_settings(request):
        return settings.exit_code(done)
    return 0 if all(result.verdict.value == "pass" for result in done.results) else 1


def document_of(done: SweepDone, request: Request) -> dict[str, Any]:
    """What ``--json`` prints."""
    from wizard.conv2d.models import model_form, model_verdicts
    from wizard.conv2d.requests import sweep_in
    from wizard.conv2d.search.workarounds import WorkaroundRequest
    from wizard.conv2d.verdicts import result_json
    from wizard.core.json_form import to_json

    document: dict[str, Any] = {"schema": 1, "trouble": to_json(done.trouble)}
    if isinstance(request, WorkaroundRequest):
        return document | workarounds.form(request, done)
    sweep = sweep_in(request)
    document["results"] = [result_json(result) for result in done.results]
    document["models"] = [model_form(verdict) for verdict in model_verdicts(done.results)]
    document["clean"] = sweep.surroundings.clean
    if done.limit is not None:
        document["limit"] = to_json(done.limit)
    return document | settings.answer_form(done, sweep.python)
