"""Say what is wrong with this machine's ROCm and PyTorch, what proves it, and what mends it."""

from __future__ import annotations

import argparse

from wizard.commands.looking import host_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``diagnose``."""
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print every check; 1 when one found something, else 0."""
    from wizard.diagnose.finding import exit_code
    from wizard.diagnose.looking import look_at
    from wizard.machine.detect import detect

    host = host_of(arguments)
    machine = detect(host)
    diagnosis = look_at(host, machine)
    if arguments.json:
        import json

        from wizard.diagnose.finding import to_form
        from wizard.diagnose.order import explained_by
        from wizard.jsonform import SCHEMA

        left_out = diagnosis.explained
        findings = [to_form(one, explained_by(one, left_out)) for one in diagnosis.findings]
        form = {"schema": SCHEMA, "machine": machine.recorded, "rdna1": diagnosis.rdna1}
        print(json.dumps({**form, "findings": findings}, indent=1))
    else:
        from wizard.report.findings import diagnosis_lines

        print("\n".join(diagnosis_lines(machine, diagnosis)))
    return exit_code(diagnosis.findings)
