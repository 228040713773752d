"""``report --record DIR``: make a recorded machine, and show everything that went into it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.commands.looking import host_of

if TYPE_CHECKING:
    from wizard.machine.recording.recorder import Made


def run(arguments: argparse.Namespace) -> int:
    """Record this machine; gives 1 when the record does not tell the same facts."""
    from wizard.core.lines import clean
    from wizard.machine.recording.recorder import PlaceTaken, check_place, make_record, write

    folder = Path(arguments.record)
    try:
        check_place(folder)
    except PlaceTaken as error:
        print(f"rdna1-setup: {error}", file=sys.stderr)
        return 2
    made = make_record(host_of(arguments), folder.resolve().name)
    print("\n".join(clean(line) for line in _shown(made)))
    if arguments.dry_run:
        print("\nA dry run writes nothing. The recording would contain:")
        return 0
    write(made.record, folder)
    return _told(made, folder)


def _shown(made: Made) -> Iterator[str]:
    yield (
        "The recording contains only what rdna1-setup uses for detection. Names and the path of "
        "your home folder are replaced with placeholders. The files are:"
    )
    for name, content in sorted(made.record.files.items()):
        yield f"  {name}{'' if content else '  (empty)'}"
    if made.left_out:
        yield "These files were left out, because they are not on the list of what may be recorded:"
        yield from (f"  {path}" for path in sorted(made.left_out))


def _told(made: Made, folder: Path) -> int:
    """Look at the record, and say how far it tells the same."""
    from wizard.machine.recording.recorder import differences

    differing = differences(made.machine, folder, made.disguise)
    print(f"\nWritten to {folder}. Read it before you share it.")
    print(f"To view it: rdna1-setup detect --machine {folder}")
    if differing:
        print(f"The record differs from this machine in these details: {', '.join(differing)}.")
    return 1 if differing else 0
