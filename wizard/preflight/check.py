"""All that is looked at once more before a plan with root steps is begun."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wizard.machine.host import Host
from wizard.plan.root_steps import AptChange, settled
from wizard.plan.steps import Plan
from wizard.preflight.asking import Asking
from wizard.preflight.files import file_refusals
from wizard.preflight.packages import package_refusals
from wizard.preflight.refusal import Refusal, Refused
from wizard.preflight.rehearsing import simulated
from wizard.preflight.room import ARCHIVES, BACKUP, Need, without_room
from wizard.preflight.way_back import Sources, sources_of


@dataclass(frozen=True, slots=True)
class Preflight:
    """What was found: with a refusal nothing is begun."""

    refusals: tuple[Refusal, ...]
    notes: tuple[str, ...] = ()


async def check(plan: Plan, asking: Asking) -> Preflight:
    """Looks at locks, states, files and room, lets apt simulate, rehearses the way back."""
    if not settled(plan.steps):
        return Preflight((_unsettled(),))
    refusals = [*package_refusals(plan, asking.host), *file_refusals(plan, asking.host)]
    try:
        sources = await sources_of(plan, asking)
        refusals += without_room(_needs(plan, sources, asking.host), asking.host)
        if not refusals:  # apt's own words would only repeat them
            refusals += [refusal async for refusal in simulated(plan, asking)]
    except Refused as refused:
        return Preflight((*refusals, refused.refusal))
    return Preflight(tuple(refusals), sources.notes())


def _unsettled() -> Refusal:
    return Refusal(
        "The repository was not asked yet for what it has.",
        "What would be installed is not known exactly. Nothing was changed.",
        "Make the plan on this very machine, with a network.",
    )


def _needs(plan: Plan, sources: Sources, host: Host) -> Iterator[Need]:
    yield Need(BACKUP, sources.backup_bytes, "for the way back")
    for step in plan.steps:
        if isinstance(step, AptChange):
            sizes = (host.size(deb.path) for deb in step.debs)
            copied = sum(size for size in sizes if isinstance(size, int))
            yield Need(BACKUP, copied, "for copies of package files")
            yield Need(ARCHIVES, step.download_bytes, "to download")
            yield Need("/opt", step.installed_bytes, "installed")
