"""Whether dpkg and apt are free to work, and hold what the plan believes."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.machine.facts import PackageWork
from wizard.machine.package_states import STATES, Row, installed_rows
from wizard.machine.package_work import package_work
from wizard.operations.packages import (
    AptChange,
    FinishInterrupted,
    KeepDebs,
    MarkPackages,
    Versions,
)
from wizard.plan.steps import Plan, Step
from wizard.preflight.refusal import Refusal

HALF_INSTALLED, REINSTALL = STATES["H"], "must be reinstalled"
APT_STEPS = (AptChange, KeepDebs, FinishInterrupted, MarkPackages)


def package_refusals(plan: Plan, host: Host) -> tuple[Refusal, ...]:
    """Why packages cannot be changed now; looks at the machine anew."""
    if not any(isinstance(step, APT_STEPS) for step in plan.steps):
        return ()
    rows = installed_rows(host)
    work = package_work(host, rows)
    if isinstance(rows, Unknown):
        return (_unknown(rows),)
    return (*_locked(work), *_unfinished(plan, work), *_held(plan, rows), *_changed(plan, rows))


def _unknown(why: Unknown) -> Refusal:
    return Refusal(
        f"The list of installed packages cannot be read: {why.because}.",
        "Without this list, nothing can be removed safely. Nothing was changed.",
        "Make sure that `dpkg-query --show` works, then run the same command again.",
    )


def _locked(work: PackageWork) -> Iterator[Refusal]:
    if isinstance(work.lock_holder, Unknown) or not work.lock_holder:
        return
    yield Refusal(
        f"{work.lock_holder} is installing or removing packages right now.",
        "Only one program can install or remove packages at a time. Nothing was changed.",
        "Wait until the other program has finished, then run the same command again. Never delete "
        "the lock: it protects the package database.",
    )


def _unfinished(plan: Plan, work: PackageWork) -> Iterator[Refusal]:
    """What dpkg left half done, unless the plan finishes or removes it itself."""
    finishes = any(isinstance(step, FinishInterrupted) for step in plan.steps)
    if work.interrupted and not finishes and not work.lock_holder:
        yield Refusal(
            "dpkg was interrupted and has not finished its work.",
            "apt refuses everything else until this work is finished. Nothing was changed.",
            "Run `sudo dpkg --configure -a`, then run the same command again.",
        )
    named = () if isinstance(work.unfinished, Unknown) else work.unfinished
    gone = {name for step in plan.steps if isinstance(step, AptChange) for name in step.remove}
    left = [one for one in named if one.split(" ")[0] not in gone]
    cut = [one for one in left if HALF_INSTALLED in one or REINSTALL in one]
    if cut:  # dpkg cannot finish what was cut off while it was unpacked
        names = " ".join(one.split(" ")[0] for one in cut)
        yield _not_fully(
            cut,
            f"Run `sudo apt-get install --reinstall {names}`. If no archive has the package, run "
            f"`sudo dpkg --remove --force-remove-reinstreq {names}`. Then run the same command "
            "again.",
        )
    elif left and not finishes:
        yield _not_fully(
            left,
            "Run `sudo dpkg --configure -a` and read its output. If amdgpu-dkms failed, "
            "`rdna1-setup clean-up` removes it.",
        )


def _not_fully(left: list[str], remedy: str) -> Refusal:
    return Refusal(
        f"These packages are not fully installed: {', '.join(left[:5])}.",
        "Every apt command tries to finish installing these packages, and fails. Nothing was "
        "changed.",
        remedy,
    )


def _held(plan: Plan, rows: list[Row]) -> Iterator[Refusal]:
    touched = {
        name
        for step in plan.steps
        if isinstance(step, AptChange)
        for name in (*step.expect_remove, *(one for one, _ in step.expect_install))
    }
    held = sorted(row.name for row in rows if row.held and row.name in touched)
    if held:
        yield Refusal(
            f"apt was told to keep {', '.join(held)} unchanged.",
            "The plan would change these packages, so it was not started. Nothing was changed.",
            f"If you want to change them, run this first: sudo apt-mark unhold {' '.join(held)}",
        )


def _named(step: Step) -> Versions:
    """Packages that a step takes to be installed in these versions."""
    match step:
        case KeepDebs(packages=packages, coming=False) | AptChange(for_good=packages):
            return packages
        case _:
            return ()


def _changed(plan: Plan, rows: list[Row]) -> Iterator[Refusal]:
    there = {(row.name, row.version) for row in rows}
    wanted = [pair for step in plan.steps for pair in _named(step)]
    lost = [f"{name} {version}" for name, version in wanted if (name, version) not in there]
    if lost:
        yield Refusal(
            f"These packages in the plan are no longer installed: {', '.join(lost[:5])}.",
            "Packages changed after the plan was made. This run changed nothing.",
            "Make the plan again and review it.",
        )
