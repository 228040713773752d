"""Explain a saved log, listing or traceback, and how to fix the problem. Reads nothing else."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from wizard.commands.choosing import add_application_argument

if TYPE_CHECKING:
    from wizard.diagnose.explain import Explanation


class Unreadable(ValueError):
    """A file that cannot be explained; the message says which and why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``explain``."""
    add_application_argument(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="a file with the text, or - for standard input"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print what each text proves; 0 nothing found, 1 findings, 2 a file that cannot be read."""
    from wizard.diagnose.finding import exit_code

    try:
        explained = [(name, explained_file(name)) for name in arguments.files]
    except Unreadable as error:
        print(f"rdna1-setup: {error}", file=sys.stderr)
        return 2
    if arguments.json:
        _print_json(explained)
    else:
        _print_text(explained, tuple(arguments.app or ()))
    return exit_code(finding for _, each in explained for finding in each.told)


def explained_file(name: str) -> Explanation:
    """What the text in a file proves; raises ``Unreadable``."""
    from wizard.diagnose.explain import explain_file
    from wizard.diagnose.lines import NotText

    shown = "standard input" if name == "-" else name
    try:
        with _opened(name) as file:
            explained = explain_file(file)
    except NotText as error:
        raise Unreadable(f"{shown}: {error}.") from None
    except IsADirectoryError:
        raise Unreadable(f"{shown} is a folder. Name the files in it.") from None
    except FileNotFoundError:
        raise Unreadable(f"{shown} does not exist. Check the name.") from None
    except PermissionError:
        raise Unreadable(
            f"{shown}: you have no permission to read it. Copy it with sudo, or pipe it: sudo cat "
            "FILE | rdna1-setup explain -"
        ) from None
    except OSError as error:
        raise Unreadable(f"{shown}: {error.strerror or error}.") from None
    return explained


def _opened(name: str) -> BinaryIO:
    return sys.stdin.buffer if name == "-" else open(name, "rb")  # noqa: PTH123


def _print_json(explained: list[tuple[str, Explanation]]) -> None:
    import json

    from wizard.core.json_form import SCHEMA

    forms = [{"file": name, **_form(each)} for name, each in explained]
    whole: dict[str, Any] = {"schema": SCHEMA}
    if len(forms) == 1:
        whole |= forms[0]
    else:
        whole["findings"] = [f for form in forms for f in form["findings"]]
        whole["gpus"] = [gpu for form in forms for gpu in form["gpus"]]
        whole["unrecognised"] = [error for form in forms for error in form["unrecognised"]]
        whole["files"] = forms
    print(json.dumps(whole, indent=1))


def _form(explained: Explanation) -> dict[str, Any]:
    from wizard.diagnose.finding import to_form
    from wizard.diagnose.listed_cards import card_form

    return {
        "answer": explained.answer.value,
        "kinds": list(explained.kinds),
        "rdna1": any(card.rdna1 for card in explained.cards) if explained.cards else None,
        "findings": [to_form(finding) for finding in explained.findings],
        "gpus": [card_form(card) for card in explained.cards],
        "unrecognised": [
            {"line": int(error.where.removeprefix("line ")), "text": error.text}
            for error in explained.unrecognised
        ],
    }


def _print_text(explained: list[tuple[str, Explanation]], applications: tuple[str, ...]) -> None:
    from wizard.report.findings import explanation_lines

    for name, each in explained:
        if len(explained) > 1:
            print(f"== {name}")
        print("\n".join(explanation_lines(each, applications)).lstrip("\n"))
