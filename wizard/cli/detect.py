"""``detect``: what this machine has."""

from __future__ import annotations

import argparse
import sys

from wizard.cli.console import print_json, refuse
from wizard.core.json_form import to_json
from wizard.core.lines import clean
from wizard.diagnose.machine import part_statuses
from wizard.host.host import Host
from wizard.machine.detect import detect
from wizard.machine.torch import Verified, verify
from wizard.report.machine import machine_lines, verified_lines
from wizard.services.command_line import host_of


def run_detect(arguments: argparse.Namespace) -> int:
    """Print the facts; 0 also when there is no card, since that is an answer."""
    host = host_of(arguments)
    if arguments.verify and host.name:
        return refuse("a machine recording has no libraries to verify.")
    machine = detect(host)
    verified = _verified(host) if arguments.verify else None
    if arguments.json:
        more = {} if verified is None else {"verified": to_json(verified)}
        print_json({**to_json(machine), "statuses": part_statuses(machine), **more})
    else:
        print("\n".join((*machine_lines(machine), *verified_lines(verified))))
    return 0


def _verified(host: Host) -> tuple[Verified, ...]:
    found = tuple(verify(host, _show_progress))
    if sys.stderr.isatty():
        print(end="\r\033[K", file=sys.stderr, flush=True)
    return found


def _show_progress(path: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        name = clean(path.rpartition("/")[2])
        print(end=f"\r\033[K{name}: {done * 100 // (total or 1)} %", file=sys.stderr, flush=True)
