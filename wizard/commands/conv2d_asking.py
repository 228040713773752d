"""What is asked before convolutions run on a card: how often it may hang, and a typed yes."""

from __future__ import annotations

import argparse
import sys
import termios
from contextlib import suppress
from typing import TYPE_CHECKING

from wizard.commands.carrying import refuse

if TYPE_CHECKING:
    from wizard.conv2d.caution import Circumstances

WARNING = (
    "This runs convolutions on the GPU. One that hangs may freeze the desktop, and only a restart\n"
    "may help: save your work first. Each verdict is on disk before the next shape starts.\n"
    "Ctrl+C ends the sweep; --device cpu measures without this risk."
)
IN_USE = (
    "Nothing was started: somebody is logged in at the screen that this card drives, and a hang\n"
    "may freeze that desktop. Log out there and start this over SSH or on a text console, or\n"
    "save everything, close it, and add --even-if-in-use."
)
NO_TERMINAL = "Nothing was started: there is no terminal to ask at. Read the above, then add --yes."
AGREED = "yes"


def add_asking_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that answer beforehand."""
    parser.add_argument("--hangs", type=int, metavar="N",
                        help="how often the card may hang before it stops (default: 1 where it "
                             "drives a screen or is in use, else 3)")  # fmt: skip
    parser.add_argument("--yes", action="store_true", help="the warning was read; do not ask")
    parser.add_argument("--even-if-in-use", action="store_true",
                        help="also where somebody is logged in at its screen")  # fmt: skip


def budget_lines(around: Circumstances, hangs: int) -> tuple[str, str]:
    """What a hang would disturb, and how many are allowed."""
    times = "one hang is" if hangs == 1 else f"{hangs} hangs are"
    return around.text, f"At most {times} allowed (--hangs N): then it stops with what it has."


def refusal(arguments: argparse.Namespace, around: Circumstances, hangs: int) -> int | None:
    """The exit code where nothing may be launched on the card; None once that was agreed to."""
    print(WARNING, *budget_lines(around, hangs), sep="\n", end="\n\n", file=sys.stderr)
    if around.is_someones_desktop and not arguments.even_if_in_use:
        return refuse(IN_USE)
    if arguments.yes:
        return None
    if not sys.stdin.isatty():
        return refuse(NO_TERMINAL)
    if not _typed_yes():
        print("Nothing was started.", file=sys.stderr)
        return 2
    return None


def _typed_yes() -> bool:
    with suppress(termios.error):  # what was typed before the question is no answer to it
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    print(f"Type {AGREED} to start: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == AGREED
