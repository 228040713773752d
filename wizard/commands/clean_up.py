"""Remove leftovers from other scripts (settings, folders, broken packages). You can undo it."""

from __future__ import annotations

import argparse

from wizard.commands.carrying import add_carrying_arguments
from wizard.commands.choosing import add_rollback_argument
from wizard.commands.clearing import clear


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``clean-up``."""
    add_rollback_argument(parser)
    add_carrying_arguments(parser)
    parser.set_defaults(remove=False, clean_up=True, distribution_rocm=False, driver=False)


def run(arguments: argparse.Namespace) -> int:
    """Show the plan, ask, carry it out; 0 when all of it is gone, or there was nothing."""
    return clear(arguments)
