"""The options that make a choice, and the choice that they make."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.plan.choice import Choice


def add_choice_arguments(parser: argparse.ArgumentParser) -> None:
    """Stack, place and sources."""
    parser.add_argument("--stack", metavar="ID", help="rocm52, rocm57, rocm62, native or cpu")
    parser.add_argument(
        "--footprint",
        choices=("venv", "venv+system"),
        default="venv",
        help="venv: one folder, no root (default); venv+system: ROCm packages too",
    )
    parser.add_argument("--venv", metavar="DIR", help="where to put it (default: ~/ai/ID)")
    parser.add_argument(
        "--torch-index",
        metavar="URL",
        default="",
        help="another wheel index; pip: as pip is configured",
    )
    parser.add_argument(
        "--wheelhouse", metavar="DIR", default="", help="a folder of wheels, no network (pip's too)"
    )
    parser.add_argument(
        "--gpu", metavar="ADDRESS", default="", help="PCI address of the card to use"
    )
    parser.add_argument(
        "--base-python",
        metavar="PATH",
        default="",
        help="base the venv on this Python (default: the best one that fits)",
    )
    parser.add_argument(
        "--without-card",
        action="store_true",
        help="install for another machine: the device is not checked",
    )


def choice_of(arguments: argparse.Namespace, stack: str, home: str) -> Choice:
    """The choice that the options make."""
    from wizard.plan.choice import Choice

    return Choice(
        stack=stack,
        footprint=arguments.footprint,
        venv=_absolute(arguments.venv or f"{home}/ai/{stack}"),
        torch_index=arguments.torch_index,
        wheelhouse=_absolute(arguments.wheelhouse) if arguments.wheelhouse else "",
        gpu=arguments.gpu,
        python=arguments.base_python,
        without_card=arguments.without_card,
    )


def _absolute(path: str) -> str:
    # Not resolve(): a link in the path is the user's own way of naming the place.
    return os.path.abspath(Path(path).expanduser())  # noqa: PTH100
