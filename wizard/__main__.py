"""The entry point: command line, one choice of executor, hand-over to screens or to a command."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from types import ModuleType

from wizard.commands.choosing import SOURCES, add_source_arguments, wrong_wheelhouse
from wizard.commands.looking import acts, forget_output
from wizard.commands.parser import Parser

COMMANDS = (
    "detect",
    "diagnose",
    "explain",
    "plan",
    "apply",
    "fetch",
    "remove",
    "clean-up",
    "conv2d",
    "test-my-card",
    "keep",
    "rollback",
    "watch",
    "report",
    "about",
)
"""Each is a module of ``wizard.commands``, with ``add_arguments`` and ``run``."""
READS_ONLY = ("detect", "diagnose", "explain", "plan", "report", "watch", "about")
"""Commands that change nothing, but for ``report --record`` and ``diagnose --fix``."""
CHANGES_FILES = (
    "apply",
    "fetch",
    "remove",
    "clean-up",
    "conv2d",
    "test-my-card",
    "keep",
    "rollback",
)
"""Commands whose files must belong to the user."""

STDERR = 2
"""The highest of the three standard descriptors."""


def parser(known: Sequence[str] = COMMANDS) -> Parser:
    """The whole command line, or that of the known commands alone: each costs its imports."""
    from wizard import __version__

    top = Parser(
        prog="rdna1-setup",
        description="Sets up PyTorch on RX 5300, 5500, 5600 and 5700 cards, and measures it.",
        epilog="Without a command, the wizard starts; without a terminal, one page is printed.",
        parents=[_common()],
    )
    top.add_argument("--version", action="version", version=f"rdna1-setup {__version__}")
    shown = top.add_mutually_exclusive_group()
    shown.add_argument(
        "--plain",
        action="store_true",
        help="ask questions in plain text instead of showing screens",
    )
    shown.add_argument(
        "--screens", action="store_true", help="show screens even if a screen reader is running"
    )
    add_source_arguments(top)
    top.set_defaults(dry_run=False, machine=None, demo=False, command=None, **SOURCES)
    commands = top.add_subparsers(
        dest="command",
        metavar="COMMAND",
        title="commands",
    )
    for name in known:
        module = _module_of(name)
        summary = (module.__doc__ or "").split("\n", 1)[0]
        one = commands.add_parser(name, help=summary, description=summary, parents=[_common()])
        module.add_arguments(one)
    return top


def _module_of(command: str) -> ModuleType:
    return import_module(f"wizard.commands.{command.replace('-', '_')}")


def _common() -> Parser:
    """What goes before and after a command: a new one each, for defaults set on one reach its twin.

    Unnamed ones stay unset, so that a command does not put a default over what stood before it.
    """
    common = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--dry-run", action="store_true", help="show everything but change nothing")
    common.add_argument(
        "--machine", metavar="DIR", help="use a machine recording instead of this machine"
    )
    common.add_argument(
        "--demo", action="store_true", help="use an example machine that comes with the program"
    )
    return common


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit code: 0 fine, 1 findings, 2 wrong use, 130 cancelled."""
    _provide_streams()
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # else nobody knows how a program ended
    words = sys.argv[1:] if argv is None else list(argv)
    only_looks = True
    try:
        try:
            arguments = parser(needed(words)).parse(words)
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


def needed(words: Sequence[str]) -> Sequence[str]:
    """The commands that must be known to understand these words."""
    if words and words[0] in COMMANDS:
        return words[:1]
    options_alone = all(word.startswith("-") and word != "-" for word in words)
    asks_for_help = any(word.startswith(("-h", "--h")) for word in words)
    return () if options_alone and not asks_for_help else COMMANDS


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
    from wizard.core.glyphs import BY_NUMBER, speaks_unicode

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
        return int(_module_of(arguments.command).run(arguments))
    from wizard.plain.way_in import OVERVIEW, SCREENS, way_in

    way, why = way_in(arguments, os.environ)
    if way == OVERVIEW:
        from wizard.commands.overview import run

        return run(arguments)
    if way == SCREENS:
        # Imported by name: the core knows no terminal library, and --help never loads one.
        return int(import_module("screens.start").run(arguments))
    from wizard.plain.menu import run as walk

    return walk(arguments, words, partial(_run_command, words), why)


def _run_command(before: Sequence[str], words: Sequence[str]) -> int:
    """One of our commands, with what the program was started with before it."""
    try:
        arguments = parser(words[:1]).parse([*before, *words])
    except SystemExit as ended:  # what argparse thinks of an answer, it has told
        return int(ended.code or 0)
    return int(_module_of(arguments.command).run(arguments))


def _started_with_sudo(arguments: argparse.Namespace) -> bool:
    """True for what would leave files of root's in the home of the user behind sudo."""
    if os.geteuid() != 0 or not os.environ.get("SUDO_USER") or not acts(arguments):
        return False
    if arguments.command is None:
        from wizard.plain.way_in import only_looks

        return not only_looks(arguments)
    changing = any(getattr(arguments, option, None) for option in ("record", "fix", "folder"))
    return arguments.command in CHANGES_FILES or changing


if __name__ == "__main__":
    sys.exit(main())
