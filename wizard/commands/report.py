"""Print a report for an issue: verdicts, machine and runs, with user and home left out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wizard.commands.looking import host_of, places_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wizard.machine.facts import Machine
    from wizard.report.last_sweep import LastSweep
    from wizard.run.journal import Record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``report``."""
    parser.add_argument("--format", choices=("md", "json"), default="md")
    parser.add_argument("--record", metavar="DIR", help="record this machine in a new folder")


def run(arguments: argparse.Namespace) -> int:
    """Print the report, or record the machine; nothing leaves this machine by itself."""
    if arguments.record:
        from wizard.commands import recording

        return recording.run(arguments)
    import json
    from itertools import islice
    from pathlib import Path

    from wizard import __version__
    from wizard.jsonform import SCHEMA, to_json
    from wizard.machine.detect import detect
    from wizard.report.last_sweep import sweep_form, sweeps
    from wizard.report.private import redacted, redacted_form, without_name
    from wizard.run.journal import read_records

    host = host_of(arguments)
    machine, places = detect(host), places_of(host)
    access, shown = machine.access, without_name(machine)
    recorded = bool(shown.recorded)
    records = () if recorded else read_records(Path(places.runs))
    latest = [] if recorded else list(islice(sweeps(Path(places.conv2d)), 2))
    sweep, before = (*latest, None, None)[:2]
    if arguments.format == "json":
        runs = [f"{r.id} {r.plan['stack']} {r.plan['venv']} {r.state}" for r in records]
        form = {"schema": SCHEMA, "version": __version__, "conv2d": sweep_form(sweep)}
        form |= {"machine": to_json(shown), "runs": runs}
        print(json.dumps(redacted_form(form, access), indent=1))
        return 0
    text = [f"# rdna1-setup {__version__}"]
    for title, lines in _parts(shown, sweep, before, records).items():
        text += ["", f"## {title}", "", "```", *lines, "```"]
    print(redacted("\n".join(text), access))
    return 0


def _parts(
    machine: Machine,
    sweep: LastSweep | None,
    before: LastSweep | None,
    records: Sequence[Record],
) -> dict[str, Iterable[str]]:
    """The sections of the report, most important first."""
    import textwrap

    from wizard.plan.advice import advise
    from wizard.report.issue import machine_section, run_section, sweep_section

    return {
        "Conv2d": sweep_section(sweep, before),
        "Machine": machine_section(machine),
        "Runs": run_section(records),
        "Suggested": textwrap.wrap(advise(machine, ()).headline, 79),
    }
