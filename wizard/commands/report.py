"""Make a report for an issue (findings, verdicts, machine, runs) without personal data."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wizard.commands.looking import host_of, places_of

if TYPE_CHECKING:
    from wizard.report.sources import Gathered


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``report``."""
    parser.add_argument("--format", choices=("md", "json"), default="md")
    parser.add_argument(
        "--json",
        dest="format",
        action="store_const",
        const="json",
        help="same as --format json",
    )
    parser.add_argument("--record", metavar="DIR", help="record this machine in a new folder")
    parser.add_argument("--folder", metavar="DIR", help="write the whole report into a new folder")
    parser.add_argument("--zip", action="store_true", help="with --folder: also write DIR.zip")
    parser.add_argument(
        "--collect-env",
        nargs="?",
        const="",
        metavar="ENV",
        help="with --folder: also run PyTorch's collect_env, which may use the card",
    )
    parser.add_argument("--yes", action="store_true", help="write the folder without asking")


def run(arguments: argparse.Namespace) -> int:
    """Print or write the report, or record the machine; nothing leaves this machine by itself."""
    if arguments.record:
        from wizard.commands import recording

        return recording.run(arguments)
    if arguments.folder:
        from wizard.commands import report_folder

        return report_folder.run(arguments)
    if arguments.zip or arguments.collect_env is not None:
        import sys

        print("rdna1-setup: --zip and --collect-env only work with --folder DIR", file=sys.stderr)
        return 2
    host = host_of(arguments)
    from wizard.report.sources import gather

    print(_text(gather(host, places_of(host)), arguments.format), end="")
    return 0


def _text(gathered: Gathered, form: str) -> str:
    from wizard.report.private import Redaction

    redaction = Redaction(gathered.identity)
    if form == "json":
        import json

        from wizard.report.bundle import report_form

        return json.dumps(report_form(gathered, redaction), indent=1) + "\n"
    from wizard.report.issue import report_text

    return report_text(gathered, redaction)
