"""``conv2d``: shapes measured one by one, each with a deadline; limits, settings, workarounds."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wizard.advice.leftovers import torches_there
from wizard.cli.console import print_json, refuse
from wizard.cli.conv2d_files import after_lines, answered, before_this
from wizard.cli.conv2d_request import asked_for
from wizard.cli.conv2d_runs import (
    CANCELLED,
    STOPPED,
    budget_lines,
    follow,
    is_about_runs,
    is_under_way,
    measure_apart,
    obstacle_to,
    refusal,
    run_about,
)
from wizard.conv2d.caution import USUAL, Circumstances, circumstances_of
from wizard.conv2d.layers import WrongList
from wizard.conv2d.models import model_form, model_verdicts
from wizard.conv2d.repro import NoRepro
from wizard.conv2d.requests import (
    Request,
    WrongRequest,
    events_of,
    journal_of,
    sweep_in,
    with_hangs,
)
from wizard.conv2d.runs.folders import continued_lines
from wizard.conv2d.runs.runner import asking
from wizard.conv2d.search.compare_settings import CompareRequest, rivals
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest, tried
from wizard.conv2d.sweep import SweepDone, setting_text, without_leftovers
from wizard.conv2d.verdicts import RIGHT, Verdict, result_json
from wizard.conv2d.worker.process import worker_argv
from wizard.core.amounts import counted
from wizard.core.json_form import to_json
from wizard.core.own_files import Places
from wizard.host.host import places_of
from wizard.machine.detect import detect
from wizard.report.conv2d import request_lines
from wizard.report.conv2d_answers import keep_command, outcome_lines, trouble_lines
from wizard.run.runs import records_of
from wizard.services.command_line import acts, host_of


def run_conv2d(arguments: argparse.Namespace) -> int:
    """Measure; 0 when all is right, 1 when a shape is not, 2 when it cannot be measured."""
    if is_about_runs(arguments):
        ended = run_about(arguments)
        return ended if isinstance(ended, int) else report(*ended, as_json=arguments.json)
    host = host_of(arguments)
    arguments.python = from_here(arguments.python or newest_python(arguments))
    try:
        if (code := answered(arguments)) is not None:
            return code
        # What a hang would disturb, and how many are allowed. On the processor there is no
        # danger, but a search needs a number there too.
        around = circumstances_of(host) if arguments.device == "cuda" else None
        hangs = around.hangs if arguments.hangs is None and around else arguments.hangs
        arguments.hangs = USUAL if hangs is None else hangs
        request, cautions = asked_for(arguments)
    except (WrongList, WrongRequest, NoRepro) as error:
        return refuse(str(error))
    if not acts(arguments):
        show(request, arguments)
        if around is not None and hangs is not None:
            print("", *budget_lines(request, around, hangs), sep="\n", file=sys.stderr)
        return 0
    for text in (*cautions, *(() if arguments.clean else shell_caution(os.environ))):
        print(text, end="\n\n", file=sys.stderr)
    request = with_hangs(request, hangs)
    before = before_this(arguments)
    done = _measure(request, around, hangs, arguments, places_of(host))
    if isinstance(done, int):
        return done
    code = report(done, request, as_json=arguments.json)
    if not arguments.json:
        for line in after_lines(arguments, done.results, before):
            print(line)
    return code


def _measure(
    request: Request,
    around: Circumstances | None,
    hangs: int | None,
    arguments: argparse.Namespace,
    places: Places,
) -> SweepDone | int:
    """Ask where a card may hang, then measure; what came of it, or an exit code."""
    if (busy := obstacle_to(request, places)) is not None:
        return SweepDone((), busy, 0.0)
    if around is not None and hangs is not None and not is_under_way(request, places):
        code = refusal(arguments, request, around, hangs)
        if code is not None:
            return code
    resume = arguments.resume is not False
    if resume:
        asked = bool(arguments.resume)
        for line in continued_lines(request, places, os.environ, asked=asked):
            print(line, file=sys.stderr)
    if not arguments.foreground:
        return measure_apart(request, places, resume=resume)
    where: dict[str, Any] = {"journal": journal_of(request, os.environ), "resume": resume}
    where |= asking(request, os.environ)
    done = asyncio.run(follow(events_of(request, **where)))
    if done is None:  # stopped by a signal
        print(STOPPED, file=sys.stderr)
        return CANCELLED
    return done


def from_here(python: str | None) -> str | None:
    """A path that means the same in every folder; a bare name is looked up, as ever."""
    return os.path.join(os.getcwd(), python) if python and "/" in python else python  # noqa: PTH109, PTH118 - pathlib would take `..` away, which links give a meaning


def newest_python(arguments: argparse.Namespace) -> str | None:
    """The Python of the newest venv that this program made and that still stands.

    On a recorded machine, where nothing is measured, the first that has a torch there.
    """
    host = host_of(arguments)
    if arguments.machine:
        found = torches_there(detect(host))
        return found[0].python if found else "python3"
    for record in records_of(host):
        python = Path(str(record.plan["venv"])) / "bin" / "python"
        if record.plan["venv"] and python.exists():
            return str(python)
    return None


def shell_caution(environ: Mapping[str, str]) -> tuple[str, ...]:
    """What the shell sets for ROCm and is measured along with the rest."""
    there = without_leftovers(environ)[1]
    if not there:
        return ()
    return (
        f"Your shell sets {', '.join(there)}. Add --clean to measure without your shell's "
        "settings.",
    )


def show(request: Request, arguments: argparse.Namespace) -> None:
    """What would be measured and started, for a dry run."""
    sweep = sweep_in(request)
    command = shlex.join(worker_argv(sweep.python, "measure", sweep.device, sweep.spawn))
    tried = list(tried_lines(request))
    if arguments.json:
        shapes = [row.label for row in sweep.rows]
        form = {"dry_run": True, "command": command, "shapes": shapes}
        print_json({**form, **({"tried": tried} if tried else {})})
        return
    if isinstance(request, LimitRequest):
        print(
            f"Nothing is started. This would search for the largest {request.axis} from "
            f"{request.smallest} to {request.largest} that passes, allowing at most "
            f"{counted(request.hangs, 'hang')}, starting with a shape like this:\n"
        )
        print(*request_lines((request.row_at(request.smallest),)), sep="\n")
    else:
        rows = request.rows if isinstance(request, WorkaroundRequest) else sweep.rows
        print("Nothing is started. The following would be measured:\n")
        print(*request_lines(rows), sep="\n")
    if tried:
        print("", *tried, sep="\n")
    print(f"\nThis command would run, and a second one that computes the reference:\n\n  {command}")


def tried_lines(asked: Request) -> Iterator[str]:
    """What would be tried, for a dry run; nothing for what is not about settings."""
    if isinstance(asked, CompareRequest):
        hangs = counted(asked.hangs, "hang")
        yield f"Each shape would be measured in these ways, with at most {hangs} in all:"
        for rival in rivals(asked.sweep.device):
            text = rival.engine if rival.engine != "configured" else setting_text(rival.setting)
            yield f"  {rival.name}: {text}"
    if not isinstance(asked, SettingRequest):
        return
    hangs = counted(asked.hangs, "hang")
    yield f"With at most {hangs}, the shape is tried unchanged, then without MIOpen, then"
    yield f"with sets of up to {asked.largest} of these variables, those in MIOpen's log first:"
    for change in asked.changes:
        yield f"  {setting_text((change,))}"
    yield "and each of these separately:"
    for change in asked.alone:
        yield f"  {setting_text((change,))}"
    if asked.sweep.device == "cuda":
        yield "Before the first launch, MIOpen is asked which solvers each setting leaves."
        yield "A setting is skipped if it leaves the same solvers as a setting that failed."
    yield f"A setting that passes is measured {asked.repeats} more times, each time from scratch."


def report(done: SweepDone, request: Request, *, as_json: bool) -> int:
    """Print what came out and give the exit code."""
    if as_json:
        print_json(document_of(done, request))
    else:
        for line in outcome_lines(done, request):
            print(line)
    if done.trouble is not None:
        print(*trouble_lines(done.trouble), sep="\n", file=sys.stderr)
    if isinstance(request, WorkaroundRequest):
        if not done.results:
            return 2
        passes = any(each.passes for each in tried(request, done.results))
        return 0 if passes or done.results[0].verdict in RIGHT else 1
    if done.trouble is not None:
        return 1 if done.results else 2
    if isinstance(request, SettingRequest | CompareRequest):
        return setting_code(done)
    return 0 if all(result.verdict.value == "pass" for result in done.results) else 1


def setting_code(done: SweepDone) -> int:
    """0 for a setting that passes again and again, or a comparison in which nothing went wrong."""
    if done.setting is not None:
        found = done.setting.changes is not None and not done.setting.stopped
        return 0 if found and done.setting.passes == done.setting.repeats > 0 else 1
    bad = (Verdict.HUNG, Verdict.CRASHED, Verdict.WRONG)
    return 1 if any(result.verdict in bad for result in done.results) else 0


def document_of(done: SweepDone, request: Request) -> dict[str, Any]:
    """What ``--json`` prints."""
    document: dict[str, Any] = {"schema": 1, "trouble": to_json(done.trouble)}
    if isinstance(request, WorkaroundRequest):
        return document | workarounds_form(request, done)
    sweep = sweep_in(request)
    document["results"] = [result_json(result) for result in done.results]
    document["models"] = [model_form(verdict) for verdict in model_verdicts(done.results)]
    document["clean"] = sweep.environment.clean
    if done.limit is not None:
        document["limit"] = to_json(done.limit)
    return document | answer_form(done, sweep.python)


def workarounds_form(request: WorkaroundRequest, done: SweepDone) -> dict[str, Any]:
    """What ``--json`` prints of it alone."""
    return {
        "result": result_json(done.results[0]) if done.results else None,
        "alternatives": [
            {
                "title": each.alternative.title,
                "calls": each.alternative.calls,
                "seconds": each.seconds,
                "changes_result": each.alternative.changes_result,
                "beside": each.alternative.beside,
                "result": None if each.result is None else result_json(each.result),
            }
            for each in tried(request, done.results)
        ],
    }


def answer_form(done: SweepDone, python: str) -> dict[str, Any]:
    """What the JSON document holds beside the results."""
    if done.setting is None:
        return {}
    form = to_json(done.setting)
    form["changes"] = None if done.setting.changes is None else dict(done.setting.changes)
    for form_of_one, each in zip(form["tried"], done.setting.tried, strict=True):
        form_of_one["changes"] = dict(each.changes)
    changes = done.setting.changes
    form["keep"] = keep_command(changes, python) if changes else ""
    return {"setting": form}
