"""Show what this machine has: cards, access, Pythons, torch, ROCm and settings."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.looking import host_of

if TYPE_CHECKING:
    from wizard.host.host import Host
    from wizard.machine.torch import Verified


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``detect``."""
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    hashes = "also check the hashes of the ROCm libraries of every torch (reads gigabytes)"
    parser.add_argument("--verify", action="store_true", help=hashes)


def run(arguments: argparse.Namespace) -> int:
    """Print the facts; 0 also when there is no card, since that is an answer."""
    from wizard.machine.detect import detect

    host = host_of(arguments)
    if arguments.verify and host.name:
        print("rdna1-setup: a machine recording has no libraries to verify.", file=sys.stderr)
        return 2
    machine = detect(host)
    verified = _verified(host) if arguments.verify else None
    if arguments.json:
        import json

        from wizard.core.json_form import SCHEMA, to_json
        from wizard.diagnose.machine import part_statuses

        more = {} if verified is None else {"verified": to_json(verified)}
        form = {"schema": SCHEMA, **to_json(machine), "statuses": part_statuses(machine), **more}
        print(json.dumps(form, indent=1))
        return 0
    from wizard.report.machine import machine_lines, verified_lines

    print("\n".join((*machine_lines(machine), *verified_lines(verified))))
    return 0


def _verified(host: Host) -> tuple[Verified, ...]:
    from wizard.machine.torch import verify

    found = tuple(verify(host, _show_progress if sys.stderr.isatty() else _say_nothing))
    if sys.stderr.isatty():
        print(end="\r\033[K", file=sys.stderr, flush=True)
    return found


def _show_progress(path: str, done: int, total: int) -> None:
    from wizard.core.lines import clean

    name = clean(path.rpartition("/")[2])
    print(end=f"\r\033[K{name}: {done * 100 // (total or 1)} %", file=sys.stderr, flush=True)


def _say_nothing(path: str, done: int, total: int) -> None:
    pass
