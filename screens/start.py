"""Hands the core to the screens: every service that they are given, for one command line."""

from __future__ import annotations

import argparse
import os
from collections.abc import AsyncGenerator, Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from screens import (
    diagnose_services,
    past_services,
    report_services,
    source_services,
    sweep_services,
)
from screens.rights import LentTerminal
from screens.services import (
    DEMO,
    DRY_RUN,
    LIVE,
    Rehearsing,
    Services,
    Unfinished,
    WayBack,
)
from wizard.commands.choosing import folder_of, with_sources
from wizard.commands.looking import acts, host_of, places_of, speed_of_line, there_before
from wizard.glyphs import is_console, speaks_unicode
from wizard.run.executor import Executor
from wizard.run.rehearsal import Rehearsal

if TYPE_CHECKING:
    from screens.services import DetectedPart
    from wizard.conv2d.asked import Request
    from wizard.conv2d.presets import Preset
    from wizard.conv2d.setting_answer import Found
    from wizard.conv2d.sweep import SweepEvent
    from wizard.knowledge.applications import Application
    from wizard.knowledge.claims import Claim
    from wizard.knowledge.roads import OtherRoad
    from wizard.knowledge.stacks import Stack
    from wizard.machine.facts import Machine
    from wizard.machine.host import Host
    from wizard.overlay.rehearsed import Rehearsed
    from wizard.places import Places
    from wizard.plan.advice import Advice
    from wizard.plan.choice import Choice
    from wizard.plan.steps import Plan
    from wizard.run.trouble import Trouble
    from wizard.run.watching import AtWork


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
    executor = _executor(live, places, lent)
    return Services(
        mode=LIVE if live else DEMO if arguments.demo else DRY_RUN,
        detect=partial(_detect, host),
        advise=_advise,
        stacks=_stacks,
        claims=_claims,
        applications=_applications,
        suggest_folder=lambda machine, stack: folder_of(arguments, stack, machine.access.home),
        make_plan=partial(_make_plan, arguments, host),
        make_clearing=partial(_make_clearing, host),
        make_keep=partial(_make_keep, host),
        settle=partial(_settle, arguments, host) if live else None,
        obstacle=lambda plan: None if host.name else _obstacle(host, plan),
        undoable=lambda: live and _undoable(places),
        unfinished=lambda: _unfinished(places, arguments.venv) if live else None,
        half_back=lambda: _half_back(places) if live else "",
        way_back=partial(_way_back, host, places, executor),
        carry_out=executor.carry_out,
        ask_to_stop=executor.cancel,
        presets=_presets,
        run_sweep=partial(sweep_services.run_sweep, host, places) if live else _no_sweep,
        sweep_command=sweep_services.command_of,
        layers_in=sweep_services.layers_in,
        circumstances=partial(sweep_services.circumstances, host),
        save_text=partial(_save_text, places) if live else None,
        log_of=lambda plan: _log_of(places, plan) if live else "",
        sources=source_services.sources_of(host, places, arguments, live=live),
        at_work=lambda: None if host.name else _at_work(),
        diagnosing=diagnose_services.diagnosing_of(host),
        rehearsal=partial(_rehearsal, lent) if live else None,
        rehearsed=_rehearsed if live else lambda _: None,
        stop_sweep=partial(sweep_services.stop_sweep, places) if live else None,
        sweep_under_way=lambda: sweep_services.under_way(places) if live else None,
        past=past_services.past_of(host, places, live=live),
        roads=_roads,
        line_speed=lambda: speed_of_line(host, places),
        report=partial(report_services.draft_report, host, places, live=live),
        unicode=speaks_unicode(os.environ),
        console=is_console(os.environ),
    )


def _executor(live: bool, places: Places, lent: LentTerminal) -> Executor:
    if not live:
        return Rehearsal()
    from wizard.run.live import Live

    return Live(places, os.environ, ask_for_rights=lent)


def _rehearsal(lent: LentTerminal) -> Rehearsing:
    from wizard.overlay.rehearsing import OverlayRehearsal

    return OverlayRehearsal(os.environ, lent)


def _rehearsed(plan: Plan) -> Rehearsed | None:
    from wizard.overlay.rehearsed import find_rehearsed

    return find_rehearsed(plan)


def _detect(host: Host, on_part: Callable[[DetectedPart], None]) -> Machine:
    from wizard.machine.detect import detect

    return detect(host, on_part)


def _advise(machine: Machine, applications: tuple[str, ...]) -> Advice:
    from wizard.plan.advice import advise

    return advise(machine, applications)


def _stacks() -> tuple[Stack, ...]:
    from wizard.knowledge.stacks import load_stacks

    return load_stacks()


def _claims() -> tuple[Claim, ...]:
    from wizard.knowledge.claims import load_claims

    return load_claims()


def _roads() -> tuple[OtherRoad, ...]:
    from wizard.knowledge.roads import load_roads

    return load_roads()


def _applications() -> tuple[Application, ...]:
    from wizard.knowledge.applications import load_applications

    return load_applications()


def _make_plan(arguments: argparse.Namespace, host: Host, machine: Machine, choice: Choice) -> Plan:
    from wizard.commands.making import plan_here

    return plan_here(machine, with_sources(choice, arguments), host)


def _make_clearing(host: Host, machine: Machine, kind: str, scopes: tuple[str, ...]) -> Plan:
    from wizard.run.clearing import clearing_plan

    return clearing_plan(kind, scopes, machine, host)


def _make_keep(host: Host, found: Found) -> Plan:
    from wizard.plan.keep_setting import make_keep

    return make_keep(host, found.venv, found.setting)


def _settle(arguments: argparse.Namespace, host: Host, machine: Machine, choice: Choice) -> Plan:
    import asyncio

    from wizard.run.live import now
    from wizard.run.settling import asking_of, settled_plan

    choice, places = with_sources(choice, arguments), places_of(host)
    asking = asking_of(host, places, host.environ, now())
    there = there_before(host, choice.venv)
    return asyncio.run(settled_plan(machine, choice, places, there, asking))


def _obstacle(host: Host, plan: Plan) -> Trouble | None:
    from wizard.run.ready import obstacle

    places = places_of(host)
    found = obstacle(plan, places)
    needs_root = any(step.needs_root for step in plan.steps)
    return found or (_refusal(host, places, plan) if needs_root else None)


def _refusal(host: Host, places: Places, plan: Plan) -> Trouble | None:
    import asyncio

    from wizard.run.live import now
    from wizard.run.settling import asking_of, preflight
    from wizard.run.trouble import Trouble

    asking = asking_of(host, places, host.environ, now())
    refusals = asyncio.run(preflight(plan, places, asking)).refusals
    if not refusals:
        return None
    happened = " ".join(each.happened for each in refusals)
    return Trouble(happened, refusals[0].meaning, " ".join(each.next_step for each in refusals))


def _way_back(host: Host, places: Places, executor: Executor) -> WayBack:
    from wizard.run.taking_back import TakingBack, find_whole_undo

    found = find_whole_undo(places, host)
    taking = TakingBack(found, executor, places)
    return WayBack(str(found.folder), found.system, taking.events, taking.cancel)


def _unfinished(places: Places, asked: str | None) -> Unfinished | None:
    from wizard.plan.fix_kind import is_fix
    from wizard.run.ready import unfinished_run

    record = unfinished_run(places)
    if record is None:
        return None
    plan = record.plan
    footprint = str(plan.get("footprint", "venv"))
    if not plan["venv"] or is_fix(plan["stack"]):
        from wizard.plan.form import plan_of

        return Unfinished(record.id, plan["stack"], plan["venv"], footprint, plan_of(plan))
    elsewhere = bool(asked) and os.path.realpath(str(asked)) != os.path.realpath(plan["venv"])
    return Unfinished(record.id, plan["stack"], plan["venv"], footprint, elsewhere=elsewhere)


def _half_back(places: Places) -> str:
    from wizard.run.ready import half_back

    record = half_back(places)
    return record.id if record is not None else ""


def _log_of(places: Places, plan: Plan) -> str:
    from wizard.run.journal import read_records
    from wizard.run.log import log_of

    records = read_records(Path(places.runs))
    return next((log_of(record) for record in records if record.plan["id"] == plan.id), "")


def _at_work() -> AtWork | None:
    from wizard.run.watching import at_work

    return at_work()


def _undoable(places: Places) -> bool:
    from wizard.run.undo import can_undo

    return can_undo(places)


def _presets() -> tuple[Preset, ...]:
    from wizard.conv2d.presets import load_presets

    return load_presets()


async def _no_sweep(request: Request) -> AsyncGenerator[SweepEvent, None]:
    """In a dry run and in the demo no sweep can be started, whatever a screen asks for."""
    raise ValueError(f"a dry run starts nothing, {type(request).__name__} included")
    yield  # makes this a generator


def _save_text(places: Places, name: str, text: str) -> str:
    folder = Path(places.state) / "saved"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{datetime.now().astimezone():%Y%m%d-%H%M%S}-{Path(name).name}"
    path.write_text(text, "utf-8")
    return str(path)
