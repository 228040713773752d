"""``report --record DIR``: make a recorded machine, and show everything that went into it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.commands.looking import host_of

if TYPE_CHECKING:
    from wizard.machine.record_write import Record
    from wizard.machine.recorder import Kept


def run(arguments: argparse.Namespace) -> int:
    """Record this machine; gives 1 when the record does not tell the same facts."""
    from wizard.machine.detect import detect
    from wizard.machine.record_disguise import disguise_of
    from wizard.machine.record_facts import keep_facts
    from wizard.machine.record_replay import differences
    from wizard.machine.record_values import values_of
    from wizard.machine.record_watch import RecordingHost
    from wizard.machine.record_write import PlaceTaken, check_place, layout, write
    from wizard.machine.recorder import keep_files

    folder = Path(arguments.record)
    try:
        check_place(folder)
    except PlaceTaken as error:
        print(f"rdna1-setup: {error}", file=sys.stderr)
        return 2
    inner = host_of(arguments)
    host, disguise = RecordingHost(inner), disguise_of(inner)
    machine = detect(host)
    kept = keep_files(host, disguise, machine)
    keep_facts(machine, host.asked, disguise, kept)
    record = layout(kept, values_of(host, folder.resolve().name, kept, machine, disguise))
    print("\n".join(_shown(record, kept)))
    if arguments.dry_run:
        print("\nA dry run writes nothing: this is what the record would hold.")
        return 0
    write(record, folder)
    differing = differences(machine, folder, disguise)
    print(f"\nWritten to {folder}. Read it before you share it: it is yours alone until then.")
    print(f"To look at it: rdna1-setup detect --machine {folder}")
    if differing:
        print(f"It does not tell these facts as this machine does: {', '.join(differing)}.")
    return 1 if differing else 0


def _shown(record: Record, kept: Kept) -> Iterator[str]:
    yield "In the record, names and home disguised, of each file only what detection takes from it:"
    for name, content in sorted(record.files.items()):
        yield f"  {name}{'' if content else '  (empty)'}"
    if kept.left_out:
        yield "Left out, because the list of what may be recorded does not hold it:"
        yield from (f"  {path}" for path in sorted(kept.left_out))
