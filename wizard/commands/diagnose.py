"""Find out what is wrong with ROCm and PyTorch on this machine, with evidence and fixes."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from wizard.commands.choosing import (
    add_application_argument,
    add_wheel_arguments,
    name_applications,
)
from wizard.commands.looking import acts, host_of, places_of

if TYPE_CHECKING:
    from wizard.machine.facts import Machine

TRYING = (
    "Trying each torch on the card, for at most {:g} s each. This can hang the card, so save your "
    "work first."
)
NOT_TRIED = (
    "rdna1-setup: --try-torch uses the card, so it works neither on a machine recording nor in a "
    "dry run."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``diagnose``."""
    parser.add_argument("--kernel-log", metavar="FILE", default="",
                        help="read this kernel log instead of the machine's own")  # fmt: skip
    parser.add_argument("--try-torch", action="store_true",
                        help="also try each torch on the card, which may hang it")  # fmt: skip
    add_application_argument(parser)
    parser.add_argument(
        "--fix",
        metavar="CAUSE",
        help="show the plan that fixes this finding, ask, and carry it out",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask: you have read the plan")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print JSON for programs; with --fix, events as JSON lines",
    )
    add_wheel_arguments(
        parser, "with --fix: if several findings have that cause, fix the one in this folder"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print every check; 1 when one found something, else 0. With --fix, mend one finding."""
    from wizard.advice.recommend import recommend
    from wizard.diagnose.finding import conclude, exit_code
    from wizard.diagnose.fix_settings import by_hand
    from wizard.diagnose.machine import diagnose
    from wizard.diagnose.this_machine import looks_here
    from wizard.machine.detect import detect

    if arguments.try_torch and not acts(arguments):
        print(NOT_TRIED, file=sys.stderr)
        return 2
    if arguments.fix:
        from wizard.commands.fixing import fix

        return fix(arguments)
    host = host_of(arguments)
    machine = detect(host)
    if arguments.try_torch:
        _warn(machine)
    looks = looks_here(
        host,
        machine,
        places_of(host),
        kernel_log=arguments.kernel_log,
        try_torches=arguments.try_torch,
    )
    diagnosis = diagnose(machine, looks)
    diagnosis = replace(diagnosis, findings=by_hand(host, machine, diagnosis.findings))
    recommended = recommend(machine, name_applications(arguments, machine))
    if arguments.json:
        import json

        from wizard.core.json_form import SCHEMA
        from wizard.report.findings import finding_form

        findings = [finding_form(finding, diagnosis.findings) for finding in diagnosis.findings]
        form = {"schema": SCHEMA, "machine": machine.recorded, "rdna1": diagnosis.rdna1}
        found = conclude(diagnosis.findings)
        form |= {"status": found.status.value, "conclusion": found.text}
        form |= {"recommended": recommended.name, "applications": recommended.applications}
        print(json.dumps({**form, "findings": findings}, indent=1))
    else:
        import textwrap

        from wizard.report.findings import diagnosis_lines
        from wizard.report.recommendation import short_text

        print("\n".join(diagnosis_lines(machine, diagnosis)))
        if diagnosis.rdna1:
            print("", *textwrap.wrap(short_text(recommended), 79), sep="\n")
    return exit_code(diagnosis.findings)


def _warn(machine: Machine) -> None:
    from wizard.diagnose.this_machine import TRY_S, to_try

    if to_try(machine):
        print(TRYING.format(TRY_S), file=sys.stderr)
