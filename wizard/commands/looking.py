"""Which machine a command looks at, and what it then knows."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.advice.comparison import LineSpeed
    from wizard.core.own_files import Places
    from wizard.host.contents import Contents
    from wizard.host.host import Host

DEMO = "rx5600xt-noble-rocm57"
"""The recorded machine of the demo, below ``assets/machines``."""


def host_of(arguments: argparse.Namespace) -> Host:
    """This machine, a recorded one, or the demo's; exits with 2 on a damaged record."""
    folder = arguments.machine
    if getattr(arguments, "demo", False):
        import assets

        folder = str(assets.FOLDER / "machines" / DEMO)
    if folder is None:
        from wizard.host.live import LiveHost

        return LiveHost()
    from pathlib import Path

    from wizard.machine.recorded import RecordedHost, RecordError

    try:
        return RecordedHost(Path(folder))
    except RecordError as error:
        print(f"rdna1-setup: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def places_of(host: Host) -> Places:
    """Where our own files go on that machine."""
    from wizard.core.own_files import places

    return places(host.environ, host.home)


def there_before(host: Host, folder: str) -> Contents | None:
    """What the environment in a folder holds; None where there is none that was there before us."""
    from wizard.host.contents import read_contents

    there = read_contents(host, folder)
    if there is None or host.name:
        return there
    from wizard.run.runs import made_by_us

    return None if made_by_us(places_of(host), folder) else there


def speed_of_line(host: Host, places: Places) -> LineSpeed | None:
    """How fast an earlier run fetched here; None on a recorded machine."""
    if host.name:
        return None
    from pathlib import Path

    from wizard.advice.comparison import line_speed
    from wizard.run.runs import read_records

    return line_speed(read_records(Path(places.runs)))


def agreed(question: str) -> bool:
    """True when somebody at a terminal says yes; an end of input is a no."""
    if not sys.stdin.isatty():
        return False
    try:
        return is_yes(input(f"{question} [y/N] "))
    except EOFError:
        return False


def is_yes(answer: str) -> bool:
    """True for the key that agrees; who types the word out means it too."""
    return answer.strip().lower() in ("y", "yes")


def forget_output() -> None:
    """Where nobody takes the output any more (`| head`, a full disk), no more goes there.

    What is still buffered would raise again at exit.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def acts(arguments: argparse.Namespace) -> bool:
    """True when this command may change this machine."""
    return not (arguments.dry_run or arguments.machine or getattr(arguments, "demo", False))
