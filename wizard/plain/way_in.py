"""Which way in: screens, the plain road, or an overview where nobody can answer."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from wizard.core.amounts import capitalized

if TYPE_CHECKING:
    from wizard.host.host import Host

SCREENS = "screens"
PLAIN = "plain"
OVERVIEW = "overview"
NO_SCREENS = "This terminal cannot show screens (TERM={0}), so here is the plain text version."
ASKED = "{0} is running. How do you want to use this program?"
PLAIN_TEXT = "in plain text: numbered questions, one line per event"
ON_SCREENS = "on screens"
ASKED_MORE = """\
1 prints numbered questions and one line for each event: a screen reader can read that.
2 fills the terminal with screens, which few screen readers can follow."""
NOT_AGAIN = "To skip this question, run rdna1-setup --plain or rdna1-setup --screens."


def way_in(
    arguments: argparse.Namespace,
    environ: Mapping[str, str],
    here: Callable[[], Host] | None = None,
) -> tuple[str, str]:
    """The way, and why it is not the usual one; asks where a screen reader is at work.

    ``here`` gives the machine of whoever sits here, also where a recorded one is looked at.
    """
    if only_looks(arguments):
        return OVERVIEW, ""
    if arguments.plain:
        return PLAIN, ""
    term = environ.get("TERM", "")
    if term in ("", "dumb"):
        return PLAIN, NO_SCREENS.format(term)
    if arguments.screens:
        return SCREENS, ""
    from wizard.host.live import LiveHost
    from wizard.machine.surroundings import reading_aid

    aid = reading_aid((here or LiveHost)())
    return (_asked(aid) if aid else SCREENS), ""


def only_looks(arguments: argparse.Namespace) -> bool:
    """True where there is nobody to answer: then an overview is printed, and nothing is changed."""
    if sys.stdin.isatty():
        return not sys.stdout.isatty()
    return not (arguments.plain and _holds_answers(sys.stdin.fileno()))


def _holds_answers(descriptor: int) -> bool:
    """True for a pipe or a file: answers may stand in it; in /dev/null there are none."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _asked(aid: str) -> str:
    from wizard.plain.asking import Asker, Left, Option
    from wizard.plain.road import say

    options = [Option(PLAIN_TEXT, PLAIN), Option(ON_SCREENS, SCREENS)]
    say(NOT_AGAIN)
    try:
        head = ASKED.format(capitalized(aid))
        return Asker(sys.stdin, say).choose(head, options, explain=ASKED_MORE, first=True)
    except Left:
        return PLAIN  # which ends at once, with its own words for that
