"""Going on with a run that was cut off: which of its steps are done, and its plan as it began."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from wizard.core.credentials import HIDDEN_LOGIN, redact
from wizard.core.journal import ROLLED_BACK, UNFINISHED, Kind, Record
from wizard.core.own_files import Places
from wizard.operations.drop_downloads import DropDownloads
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.operation import Operation
from wizard.operations.resolve import Resolve
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.plan.choice import Choice
from wizard.plan.form import plan_of, with_addresses
from wizard.plan.group_steps import joining_nothing
from wizard.plan.impossible import PlanImpossible
from wizard.plan.steps import Plan
from wizard.run.journal import Owned
from wizard.run.runs import read_records

OF_PIP = re.compile(r"bin/pip[\d.]*|lib/python[\d.]+/site-packages/(pip|~)[^/]*/.*")
"""What a pip that replaces itself writes and removes."""
OF_SETUPTOOLS = re.compile(
    r"lib/python[\d.]+/site-packages/(setuptools|pkg_resources|_distutils_hack)[^/]*/.*"
)
"""What a setuptools that replaces another writes and removes."""


def done_steps(plan: Plan, record: Record) -> frozenset[int]:
    """Numbers of the steps whose outcome was noted and still holds."""
    steps = dict(enumerate(plan.steps, 1))
    installs = {n for n, step in steps.items() if isinstance(step, InstallWheels)}
    begun_to_install = bool(installs & record.intents.keys())

    def holds(number: int, step: Operation) -> bool:
        if isinstance(step, InstallWheels):  # its lock goes with the downloads
            return _stands(Path(step.venv), Owned(Path(record.folder)).read())
        if isinstance(step, SetAsidePackages) and begun_to_install:
            return True  # what stands there now is no first state: moving it would mix the two
        return step.holds(record.intents.get(number, {}))

    done = {n for n, step in steps.items() if n in record.outcomes and holds(n, step)}
    if done & installs:
        done |= {n for n, step in steps.items() if isinstance(step, (FetchWheels, Resolve))}
    else:  # what is fetched anew must be dropped anew
        done -= {n for n, step in steps.items() if isinstance(step, DropDownloads)}
    return frozenset(done)


def _stands(venv: Path, noted: Iterable[str]) -> bool:
    """True where all that is ours is there, but for what gave way to a newer release of its own."""
    there, gone = set[str](), set[str]()
    for path in noted:
        (there if (venv / path).exists() else gone).add(path)
    newer = any(OF_SETUPTOOLS.fullmatch(p) and p.endswith(".dist-info/RECORD") for p in there)
    return all(OF_PIP.fullmatch(p) or (newer and OF_SETUPTOOLS.fullmatch(p)) for p in gone)


def stopped_plan(
    kind: Kind,
    places: Places,
    folder: str = "",
    cause: str = "",
    *,
    addresses: tuple[str, ...] = (),
) -> Plan | None:
    """The plan of the newest such run of this kind and cause, in that folder where one is named.

    Raises PlanImpossible as ``resumed_plan`` does: half done, no other may begin.
    """
    for record in read_records(Path(places.runs)):
        same = (record.kind, record.plan["cause"]) == (kind, cause) and record.state == UNFINISHED
        there = record.plan["venv"]
        if same and (
            not folder or not there or os.path.realpath(folder) == os.path.realpath(there)
        ):
            return resumed_plan(record, *addresses)
    return None


def as_begun(plan: Plan, choice: Choice, places: Places) -> Plan:
    """The plan of the run in this folder, where the two differ in the groups that are joined alone.

    Once the user is in them, what was asked would give a plan without that step. Who declines it
    makes another plan. Raises PlanImpossible as ``resumed_plan`` does.
    """
    here, wanted = os.path.realpath(plan.venv), joining_nothing(plan).id
    for record in read_records(Path(places.runs)):
        if record.state == ROLLED_BACK or os.path.realpath(record.plan["venv"]) != here:
            continue
        if _does(record, wanted, declines=choice.without_groups):
            return resumed_plan(record, choice.torch_index, choice.python_mirror)
    return plan


def _does(record: Record, wanted: str, *, declines: bool) -> bool:
    """True for a run whose plan has this id but for the groups that it joins."""
    try:
        begun = plan_of(record.plan)
    except ValueError:  # of another version of this program
        return False
    return joining_nothing(begun).id == wanted and not (declines and begun.relogin_needed)


def resumed_plan(record: Record, *addresses: str) -> Plan:
    """The plan that a run goes on with: logins, which no journal keeps, are taken from these
    addresses, given anew.

    Raises PlanImpossible where one is missing, or the plan cannot be read.
    """
    _read(record)
    known = {redact(address): address for address in addresses}
    missing: list[tuple[str, str]] = []

    def whole(option: str, address: str) -> str:
        found = known.get(address, address)
        if f"://{HIDDEN_LOGIN}" in found:
            missing.append((option, found))
        return found

    steps = [with_addresses(step, whole) for step in record.plan["steps"]]
    for option, address in missing:
        raise PlanImpossible(
            f"Run {record.id} used {address} with a login, and logins are not saved. Use {option} "
            "with that address and login again, or undo the run first: rdna1-setup rollback "
            f"{record.id}"
        )
    return plan_of({**record.plan, "steps": steps})


def _read(record: Record) -> Plan:
    try:
        return plan_of(record.plan)
    except ValueError:
        raise PlanImpossible(
            f"Run {record.id} is unfinished, and its plan is damaged or from another version of "
            f"this program. Nothing was started. Undo it first: rdna1-setup rollback {record.id}"
        ) from None
