"""Print a report for an issue: machine, advice and runs, with user and home left out."""

from __future__ import annotations

import argparse

from wizard.commands.looking import host_of, places_of


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
    from pathlib import Path

    from wizard import __version__
    from wizard.jsonform import SCHEMA, to_json
    from wizard.machine.detect import detect
    from wizard.plan.advice import advise
    from wizard.report import (
        advice_lines,
        machine_lines,
        redacted,
        redacted_form,
        without_name,
    )
    from wizard.run.journal import read_records

    host = host_of(arguments)
    machine = detect(host)
    access, shown = machine.access, without_name(machine)
    records = () if arguments.machine else read_records(Path(places_of(host).runs))
    runs = [f"{r.id} {r.plan['stack']} {r.plan['venv']} {r.state}" for r in records]
    if arguments.format == "json":
        form = {"schema": SCHEMA, "version": __version__, "machine": to_json(shown), "runs": runs}
        print(json.dumps(redacted_form(form, access), indent=1))
        return 0
    parts = {
        "Machine": machine_lines(shown),
        "Advice": advice_lines(advise(machine, ())),
        "Runs": runs or ["none"],
    }
    text = [f"# rdna1-setup {__version__}"]
    for title, lines in parts.items():
        text += ["", f"## {title}", "", "```", *lines, "```"]
    print(redacted("\n".join(text), access))
    return 0
