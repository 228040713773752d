"""What apt and the indexes are asked before a run, and the folder of what they answer."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from wizard.apt.programs import Children
from wizard.apt.view import Asking
from wizard.core.journal import UNFINISHED, Record
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble, as_trouble
from wizard.host.contents import Contents
from wizard.host.host import Host, places_of
from wizard.knowledge.stacks import find_stack
from wizard.machine.facts import Machine
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.resolve import Resolve
from wizard.plan.choice import Choice
from wizard.plan.package_resolution import prepare
from wizard.plan.planner import make_plan
from wizard.plan.rollback_packages import RollbackFiles, find_rollback_files
from wizard.plan.room import wheel_steps
from wizard.plan.start_check import check
from wizard.plan.steps import Plan
from wizard.run.resume import resumed_plan
from wizard.run.runs import read_records, records_of
from wizard.system.downloads import size_on_servers
from wizard.system.lock import read_wheels
from wizard.system.system import System
from wizard.system.web import open_web


def preflight_folder(places: Places) -> Path:
    """Where apt's lists, and packages that were built for a plan, are."""
    return Path(places.cache) / "preflight"


@contextmanager
def asking_folder(folder: Path) -> Iterator[None]:
    """That folder while something is asked; gone again, with ours above it and all that was not
    there before, where nothing came."""
    new = [above for above in folder.parent.parents if not above.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        _drop_empty(folder, folder.parent, *new)


@contextmanager
def _asking(host: Host) -> Iterator[Asking]:
    """With what this machine and its archives are asked."""
    environ, now = host.environ, datetime.now().astimezone()
    folder = preflight_folder(places_of(host))
    with asking_folder(folder):
        yield Asking(host, Children(environ), open_web(environ), folder, now)


def drop_preflight(places: Places) -> None:
    """Remove that folder, unless a run that stopped before its end installs something out of it."""
    folder = preflight_folder(places)
    if not any(_installs_from(folder, record) for record in read_records(Path(places.runs))):
        shutil.rmtree(folder, ignore_errors=True)
        _drop_empty(folder.parent)


def _drop_empty(*folders: Path) -> None:
    """Remove those that are empty: another run of ours may have removed one already."""
    for each in folders:
        with suppress(OSError):
            each.rmdir()


def _installs_from(folder: Path, record: Record) -> bool:
    debs = (deb for step in record.plan["steps"] for deb in step.get("debs", ()))
    return record.state == UNFINISHED and any(folder in Path(deb["path"]).parents for deb in debs)


def resolved_plan(machine: Machine, choice: Choice, there: Contents | None, host: Host) -> Plan:
    """The plan, exact to each package. Raises PlanImpossible, or Trouble for what preflight finds.

    A run of this choice that was cut off keeps its own plan: half done, the machine would give
    another one.
    """
    ours = places_of(host)
    waiting = unfinished_plan(choice, ours)
    if waiting is not None:
        return waiting
    stack = find_stack(choice.stack)
    release = choice.system_release or (stack.system_release if stack is not None else "")
    if choice.footprint == "venv" or not release:
        return make_plan(machine, choice, ours, there)
    with _asking(host) as asking:
        prepared = asyncio.run(prepare(machine, choice, release, asking))
    return make_plan(machine, choice, ours, there, prepared)


def preflight(plan: Plan, host: Host) -> tuple[Trouble, ...]:
    """What speaks against beginning; nothing where there is no root's part."""
    if not any(step.needs_root for step in plan.steps) or goes_on(plan, host):
        return ()
    with _asking(host) as asking:
        return asyncio.run(check(plan, asking))


def goes_on(plan: Plan, host: Host) -> bool:
    """True where a run of this plan was cut off. Nobody is asked for such a one: its steps may be
    done already, and what it needs may all be here."""
    runs = records_of(host)
    return any(run.plan["id"] == plan.id and run.state == UNFINISHED for run in runs)


def rollback_files(plan: Plan, host: Host) -> RollbackFiles:
    """Where the packages that a plan removes can be had again; raises Trouble."""
    with _asking(host) as asking:
        return asyncio.run(find_rollback_files(plan.steps, asking))


def unfinished_plan(choice: Choice, places: Places) -> Plan | None:
    """The plan of an unfinished run with root's part for this stack and folder.

    Raises PlanImpossible as ``resumed_plan`` does.
    """
    here = os.path.realpath(choice.venv)
    for record in read_records(Path(places.runs)):
        plan = record.plan
        same = plan["stack"] == choice.stack and os.path.realpath(plan["venv"]) == here
        if same and record.state == UNFINISHED and plan.get("footprint") == choice.footprint:
            found = resumed_plan(record, choice.torch_index, choice.python_mirror)
            return found if any(step.needs_root for step in found.steps) else None
    return None


DEADLINE_S = 120.0
"""Nobody waits longer for a size; uv decides on torch and all that it takes in well below it."""
IMPATIENT = {"PIP_RETRIES": "1", "PIP_TIMEOUT": "10"}
"""A server that does not answer is not worth the deadline."""

NOT_BEFORE = "it is known only after the versions are chosen."
BRINGS_PYTHON = "the Python that this plan installs is not installed yet."
TOO_LATE = f"uv did not choose versions within {DEADLINE_S:.0f} seconds."
NOT_TOLD = "not every server reports the size of its wheels."


@dataclass(frozen=True, slots=True)
class WheelsSize:
    """What would be fetched, or why that is not known."""

    wheels: int = 0
    bytes: int | None = None
    """Of all wheels that are not on this machine yet; None where it is not known."""
    because: str = ""
    """Why it is not known."""


def asks_size(plan: Plan, host: Host) -> bool:
    """True where an index can be asked how much there is to fetch: not for a folder of wheels."""
    fetches, _ = wheel_steps(plan)
    return bool(fetches) and plan.download_bytes != 0 and not goes_on(plan, host)


async def wheels_size(
    plan: Plan, environ: Mapping[str, str], folder: Path, deadline_s: float = DEADLINE_S
) -> WheelsSize:
    """Let uv decide as the plan will, and ask the servers for sizes; fetches no wheel.

    In ``folder``, where nothing of it is left.
    """
    makes = next((step for step in plan.steps if isinstance(step, CreateEnvironment)), None)
    resolve = plan.resolve
    if resolve is None:
        return WheelsSize(because=NOT_BEFORE)
    python = makes.python if makes else resolve.python
    if not os.access(python, os.X_OK):
        return WheelsSize(because=BRINGS_PYTHON)
    try:
        with asking_folder(folder), TemporaryDirectory(prefix="size-", dir=folder) as work:
            told = f"{work}/told" if resolve.told else ""
            step = replace(resolve, python=python, work=work, told=told)
            return await asyncio.wait_for(_asked(step, {**environ, **IMPATIENT}), deadline_s)
    except asyncio.TimeoutError:
        return WheelsSize(because=TOO_LATE)
    except (Trouble, OSError) as error:
        return WheelsSize(because=as_trouble(error).happened)


async def _asked(step: Resolve, environ: Mapping[str, str]) -> WheelsSize:
    system = System(environ, step.work, lambda: False)
    async with aclosing(step.do(system, {})) as news:
        async for _ in news:
            pass
    left = Event()
    try:
        return await asyncio.to_thread(_added_up, step, environ, left)
    finally:
        left.set()


def _added_up(step: Resolve, environ: Mapping[str, str], left: Event) -> WheelsSize:
    wheels = read_wheels(Path(step.lock))
    web = open_web(environ, (step.manifest.index,) if step.manifest.index else ())
    size = size_on_servers(wheels, web, left.is_set)
    return WheelsSize(len(wheels), size, NOT_TOLD if size is None else "")
