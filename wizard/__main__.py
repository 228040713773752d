"""The entry point: command line, one choice of executor, hand-over to screens or to a command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from wizard.commands import apply, conv2d, detect, plan, report, rollback
from wizard.commands.choosing import SOURCES, add_source_arguments

COMMANDS = {
    "detect": detect,
    "plan": plan,
    "apply": apply,
    "conv2d": conv2d,
    "rollback": rollback,
    "report": report,
}
READS_ONLY = ("detect", "plan", "report")
"""Commands that change nothing, whatever their options."""


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    from wizard import __version__

    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--dry-run", action="store_true", help="show everything, change nothing")
    common.add_argument("--machine", metavar="DIR", help="a recorded machine instead of this one")
    top = argparse.ArgumentParser(
        prog="rdna1-setup",
        description="Takes RX 5500, 5600 and 5700 cards to a working, measured PyTorch.",
        epilog="Without a command: the wizard. Without a terminal: the same as plain text.",
        parents=[common],
    )
    top.add_argument("--version", action="version", version=f"rdna1-setup {__version__}")
    top.add_argument("--demo", action="store_true", help="the wizard on a recorded machine")
    top.add_argument("--plain", action="store_true", help="plain text instead of screens")
    add_source_arguments(top)
    top.set_defaults(dry_run=False, machine=None, command=None, **SOURCES)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, module in COMMANDS.items():
        summary = (module.__doc__ or "").split("\n", 1)[0]
        one = commands.add_parser(name, help=summary, description=summary, parents=[common])
        module.add_arguments(one)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit code: 0 fine, 1 findings, 2 wrong use, 130 cancelled."""
    arguments = parser().parse_args(argv)
    if arguments.dry_run or arguments.demo or arguments.command in (None, *READS_ONLY):
        sys.dont_write_bytecode = True  # a dry run that leaves caches behind is none
    try:
        return _dispatch(arguments)
    except KeyboardInterrupt:
        print(
            "\nStopped. Nothing half done is forgotten: the same command goes on.", file=sys.stderr
        )
        return 130
    except BrokenPipeError:
        # The reader left (`| head`). What is still buffered must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _dispatch(arguments: argparse.Namespace) -> int:
    if arguments.command is not None:
        return int(COMMANDS[arguments.command].run(arguments))
    plain = arguments.plain or not (sys.stdin.isatty() and sys.stdout.isatty())
    if plain or os.environ.get("TERM", "dumb") == "dumb":
        from wizard.commands.overview import run

        return run(arguments)
    if os.geteuid() == 0 and os.environ.get("SUDO_USER") and not _harmless(arguments):
        print(
            "Started with sudo. The wizard works as you, and asks for root itself where a step\n"
            "needs it: files below your home must stay yours. Start it again without sudo.",
            file=sys.stderr,
        )
        return 2
    # Imported by name: the core knows no terminal library, and --help never loads one.
    return int(import_module("screens.start").run(arguments))


def _harmless(arguments: argparse.Namespace) -> bool:
    return bool(arguments.dry_run or arguments.demo or arguments.machine)


if __name__ == "__main__":
    sys.exit(main())
