"""Say what is wrong with this machine's ROCm and PyTorch, what proves it, and what mends it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wizard.commands.choosing import add_wheel_arguments
from wizard.commands.looking import host_of

if TYPE_CHECKING:
    from wizard.diagnose.finding import Finding
    from wizard.machine.host import Host


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``diagnose``."""
    parser.add_argument(
        "--fix", metavar="CAUSE", help="carry out the plan that mends this finding, shown first"
    )
    parser.add_argument("--yes", action="store_true", help="the plan was read; do not ask")
    parser.add_argument(
        "--json", action="store_true", help="for programs; with --fix, events as JSON lines"
    )
    add_wheel_arguments(parser, "--fix: of several findings of that cause, the one in this folder")


def run(arguments: argparse.Namespace) -> int:
    """Print every check; 1 when one found something, else 0. With --fix, mend one finding."""
    from wizard.diagnose.finding import exit_code
    from wizard.diagnose.machine import diagnose
    from wizard.machine.detect import detect

    if arguments.fix:
        from wizard.commands.fixing import fix

        return fix(arguments)
    host = host_of(arguments)
    machine = detect(host)
    diagnosis = diagnose(machine, _kernel_log(host))
    if arguments.json:
        import json

        from wizard.jsonform import SCHEMA
        from wizard.report.mending import finding_form

        findings = [finding_form(finding, diagnosis.findings) for finding in diagnosis.findings]
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
