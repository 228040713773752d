"""Where a run stands: which steps are done, and what an interrupted one left."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from wizard.journalform import Record
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.operation import Operation
from wizard.operations.remove import DropDownloads
from wizard.operations.resolve import Resolve
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.plan.steps import Plan
from wizard.run.environment.ownership import Owned

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
