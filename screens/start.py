"""Hands the core to the screens: every service that they are given, for one command line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from screens.choose import services as choose_services
from screens.conv2d import services as conv2d_services
from screens.diagnose import services as diagnose_services
from screens.history import services as history_services
from screens.late_executor import LateExecutor
from screens.report import services as report_services
from screens.review import services as review_services
from screens.rights import LentTerminal
from screens.run import earlier
from screens.run import services as run_services
from screens.services import DEMO, DRY_RUN, LIVE, Services
from screens.themes import theme_for
from wizard.commands.choosing import folder_of
from wizard.commands.looking import acts, host_of, places_of, speed_of_line
from wizard.glyphs import is_console, speaks_unicode
from wizard.run.restart import restart_words
from wizard.run.standing import can_undo
from wizard.run.watching import at_work

if TYPE_CHECKING:
    from screens.services import DetectedPart
    from wizard.machine.facts import Machine
    from wizard.machine.host import Host
    from wizard.places import Places


def run(arguments: argparse.Namespace) -> int:
    """Show the wizard; gives the exit code."""
    from screens.app import SetupApp, show

    lent = LentTerminal()
    lent.app = SetupApp(services_for(arguments, lent))
    return show(lent.app)


def services_for(arguments: argparse.Namespace, lent: LentTerminal | None = None) -> Services:
    """The services of one command line: the executor is chosen here, once."""
    host, live = host_of(arguments), acts(arguments)
    places, lent = places_of(host), lent or LentTerminal()
    executor = LateExecutor(partial(run_services.executor, live, places, lent))
    sweep = conv2d_services.play_example if arguments.demo else conv2d_services.no_sweep
    if live:
        sweep = partial(conv2d_services.run_sweep, host, places)
    return Services(
        mode=LIVE if live else DEMO if arguments.demo else DRY_RUN,
        detect=partial(_detect, host),
        recommend=choose_services.recommendation,
        stacks=choose_services.stacks,
        claims=choose_services.claims,
        applications=choose_services.applications,
        suggest_folder=lambda machine, stack: folder_of(arguments, stack, machine.access.home),
        make_plan=partial(review_services.make_plan, arguments, host),
        make_clearing=partial(review_services.make_clearing, host),
        make_keep=partial(review_services.keep_setting, host),
        settle=partial(review_services.settle, arguments, host) if live else None,
        obstacle=lambda plan: None if host.name else review_services.refusal_of(host, plan),
        seek_wheels=partial(review_services.seek_wheels, host) if live else None,
        wheels_size=partial(review_services.wheels_size, host) if live else None,
        undoable=lambda: live and can_undo(places),
        unfinished=lambda: (
            earlier.unfinished(places, arguments.venv, _addresses(arguments)) if live else None
        ),
        half_back=lambda: earlier.half_back_run(places) if live else "",
        restart=lambda: restart_words(places) if live else "",
        way_back=partial(run_services.way_back, host, places, executor),
        carry_out=executor.carry_out,
        ask_to_stop=executor.cancel,
        presets=conv2d_services.presets,
        run_sweep=sweep,
        sweep_command=conv2d_services.command_of,
        layers_in=conv2d_services.layers_in,
        circumstances=partial(conv2d_services.circumstances, host),
        save_text=partial(_save_text, places) if live else None,
        log_of=lambda plan: run_services.log_of(places, plan) if live else "",
        at_work=lambda: None if host.name else at_work(),
        diagnosing=diagnose_services.diagnosing_of(host),
        rehearsal=partial(run_services.rehearsal, lent) if live else None,
        rehearsed=review_services.rehearsed if live else lambda _: None,
        replayed=conv2d_services.example_told() if arguments.demo else "",
        stop_sweep=partial(conv2d_services.stop_sweep, places) if live else None,
        sweep_under_way=lambda: conv2d_services.under_way(places) if live else None,
        past=history_services.past_of(host, places, live=live),
        roads=choose_services.roads,
        line_speed=lambda: speed_of_line(host, places),
        report=partial(report_services.draft_report, host, places, live=live),
        unicode=speaks_unicode(os.environ),
        console=is_console(os.environ),
        theme=theme_for(os.environ),
    )


def _addresses(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Where this start was told to fetch from, with logins that no journal keeps."""
    return arguments.torch_index, arguments.python_mirror


def _detect(host: Host, on_part: Callable[[DetectedPart], None]) -> Machine:
    from wizard.machine.detect import detect

    return detect(host, on_part)


def _save_text(places: Places, name: str, text: str) -> str:
    folder = Path(places.state) / "saved"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{datetime.now().astimezone():%Y%m%d-%H%M%S}-{Path(name).name}"
    path.write_text(text, "utf-8", "backslashreplace")  # a name in it may be of any bytes
    return str(path)
