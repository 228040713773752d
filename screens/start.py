"""Hands the core to the screens: every service that they are given, for one command line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any

from screens.app import SetupApp, show
from screens.rights import LentTerminal
from screens.themes import theme_for
from wizard.glyphs import is_console, speaks_unicode
from wizard.services import DEMO, DRY_RUN, LIVE, Services
from wizard.services.command_line import acts, host_of
from wizard.services.runs import Runs


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
