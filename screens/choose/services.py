"""What is known of stacks and applications."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.advice.recommend import Recommendation
    from wizard.knowledge.applications import Application
    from wizard.knowledge.claims import Claim
    from wizard.knowledge.roads import OtherRoad
    from wizard.knowledge.stacks import Stack
    from wizard.machine.facts import Machine


@lru_cache(maxsize=2)
def recommendation(
    machine: Machine, applications: tuple[str, ...], preset: str = ""
) -> Recommendation:
    """What to take on a machine, and how all stacks stand. Detect asks before Choose does."""
    from wizard.advice.recommend import recommend

    return recommend(machine, applications, preset=preset)


def stacks() -> tuple[Stack, ...]:
    """What can be installed."""
    from wizard.knowledge.stacks import load_stacks

    return load_stacks()


def claims() -> tuple[Claim, ...]:
    """What people say of the stacks."""
    from wizard.knowledge.claims import load_claims

    return load_claims()


def applications() -> tuple[Application, ...]:
    """What a user may want to run."""
    from wizard.knowledge.applications import load_applications

    return load_applications()


def roads() -> tuple[OtherRoad, ...]:
    """Every road, also those that no stack of ours installs."""
    from wizard.knowledge.roads import load_roads

    return load_roads()
