"""Where a road's wheels would come from: whether there is a network, or a folder of wheels."""

from __future__ import annotations

from typing import NamedTuple

from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Fact, Unknown
from wizard.plan.obstacle import Obstacle

NOT_ASKED = Unknown("nobody asked")


class Supply(NamedTuple):
    """What is known of the ways to get a wheel; a look at the machine alone tells nothing."""

    network: Fact[bool] = NOT_ASKED
    """True when the stack's index answered, False when nothing did."""
    wheelhouse: str = ""
    """A folder of wheels to install from, ``""`` without one."""
    python_mirror: str = ""
    """Where uv takes a Python from in place of its own place on the internet."""


def no_supply(supply: Supply, stack: Stack, python: str) -> Obstacle | None:
    """Why the stack cannot be fetched, None when nothing says so."""
    if isinstance(supply.network, Unknown) or supply.network:
        return None
    if not supply.wheelhouse:
        mend = (
            f"connect this machine, or fetch the wheels of {stack.id} on another one and give "
            "their folder (--wheelhouse DIR)"
        )
        return Obstacle("there is no network, and its wheels are not here", mend)
    if python.startswith("uv:") and not supply.python_mirror:
        version = python.removeprefix("uv:")
        mend = (
            f"install Python {version} with its venv first, give the one that `rdna1-setup fetch` "
            "brought (--python-mirror URL), or connect this machine"
        )
        return Obstacle(f"there is no network, and uv would fetch Python {version} from it", mend)
    return None


def unsure_supply(supply: Supply, python: str) -> str:
    """What a network is still needed for, and where it is not known whether there is one."""
    if supply.wheelhouse:
        fetched = python.startswith("uv:") and not supply.python_mirror
        if fetched and isinstance(supply.network, Unknown):
            return (
                "a network for uv to fetch Python, or the one that `rdna1-setup fetch` brought "
                "(--python-mirror URL): the folder of wheels has none"
            )
        return ""
    if not isinstance(supply.network, Unknown) or supply.network == NOT_ASKED:
        return ""
    return f"a network; whether there is one is not known ({supply.network.because})"
