"""Remove ROCm from the system, package by package. You can undo it. Venvs are kept."""

from __future__ import annotations

import argparse

from wizard.commands.carrying import add_carrying_arguments
from wizard.commands.choosing import add_rollback_argument
from wizard.commands.clearing import clear
from wizard.commands.making import add_removal_arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``remove``."""
    add_removal_arguments(parser)
    add_rollback_argument(parser)
    add_carrying_arguments(parser)
    parser.set_defaults(remove=True, clean_up=False)


def run(arguments: argparse.Namespace) -> int:
    """Show the plan, ask, carry it out; 0 when it is gone, or there was none."""
    return clear(arguments)
