"""Say what is wrong with this machine's ROCm and PyTorch, what proves it, and what mends it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wizard.commands.looking import host_of

if TYPE_CHECKING:
    from wizard.diagnose.finding import Finding
    from wizard.machine.host import Host


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``diagnose``."""
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print every check; 1 when one found something, else 0."""
    from wizard.diagnose.finding import exit_code
    from wizard.diagnose.machine import diagnose
    from wizard.machine.detect import detect

    host = host_of(arguments)
    machine = detect(host)
    diagnosis = diagnose(machine, _kernel_log(host))
    if arguments.json:
        import json

        from wizard.diagnose.finding import to_form
        from wizard.jsonform import SCHEMA

        findings = [to_form(finding) for finding in diagnosis.findings]
        form = {"schema": SCHEMA, "machine": machine.recorded, "rdna1": diagnosis.rdna1}
        print(json.dumps({**form, "findings": findings}, indent=1))
    else:
        from wizard.report.findings import diagnosis_lines

        print("\n".join(diagnosis_lines(machine, diagnosis)))
    return exit_code(diagnosis.findings)


def _kernel_log(host: Host) -> tuple[Finding, ...]:
    """What the kernel log of this very machine tells; a recorded one has none."""
    if host.name:
        return ()
    from wizard.diagnose.kernel import kernel_findings

    return kernel_findings()
