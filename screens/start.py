"""Hands the core to the screens: every service that they are given, for one command line."""

from __future__ import annotations

import argparse
import os

from screens.rights import LentTerminal
from screens.themes import theme_for
from wizard.commands.looking import acts, host_of
from wizard.core.glyphs import is_console, speaks_unicode
from wizard.services import DEMO, DRY_RUN, LIVE, Services
from wizard.services.diagnostics import Diagnostics
from wizard.services.experiments import Example, Experiments, NoExperiments
from wizard.services.knowledge import Knowledge
from wizard.services.past import Past
from wizard.services.plans import Plans
from wizard.services.reports import Reports
from wizard.services.runs import Runs


def run(arguments: argparse.Namespace) -> int:
    """Show the wizard; gives the exit code."""
    from screens.app import SetupApp, show

    lent = LentTerminal()
    lent.app = SetupApp(services_for(arguments, lent))
    return show(lent.app)


def services_for(arguments: argparse.Namespace, lent: LentTerminal | None = None) -> Services:
    """The services of one command line: whether they act is decided here, once."""
    host, live = host_of(arguments), acts(arguments)
    experiments = Experiments if live else Example if arguments.demo else NoExperiments
    return Services(
        mode=LIVE if live else DEMO if arguments.demo else DRY_RUN,
        knowledge=Knowledge(arguments, host),
        plans=Plans(arguments, host),
        runs=Runs(arguments, host, lent or LentTerminal(), live=live),
        experiments=experiments(host),
        diagnostics=Diagnostics(host),
        reports=Reports(host, live=live),
        past=Past(host, live=live),
        unicode=speaks_unicode(os.environ),
        console=is_console(os.environ),
        theme=theme_for(os.environ),
    )
