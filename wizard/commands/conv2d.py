"""Measure Conv2d shape by shape on the card itself, each with a deadline."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

from wizard.commands import conv2d_files
from wizard.commands.looking import acts, host_of, places_of

if TYPE_CHECKING:
    from wizard.conv2d.find_limit import LimitRequest
    from wizard.conv2d.sweep import Sweep, SweepDone

AXES = ("size", "height", "width", "channels-in", "channels-out", "kernel", "batch")
WARNING = (
    "This runs convolutions on the GPU. One that hangs may freeze the desktop, and only a restart\n"
    "may help: save your work first. Each verdict is on disk before the next shape starts.\n"
    "Ctrl+C ends the sweep; --device cpu measures without this risk."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``conv2d``."""
    parser.add_argument("--json", action="store_true", help="results as JSON, progress on stderr")
    parser.add_argument(
        "--python",
        metavar="PY",
        help="the Python whose torch is measured (default: of the newest venv of ours)",
    )
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda", help="cuda is the GPU")
    parser.add_argument("--preset", metavar="ID", help="a table of shapes, for example notes002")
    parser.add_argument("--sizes", metavar="N,N", help="square images, for example 32,44,224")
    parser.add_argument("--channels", metavar="A-B,A-B", help="for example 16-32,64-128")
    parser.add_argument("--engine", choices=["configured", "native"], default="configured",
                        help="native: past MIOpen")  # fmt: skip
    parser.add_argument("--deadline", type=float, metavar="S", help="seconds for each shape")
    parser.add_argument("--import-deadline", type=float, metavar="S", help="for import torch")
    parser.add_argument("--spawn", action="store_true", help="a new interpreter for each shape")
    parser.add_argument("--find-limit", choices=AXES, metavar="AXIS",
                        help=f"find the largest that passes: {', '.join(AXES)}")  # fmt: skip
    parser.add_argument("--range", default="1-256", metavar="A-B", help="where that limit may be")
    parser.add_argument("--hangs", type=int, metavar="N", help="how often the card may hang for it")
    parser.add_argument("--resume", action=argparse.BooleanOptionalAction, default=True,
                        help="go on with an unfinished sweep of the same request")  # fmt: skip
    conv2d_files.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure; 0 when all is right, 1 when a shape is not, 2 when it cannot be measured."""
    from wizard.conv2d.request import WrongRequest, limit_of, sweep_of

    arguments.python = arguments.python or newest_python(arguments)
    if (code := conv2d_files.answered(arguments)) is not None:
        return code
    try:
        sweep, cautions = sweep_of(arguments)
        limit = limit_of(arguments, sweep)
    except WrongRequest as error:
        print(f"rdna1-setup: {error}", file=sys.stderr)
        return 2
    if not acts(arguments):
        show(sweep, limit, arguments)
        return 0
    for text in (*cautions, *([WARNING] if sweep.device == "cuda" else [])):
        print(text, end="\n\n", file=sys.stderr)
    before = conv2d_files.before_this(arguments)
    done = measure(sweep, limit, resume=arguments.resume)
    if done is None:
        print("Stopped. The same command goes on with the remaining shapes.", file=sys.stderr)
        return 130
    code = report(done, as_json=arguments.json)
    if not arguments.json:
        for line in conv2d_files.after_lines(arguments, done.results, before):
            print(line)
    return code


def newest_python(arguments: argparse.Namespace) -> str | None:
    """The Python of the newest venv that this program made and that still stands."""
    from pathlib import Path

    from wizard.run.journal import read_records

    if arguments.machine:
        return None
    for record in read_records(Path(places_of(host_of(arguments)).runs)):
        python = Path(str(record.plan["venv"])) / "bin" / "python"
        if record.plan["venv"] and python.exists():
            return str(python)
    return None


def show(sweep: Sweep, limit: LimitRequest | None, arguments: argparse.Namespace) -> None:
    """What would be measured and started, for a dry run."""
    from wizard.conv2d.channel import worker_argv
    from wizard.report.conv2d import request_lines

    command = shlex.join(worker_argv(sweep.python, "measure", sweep.device, sweep.spawn))
    if arguments.json:
        shapes = [row.shape.label for row in sweep.rows]
        print(json.dumps({"schema": 1, "dry_run": True, "command": command, "shapes": shapes}))
        return
    if limit is None:
        print("Nothing is started. These shapes would be measured:\n")
        print(*request_lines(sweep.rows), sep="\n")
    else:
        print(f"Nothing is started. {_search_line(limit)}\n")
        print(*request_lines((limit.row_at(limit.smallest),)), sep="\n")
    print(f"\nby this command, with a second one that computes the reference:\n\n  {command}")


def _search_line(limit: LimitRequest) -> str:
    return (
        f"The largest {limit.axis} from {limit.smallest} to {limit.largest} that passes would be "
        f"looked for, with at most {limit.hangs} hangs, beginning with a shape like:"
    )


def measure(sweep: Sweep, limit: LimitRequest | None, *, resume: bool) -> SweepDone | None:
    """Run it with its progress on stderr; None when it was stopped by a signal."""
    import asyncio

    from wizard.conv2d.client import run_sweep
    from wizard.conv2d.find_limit import find_limit
    from wizard.conv2d.plaintext import follow

    running = find_limit(limit, resume=resume) if limit else run_sweep(sweep, resume=resume)
    return asyncio.run(follow(running))


def report(done: SweepDone, *, as_json: bool) -> int:
    """Print what came out and give the exit code."""
    from wizard.conv2d.models import model_form, model_verdicts
    from wizard.conv2d.verdicts import Verdict, result_json
    from wizard.jsonform import to_json
    from wizard.report.conv2d import limit_lines, sweep_lines

    if as_json:
        document: dict[str, Any] = {"schema": 1}
        document["results"] = [result_json(result) for result in done.results]
        document["models"] = [model_form(verdict) for verdict in model_verdicts(done.results)]
        document["trouble"] = to_json(done.trouble)
        if done.limit is not None:
            document["limit"] = to_json(done.limit)
        print(json.dumps(document, indent=1, allow_nan=False))
    elif done.results:
        print(*sweep_lines(done.results), sep="\n")
    if done.limit is not None and not as_json:
        print("", *limit_lines(done.limit), sep="\n")
    if done.trouble is not None:
        for text in (done.trouble.happened, done.trouble.meaning, done.trouble.next_step):
            print(text, file=sys.stderr)
        return 1 if done.results else 2
    return 0 if all(result.verdict is Verdict.PASS for result in done.results) else 1
