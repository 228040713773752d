"""Lends the terminal to a program that must ask on it: sudo its password, root's helper its yes."""

from __future__ import annotations

import sys
from collections.abc import Awaitable
from contextlib import suppress

from textual.app import App, SuspendNotSupported

LENT = (
    "The next part of the plan needs root. You are prompted for your password here, and then the "
    "wizard returns.\nOnly sudo sees the password, and nothing is done until you type yes."
)


class LentTerminal:
    """Runs one program while the terminal is its own; the app draws nothing meanwhile."""

    def __init__(self) -> None:
        self.app: App[int] | None = None

    async def __call__(self, argv: tuple[str, ...], stdin: int, stdout: int) -> int:
        """The program's exit code."""
        from wizard.root.rights import ask_here  # not before the first frame

        app = self.app
        if app is None or app.is_headless:
            return await ask_here(argv, stdin, stdout)
        try:
            # Nothing may be raised inside: Textual would not take the terminal back.
            with app.batch_update(), app.suspend():
                code = await _asked(ask_here(argv, stdin, stdout))
        except SuspendNotSupported:
            return await ask_here(argv, stdin, stdout)
        app.refresh(layout=True)
        return code


def _say(text: str) -> None:
    """Tells on the terminal itself what is asked there, and why the screens are gone."""
    stream = sys.__stdout__
    if stream is not None:
        with suppress(OSError):
            stream.write(f"{text}\n")
            stream.flush()


async def _asked(asking: Awaitable[int]) -> int:
    _say(LENT)
    try:
        return await asking
    except OSError:
        return -1
