"""What commands say and ask: refusals, a yes, and an output that nobody reads any more."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from wizard.core.json_form import SCHEMA
from wizard.core.lines import clean, clean_lines
from wizard.core.trouble import Trouble


def agreed(question: str) -> bool:
    """True when somebody at a terminal says yes; an end of input is a no."""
    if not sys.stdin.isatty():
        return False
    try:
        return is_yes(input(f"{question} [y/N] "))
    except EOFError:
        return False


def not_agreed(unchanged: str = "Nothing was changed", command: str = "") -> int:
    """The exit code where nobody said yes; where nobody could, how to say it beforehand."""
    if sys.stdin.isatty():
        print(f"{unchanged}.", file=sys.stderr)
        return 2
    confirm = (
        f"To confirm, use this command:\n  {command} --yes"
        if command
        else "Then run the same command again with --yes."
    )
    return refuse(
        f"{unchanged}, because there is no terminal in which to prompt you. Read the text above. "
        f"{confirm}"
    )


def is_yes(answer: str) -> bool:
    """True for the key that agrees; who types the word out means it too."""
    return answer.strip().lower() in ("y", "yes")


def print_json(form: dict[str, Any]) -> None:
    """Print a document for programs."""
    print(json.dumps({"schema": SCHEMA, **form}, indent=1, allow_nan=False))


def forget_output() -> None:
    """Where nobody takes the output any more (`| head`, a full disk), no more goes there.

    What is still buffered would raise again at exit.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse_for(why: Trouble) -> int:
    """Say what happened, what it means and what to do, and give the exit code."""
    refuse(clean(why.happened))
    print(clean(why.meaning), clean(why.next_step), sep="\n", file=sys.stderr)
    return 2


def refuse(text: str) -> int:
    """Say one sentence, and give the exit code."""
    print(f"rdna1-setup: {clean_lines(text)}", file=sys.stderr)
    return 2
