"""Indexes and repositories for the screens: asked on a live machine alone."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from screens.sources import Sources

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from wizard.available.session import Known
    from wizard.machine.facts import Machine
    from wizard.machine.host import Host
    from wizard.places import Places


def sources_of(host: Host, places: Places, arguments: argparse.Namespace, *, live: bool) -> Sources:
    """The sources that a command line names, or the stacks' own."""
    from wizard.commands.available import silence_of

    return Sources(
        known=partial(_known, host, arguments),
        ask=partial(_ask, host, places) if live else None,
        silent="" if live else silence_of(arguments),
    )


def _known(host: Host, arguments: argparse.Namespace, machine: Machine) -> Known:
    from wizard.available.session import known
    from wizard.commands.available import named_by, state_of

    return known(machine, named_by(arguments), state_of(host))


def _ask(host: Host, places: Places, before: Known) -> AsyncGenerator[Known, None]:
    from wizard.available.session import ask_all

    return ask_all(before, host.environ, Path(places.state))
