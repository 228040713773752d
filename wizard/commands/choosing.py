"""The options that make a choice, and the choice that they make."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wizard.machine.facts import Machine
    from wizard.plan.choice import Choice

SOURCES: dict[str, Any] = {
    "venv": None,
    "torch_index": "",
    "wheelhouse": "",
    "python_mirror": "",
    "rocm_repo": "",
    "rocm_key_fingerprint": "",
}
"""What counts where the command line names no place and no source."""


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Place and sources, for the wizard and for its commands; unnamed ones stay unset.

    Unset, so that a command does not put its defaults over what was named before it.
    """
    add_wheel_arguments(parser, "the folder to install in (default: ~/ai/ID)")
    unset = argparse.SUPPRESS
    python = "where uv gets Python: an address, or file:///DIR/python made by `fetch`"
    parser.add_argument(
        "--python-mirror", metavar="URL", type=_python_mirror, default=unset, help=python
    )
    mirror = "get system packages from a copy of https://repo.radeon.com/rocm/apt"
    parser.add_argument("--rocm-repo", metavar="URL", type=_repository, default=unset, help=mirror)
    parser.add_argument(
        "--rocm-key-fingerprint",
        metavar="HEX",
        type=_fingerprint,
        default=unset,
        help="the fingerprint of the key that signs this copy, if it is not AMD's",
    )


def add_wheel_arguments(parser: argparse.ArgumentParser, where: str) -> None:
    """A folder, and where its wheels come from."""
    parser.add_argument("--venv", metavar="DIR", default=argparse.SUPPRESS, help=where)
    add_index_arguments(parser)


def add_index_arguments(parser: argparse.ArgumentParser) -> None:
    """Where wheels come from."""
    unset = argparse.SUPPRESS
    index = "use another wheel index, or pip for pip's own configuration"
    parser.add_argument("--torch-index", metavar="URL", default=unset, type=_index, help=index)
    house = "install from a folder of wheels, without the network"
    parser.add_argument("--wheelhouse", metavar="DIR", default=unset, help=house)


def _index(text: str) -> str:
    """An index as it was named; anything that is none is refused by the parser."""
    if not text:
        return text  # the stack's own: argparse sends defaults this way too
    from wizard.core.credentials import redact
    from wizard.operations.resolve import AS_CONFIGURED

    if text == AS_CONFIGURED or _is_address(text):
        return text
    raise argparse.ArgumentTypeError(
        f"{redact(text)!r} is not an index. Enter an address that begins with http://, https:// or "
        "file:///, or the word pip to use pip's own configuration."
    )


def _python_mirror(text: str) -> str:
    """A place of Pythons as uv can take it."""
    if not text or _is_address(text):
        return text
    from wizard.core.credentials import redact

    raise argparse.ArgumentTypeError(
        f"{redact(text)!r} is not a valid address. Enter one that begins with http://, https:// or "
        "file:///, such as file:///media/stick/python."
    )


def _is_address(text: str) -> bool:
    from urllib.parse import urlsplit  # costs --help a tenth of its time

    with suppress(ValueError):
        parts = urlsplit(text)
        if parts.scheme == "file":
            return parts.netloc in ("", "localhost") and parts.path.startswith("/")
        return bool(parts.hostname) and parts.scheme in ("http", "https")
    return False


def wrong_wheelhouse(arguments: argparse.Namespace) -> str:
    """Why the folder of wheels cannot be one, ``""`` when it can, or lies on another machine."""
    house = arguments.wheelhouse
    if not house or arguments.machine or getattr(arguments, "demo", False):
        return ""
    folder = absolute(house)
    if os.path.isdir(folder):  # noqa: PTH112 - pathlib costs --help more than all of argparse
        return ""
    why = "it is not a folder" if os.path.lexists(folder) else "there is no such folder"
    return f"--wheelhouse {house}: {why}."


def add_choice_arguments(parser: argparse.ArgumentParser) -> None:
    """Stack, place and sources."""
    parser.add_argument(
        "--stack", metavar="ID", help="the stack, such as rocm52 or cpu; `plan` lists all of them"
    )
    parser.add_argument(
        "--footprint",
        choices=("venv", "venv+system"),
        default="venv",
        help="venv: one folder (default); venv+system: also ROCm packages, as root",
    )
    add_application_argument(parser)
    parser.add_argument(
        "--preset",
        metavar="NAME",
        default="",
        help="also set these published variables for the stack, such as 'GEMM only' for rocm57",
    )
    add_source_arguments(parser)
    parser.add_argument(
        "--gpu", metavar="ADDRESS", default="", help="PCI address of the card to use"
    )
    parser.add_argument(
        "--base-python",
        metavar="PATH",
        default="",
        help="base the venv on this Python (default: the most suitable one)",
    )
    parser.add_argument(
        "--user-torch-aside",
        action="store_true",
        help="move a torch in your user packages out of the way if the environment would import it",
    )
    parser.add_argument(
        "--without-card",
        action="store_true",
        help="install for another machine, without checking for a card",
    )
    parser.add_argument(
        "--without-groups",
        action="store_true",
        help="do not change your groups (default: if you have no permission to use the GPU, the "
        "plan adds you to its group, as root)",
    )
    add_rollback_argument(parser)
    _add_system_arguments(parser)


def add_application_argument(parser: argparse.ArgumentParser) -> None:
    """What is to run."""
    parser.add_argument(
        "--app",
        metavar="ID",
        action="append",
        help="what you want to run, such as comfyui or llm-chat; repeat the option for more "
        "(default: programs found here)",
    )


def name_applications(arguments: argparse.Namespace, machine: Machine) -> tuple[str, ...]:
    """What is to run: as it was named, else what was found on the machine, else plain torch.

    It is written down in the arguments, so that the same is asked for again from anywhere.
    Exits with 2 for an unknown one.
    """
    import sys

    from wizard.advice.recommend import found_applications
    from wizard.knowledge.applications import PLAIN_TORCH, applications_named

    arguments.app = list(arguments.app or found_applications(machine) or (PLAIN_TORCH,))
    try:
        applications_named(tuple(arguments.app))
    except KeyError as unknown:
        print(f"rdna1-setup: --app: {unknown.args[0]}", file=sys.stderr)
        raise SystemExit(2) from None
    return tuple(arguments.app)


def add_rollback_argument(parser: argparse.ArgumentParser) -> None:
    """What may go although nothing could put it back."""
    parser.add_argument(
        "--without-rollback",
        action="store_true",
        help="permanently remove packages that are no longer in any archive",
    )


def _add_system_arguments(parser: argparse.ArgumentParser) -> None:
    """What the footprint venv+system installs, from where, and what goes first."""
    system = parser.add_argument_group("with --footprint venv+system")
    system.add_argument(
        "--system-release",
        metavar="X.Y.Z",
        default="",
        help="use a different ROCm release from the stack's own",
    )
    system.add_argument(
        "--system-set",
        choices=("smallest", "full"),
        default="smallest",
        help="how much of ROCm to install (default: the smallest useful set)",
    )
    system.add_argument(
        "--system-removal",
        metavar="WHAT",
        type=_scopes,
        default=("amd",),
        help="what to remove first: none, or any of amd, driver, distribution, separated by "
        "commas (default: amd, which means AMD's other ROCm releases)",
    )
    system.add_argument(
        "--profile-file", action="store_true", help="set ROCM_PATH and PATH for all users at login"
    )
    system.add_argument(
        "--snapshot",
        metavar="TOOL",
        type=_snapshot,
        default="",
        help="make a snapshot first with timeshift, snapper or snapper:CONFIG",
    )


def _snapshot(text: str) -> str:
    """A tool that makes snapshots."""
    if not text or re.fullmatch(r"timeshift|snapper(?::[A-Za-z0-9_][A-Za-z0-9_-]{0,63})?", text):
        return text
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a snapshot tool. Use timeshift, snapper or snapper:CONFIG."
    )


def _scopes(text: str) -> tuple[str, ...]:
    """What is to be removed, as a plan names it."""
    known = ("amd", "driver", "distribution")
    words = () if text == "none" else tuple(dict.fromkeys(text.split(",")))
    if unknown := [word for word in words if word not in known]:
        raise argparse.ArgumentTypeError(
            f"{unknown[0]!r} is not valid. Use 'none', or one or more of {', '.join(known)}, "
            "separated by commas."
        )
    return words


def _repository(text: str) -> str:
    """The address of a mirror as apt can take it."""
    if not text or re.fullmatch(r"(?:https?://[\w.:\[\]-]+|file:(?://)?)(?:/[\w.~%+=-]+)+/?", text):
        return text.rstrip("/")
    from wizard.core.credentials import redact

    raise argparse.ArgumentTypeError(
        f"{redact(text)!r} is not an address that apt can use. Enter one that begins with http://, "
        "https:// or file:///. If the server needs a login, put the login in /etc/apt/auth.conf.d."
    )


def _fingerprint(text: str) -> str:
    """A whole fingerprint, however its digits are grouped."""
    plain = re.sub(r"[\s:]", "", text).upper().removeprefix("0X")
    if plain and not re.fullmatch(r"[0-9A-F]{40}", plain):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a fingerprint, which has 40 hexadecimal digits. A shorter ID is not "
            "safe, because it can be forged."
        )
    return plain


def with_sources(choice: Choice, arguments: argparse.Namespace) -> Choice:
    """The choice, taken from the sources that the command line names."""
    from dataclasses import replace  # costs --help more than all of argparse

    house = arguments.wheelhouse
    return replace(
        choice,
        torch_index=arguments.torch_index,
        wheelhouse=absolute(house) if house else "",
        python_mirror=arguments.python_mirror,
        rocm_repo=arguments.rocm_repo,
        rocm_key_fingerprint=arguments.rocm_key_fingerprint,
    )


def choice_of(arguments: argparse.Namespace, stack: str, home: str) -> Choice:
    """The choice that the options make."""
    from wizard.plan.choice import Choice

    choice = Choice(
        stack=stack,
        footprint=arguments.footprint,
        venv=folder_of(arguments, stack, home),
        applications=tuple(arguments.app or ()),
        preset=arguments.preset,
        gpu=arguments.gpu,
        python=arguments.base_python,
        without_card=arguments.without_card,
        without_groups=arguments.without_groups,
        user_torch_aside=arguments.user_torch_aside,
        system_release=arguments.system_release,
        system_set=arguments.system_set,
        system_removal=arguments.system_removal,
        profile_file=arguments.profile_file,
        without_rollback=arguments.without_rollback,
        snapshot=arguments.snapshot,
    )
    return with_sources(choice, arguments)


def folder_of(arguments: argparse.Namespace, stack: str, home: str) -> str:
    """The folder that the command line names, else a new one of the stack's own."""
    return absolute(arguments.venv or f"{home}/ai/{stack}")


def absolute(path: str) -> str:
    """A path of the command line as the plan names it."""
    # Not resolve(): a link in the path is the user's own way of naming the place.
    # Not Path.expanduser(): it raises for a user that does not exist.
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111


def app_words(applications: Iterable[str]) -> tuple[str, ...]:
    """These applications as options of a command."""
    return tuple(word for each in applications for word in ("--app", each))
