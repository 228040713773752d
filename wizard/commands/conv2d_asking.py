"""What is asked before convolutions run on a card: how often it may hang, and a key to start."""

from __future__ import annotations

import argparse
import sys
import termios
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from wizard.commands.carrying import refuse
from wizard.commands.looking import is_yes
from wizard.report.machine import WIDTH

if TYPE_CHECKING:
    from wizard.conv2d.caution import Circumstances
    from wizard.conv2d.requests import Request

ENDS = "Press Ctrl+C to end the measurement. To measure without this risk, use --device cpu."
EVEN_SO = "add --even-if-in-use"
NO_TERMINAL = (
    "Nothing was started, because there is no terminal in which to prompt you. Read the text "
    "above, then run the command again with "
    "--yes."
)


def budget_lines(request: Request, around: Circumstances, hangs: int) -> Iterator[str]:
    """What a hang would disturb, how many are allowed, and what each costs."""
    from wizard.conv2d.caution import budget_texts

    return _lines(budget_texts(request, around, hangs))


def refusal(
    arguments: argparse.Namespace,
    request: Request,
    around: Circumstances,
    hangs: int,
    ends: str = ENDS,
) -> int | None:
    """The exit code where nothing may be launched on the card; None once that was agreed to.

    ``ends`` says how what is started can be ended.
    """
    from wizard.conv2d.caution import IN_USE, caution_texts

    texts = caution_texts(request, around, hangs)
    print(*_lines((*texts, ends)), sep="\n", end="\n\n", file=sys.stderr)
    if around.is_someones_desktop and not arguments.even_if_in_use:
        return refuse("\n".join(_lines((f"Nothing was started. {IN_USE.format(EVEN_SO)}",))))
    if arguments.yes:
        return None
    if not sys.stdin.isatty():
        return refuse(NO_TERMINAL)
    if not _agreed():
        print("Nothing was started.", file=sys.stderr)
        return 2
    return None


def _lines(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from textwrap.wrap(text, WIDTH)


def _agreed() -> bool:
    with suppress(termios.error):  # what was typed before the question is no answer to it
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    print("Start it? [y/N] ", end="", file=sys.stderr, flush=True)
    return is_yes(sys.stdin.readline())
