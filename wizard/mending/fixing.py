"""The plan that mends one finding of ``diagnose``: reviewed and taken back like any other."""

from __future__ import annotations

from dataclasses import replace

from wizard.core.journal import Kind
from wizard.diagnose.finding import About, Finding
from wizard.host.host import Host
from wizard.machine.facts import Machine
from wizard.mending.mendable import has_plan, without_plan
from wizard.mending.packages import Supply, numpy_exchanged, torch_anew
from wizard.mending.settings import Mending, losing_override, settings_out, steps_by_hand
from wizard.mending.system import finished, groups_joined, pinned
from wizard.operations.groups import AddToGroups
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.plan.identity import with_id
from wizard.plan.impossible import NothingToDo, PlanImpossible
from wizard.plan.removal import system_plan
from wizard.plan.steps import Plan

NEW_TERMINAL = (
    "Running programs keep the old setting, and so does this terminal. Afterward, open a new "
    "terminal, or log out and log in again."
)
ANOTHER_LIBRARY_PATH = (
    "If no other lines pointed to the system's own ROCm, programs may no "
    "longer find its libraries. AMD's packages list the library folder in /etc/ld.so.conf.d."
)


def make_fix(
    host: Host, machine: Machine, finding: Finding, *, supply: Supply | None = None
) -> Plan:
    """The plan that mends it; raises NothingToDo or PlanImpossible with what to do by hand."""
    about = finding.about
    if about is None or not has_plan(finding):
        steps = " ".join(f"{number}. {step}" for number, step in enumerate(finding.fix, 1))
        why = without_plan(finding)
        raise PlanImpossible(f"{finding.title}. {why} {steps}".rstrip())
    mending = _mending(host, machine, finding.cause, about, supply or Supply())
    if not mending.steps:
        by_hand = (f"{step}." for step in steps_by_hand(machine, about.settings))
        told = " ".join((*mending.notes, *by_hand))
        raise PlanImpossible(f"rdna1-setup cannot remove only these settings. {told}".rstrip())
    return _plan(finding, about, mending)


def _mending(host: Host, machine: Machine, cause: str, about: About, supply: Supply) -> Mending:
    match cause:
        case "numpy2-abi":
            return numpy_exchanged(host, machine, about, supply)
        case "wheel-library-replaced":
            return torch_anew(host, machine, about, supply)
        case "kfd-permission":
            return groups_joined(machine, about.groups)
        case "dpkg-interrupted":
            return finished(machine)
        case "apt-distro-shadows-amd":
            return pinned(host, machine, about.packages)
        case _:
            return _settings(host, machine, cause, about)


def _settings(host: Host, machine: Machine, cause: str, about: About) -> Mending:
    found = settings_out(host, machine, about.settings)
    if not found.steps:
        return found
    notes = [NEW_TERMINAL]
    if cause in ("stale-override", "override-isa-mismatch"):
        notes += losing_override(machine, about.settings)
    if cause == "library-path-shadow":
        notes.append(ANOTHER_LIBRARY_PATH)
    return found + Mending((), tuple(notes))


def _plan(finding: Finding, about: About, mending: Mending) -> Plan:
    """A plan about files and the system alone, or one that exchanges packages in a folder."""
    plan = system_plan(Kind.FIX, mending.steps, mending.notes, cause=finding.cause)
    joins = any(isinstance(step, AddToGroups) for step in mending.steps)
    exchanges = any(isinstance(step, SetAsidePackages) for step in mending.steps)
    if exchanges:
        plan = replace(
            plan,
            footprint="venv",
            venv=about.environment,
            download_bytes=None,
            installed_bytes=None,
        )
    return with_id(replace(plan, relogin_needed=joins))


__all__ = ["NothingToDo", "PlanImpossible", "Supply", "has_plan", "make_fix"]
