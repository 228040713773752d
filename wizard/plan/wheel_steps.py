"""Steps that choose packages, bring them, and put them into an environment; in one that exists, all
others are held."""

from __future__ import annotations

from wizard.host.contents import Contents
from wizard.host.distributions import Distribution
from wizard.machine.facts import Machine
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.resolve import Resolve, is_version
from wizard.operations.uv_project import Wishes
from wizard.plan.python_steps import uv_of

CHANGES_NOTHING_YET = (
    "An interrupted download can be resumed. Nothing in the environment changes yet."
)
"""Why the wheels for an environment that exists are downloaded first."""


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


def staging_of(work: str) -> str:
    """Where the wheels go, in the folder of work."""
    return f"{work}/wheels"


def fetch_chosen(reason: str, resolve: Resolve, hashes: tuple[tuple[str, str], ...]) -> FetchWheels:
    """Download what was chosen, into the folder of work."""
    return FetchWheels(
        reason, resolve.lock, staging_of(resolve.work), _requirements_of(resolve.work), hashes
    )


def install_fetched(resolve: Resolve, venv: str, site: str = "") -> InstallWheels:
    """Install what was downloaded, into this site folder where the environment had one before."""
    return InstallWheels(
        "Only the downloaded and checked files are installed.",
        resolve.uv,
        venv,
        staging_of(resolve.work),
        _requirements_of(resolve.work),
        site=site,
    )


def _requirements_of(work: str) -> str:
    return f"{work}/lock.txt"
