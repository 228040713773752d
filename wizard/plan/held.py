"""Steps that bring packages into an environment that exists, while all its others are held."""

from __future__ import annotations

from wizard.machine.facts import Machine
from wizard.machine.facts.contents import Contents, Distribution
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.resolve import Resolve, is_version
from wizard.operations.uv_project import Wishes
from wizard.plan.python_steps import uv_of


def resolve_held(
    reason: str,
    machine: Machine,
    there: Contents,
    goes: tuple[Distribution, ...],
    wishes: Wishes,
    work: str,
) -> Resolve:
    """Choose what is wished for, with every package held that does not go."""
    stay = (each for each in there.distributions if each not in goes)
    return Resolve(
        reason,
        uv_of(machine),
        f"{there.path}/bin/python",
        work,
        wishes,
        there.path,
        there.site,
        tuple(f"{each.name}=={each.version}" for each in stay if is_version(each.version)),
        tuple(each.name for each in goes),
    )


def fetch_beside(resolve: Resolve, hashes: tuple[tuple[str, str], ...]) -> FetchWheels:
    """Download what was chosen, into the folder of work."""
    return FetchWheels(
        "An interrupted download can be resumed. Nothing in the environment changes yet.",
        resolve.lock,
        f"{resolve.work}/wheels",
        f"{resolve.work}/lock.txt",
        hashes,
    )


def install_beside(machine: Machine, there: Contents, work: str) -> InstallWheels:
    """Install what was downloaded."""
    return InstallWheels(
        "Only the downloaded and checked files are installed.",
        uv_of(machine),
        there.path,
        f"{work}/wheels",
        f"{work}/lock.txt",
        site=there.site,
    )
