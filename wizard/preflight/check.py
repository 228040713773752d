"""All that is looked at once more before a plan with root steps is begun."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.core.trouble import Trouble
from wizard.host.host import Host
from wizard.journalform import Kind
from wizard.plan.room import BACKUP, Need, needs_of, shortage
from wizard.plan.root_steps import AptChange, settled
from wizard.plan.steps import Plan
from wizard.preflight.asking import Asking
from wizard.preflight.files import file_refusals
from wizard.preflight.packages import package_refusals
from wizard.preflight.rehearsing import simulated
from wizard.preflight.way_back import Sources, no_way_back, sources_of


async def check(plan: Plan, asking: Asking) -> tuple[Trouble, ...]:
    """Why the plan is not begun: locks, states, files, room, apt's own word, the way back."""
    if not settled(plan.steps):
        return (_unsettled(),)
    refusals = [*package_refusals(plan, asking.host), *file_refusals(plan, asking.host)]
    try:
        sources = await sources_of(plan.steps, asking)
        if sources.lost:
            refusals.append(no_way_back(sources, waivable=plan.kind is not Kind.FIX))
        if full := shortage(_needs(plan, sources, asking.host), asking.host.disk):
            refusals.append(full)
        if not refusals:  # apt's own words would only repeat them
            refusals += [refusal async for refusal in simulated(plan, asking)]
    except Trouble as trouble:
        return (*refusals, trouble)
    return tuple(refusals)


def _unsettled() -> Trouble:
    return Trouble(
        "The repository has not been queried yet.",
        "The exact packages to install are not known yet. Nothing was changed.",
        "Make the plan again on this machine while it is online.",
    )


def _needs(plan: Plan, sources: Sources, host: Host) -> Iterator[Need]:
    yield Need(BACKUP, sources.backup_bytes, "for the rollback")
    yield from needs_of(plan)
    for step in plan.steps:
        if isinstance(step, AptChange):
            sizes = (host.size(deb.path) for deb in step.debs)
            copied = sum(size for size in sizes if isinstance(size, int))
            yield Need(BACKUP, copied, "for copies of package files")
