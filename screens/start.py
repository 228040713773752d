"""Hands the core to the screens: every service that they are given, for one command line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from typing import Any

from textual.app import App, SuspendNotSupported

from screens.app import SetupApp, show
from screens.themes import theme_for
from wizard.core.glyphs import is_console, speaks_unicode
from wizard.services import DEMO, DRY_RUN, LIVE, Services
from wizard.services.command_line import acts, host_of
from wizard.services.runs import Runs

LENT = (
    "The next part of the plan needs root. You are prompted for your password here, and then the "
    "wizard returns.\nOnly sudo sees the password, and nothing is done until you type yes."
)


class Later:
    """A service that is loaded when it is first asked: the first frame waits for none of them."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def _service(self) -> Any:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # a copy of this one asks before it has anything to load
            raise AttributeError(name)
        return getattr(self._service, name)


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


def run(arguments: argparse.Namespace) -> int:
    """Show the wizard; gives the exit code."""
    lent = LentTerminal()
    lent.app = SetupApp(services_for(arguments, lent))
    return show(lent.app)


def services_for(arguments: argparse.Namespace, lent: LentTerminal | None = None) -> Services:
    """The services of one command line: whether they act is decided here, once."""
    host, live = host_of(arguments), acts(arguments)
    experiments = "Experiments" if live else "Example" if arguments.demo else "NoExperiments"

    def later(module: str, name: str, *given: Any, **named: Any) -> Any:
        return Later(
            lambda: getattr(import_module(f"wizard.services.{module}"), name)(*given, **named)
        )

    return Services(
        mode=LIVE if live else DEMO if arguments.demo else DRY_RUN,
        knowledge=later("machine", "Knowledge", arguments, host),
        plans=later("plans", "Plans", arguments, host),
        runs=Runs(arguments, host, lent or LentTerminal(), live=live),
        experiments=later("experiments", experiments, host),
        diagnostics=later("machine", "Diagnostics", host),
        reports=later("machine", "Reports", host, live=live),
        past=later("experiments", "Past", host, live=live),
        unicode=speaks_unicode(os.environ),
        console=is_console(os.environ),
        theme=theme_for(os.environ),
    )
