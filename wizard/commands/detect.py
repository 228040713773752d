"""Show what this machine is: cards, access, Pythons, torch, ROCm, settings."""

from __future__ import annotations

import argparse

from wizard.commands.looking import host_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``detect``."""
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print the facts; 0 also when there is no card, since that is an answer."""
    from wizard.machine.detect import detect

    machine = detect(host_of(arguments))
    if arguments.json:
        import json

        from wizard.jsonform import SCHEMA, to_json

        print(json.dumps({"schema": SCHEMA, **to_json(machine)}, indent=1))
        return 0
    from wizard.report.machine import machine_lines

    print("\n".join(machine_lines(machine)))
    return 0
