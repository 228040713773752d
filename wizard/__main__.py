"""The entry point: command line, one choice of executor, hand-over to screens or to a command."""

from __future__ import annotations

import argparse
import io
import os
import signal
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module

from wizard.cli.console import forget_output, refuse, refuse_for
from wizard.cli.options import COMMANDS, parser
from wizard.core.amounts import capitalized
from wizard.core.glyphs import BY_NUMBER, speaks_unicode
from wizard.core.trouble import Trouble
from wizard.host.host import Host
from wizard.host.live import LiveHost
from wizard.machine.surroundings import reading_aid
from wizard.plan.impossible import NothingToDo, PlanImpossible
from wizard.services.command_line import acts, wrong_wheelhouse

READS_ONLY = ("detect", "diagnose", "explain", "plan", "report", "watch", "about")
"""Commands that change nothing, but for ``report --record`` and ``diagnose --fix``."""
STDERR = 2
"""The highest of the three standard descriptors."""
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


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit code: 0 fine, 1 findings, 2 wrong use, 130 cancelled."""
    _provide_streams()
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # else nobody knows how a program ended
    words = sys.argv[1:] if argv is None else list(argv)
    only_looks = True
    try:
        try:
            arguments = parser().parse(words)
            only_looks = arguments.command is None or (
                arguments.command in READS_ONLY and not getattr(arguments, "fix", None)
            )
            if only_looks or not acts(arguments):
                sys.dont_write_bytecode = True  # a dry run that leaves caches behind is none
            return _dispatch(arguments, words)
        finally:
            sys.stdout.flush()  # what fails here is told below; at exit it would be a traceback
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again to continue.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        forget_output()
        return 0 if only_looks else 1
    except OSError as error:
        forget_output()
        print(
            f"rdna1-setup: {error.filename or 'the system'}: {error.strerror or error}.\nThe "
            "current folder may have been deleted, or a disk may be full or failing.\nFix the "
            "problem, then run the same command again.",
            file=sys.stderr,
        )
        return 2


def _provide_streams() -> None:
    """Closed streams become /dev/null; what the locale cannot show is shown in ASCII.

    Each line goes out when it is printed: where both streams end in one file, it is behind what
    was printed before it, whichever of the two it is on.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        pass  # it takes the number of a closed one, which a file of ours must not get
    os.close(descriptor)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
    encoding = None if speaks_unicode(os.environ) else "ascii"
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=encoding, errors=BY_NUMBER, line_buffering=True)


def _dispatch(arguments: argparse.Namespace, words: Sequence[str]) -> int:
    if _started_with_sudo(arguments):
        print(
            "This program was started with sudo. Start it again without sudo: it runs as you, so "
            "that\nfiles in your home stay yours, and asks for root when a step needs it.",
            file=sys.stderr,
        )
        return 2
    if refusal := wrong_wheelhouse(arguments):
        print(f"rdna1-setup: {refusal}", file=sys.stderr)
        return 2
    if arguments.command is not None:
        return _carry_out(arguments)
    way, why = way_in(arguments, os.environ)
    if way == OVERVIEW:
        return int(_load("wizard.cli.report", "print_overview")(arguments))
    if way == SCREENS:
        return int(_load("screens.start", "run")(arguments))
    return int(
        _load("wizard.cli.plain", "run_plain")(arguments, words, partial(_run_command, words), why)
    )


def _carry_out(arguments: argparse.Namespace) -> int:
    """One command; what it cannot do, and what it raises to say so, is told in its own words."""
    module, _, function = COMMANDS[arguments.command].run.partition(".")
    try:
        return int(_load(f"wizard.cli.{module}", function)(arguments))
    except NothingToDo as nothing:
        print(nothing, file=sys.stderr if getattr(arguments, "json", False) else sys.stdout)
        return 0
    except PlanImpossible as error:
        return refuse(str(error))
    except Trouble as trouble:
        return refuse_for(trouble)


def _load(module: str, function: str) -> Callable[..., int]:
    """What one way needs: no other way waits for it, and the core knows no terminal library."""
    found: Callable[..., int] = getattr(import_module(module), function)
    return found


def _run_command(before: Sequence[str], words: Sequence[str]) -> int:
    """One of our commands, with what the program was started with before it."""
    try:
        return _carry_out(parser().parse([*before, *words]))
    except SystemExit as ended:  # what argparse thinks of an answer, it has told
        return int(ended.code or 0)


def _started_with_sudo(arguments: argparse.Namespace) -> bool:
    """True for what would leave files of root's in the home of the user behind sudo."""
    if os.geteuid() != 0 or not os.environ.get("SUDO_USER") or not acts(arguments):
        return False
    if arguments.command is None:
        return not only_looks(arguments)
    changing = any(getattr(arguments, option, None) for option in ("record", "fix", "folder"))
    return arguments.command not in READS_ONLY or changing


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
    from wizard.cli.questions import Asker, Left, Option, say  # only where a screen reader runs

    options = [Option(PLAIN_TEXT, PLAIN), Option(ON_SCREENS, SCREENS)]
    say(NOT_AGAIN)
    try:
        head = ASKED.format(capitalized(aid))
        return Asker(sys.stdin, say).choose(head, options, explain=ASKED_MORE, first=True)
    except Left:
        return PLAIN  # which ends at once, with its own words for that


if __name__ == "__main__":
    sys.exit(main())
