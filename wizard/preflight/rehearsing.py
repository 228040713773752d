"""Lets apt simulate every transaction of a plan, each as the steps before it leave the system."""

from __future__ import annotations

from collections.abc import AsyncIterator

from wizard.apt.errors import explained
from wizard.core.trouble import Trouble
from wizard.plan.root_steps import AptChange, AptUpdate
from wizard.plan.steps import Plan
from wizard.preflight.apt_view import AptView, make_view
from wizard.preflight.asking import Asking
from wizard.preflight.resolving import SIMULATION_S
from wizard.preflight.simulation import Transaction, transaction


async def simulated(plan: Plan, asking: Asking) -> AsyncIterator[Trouble]:
    """Why a transaction would not be the reviewed one, for the first for which that is so."""
    for number, step in enumerate(plan.steps):
        if not isinstance(step, AptChange) or not all(map(asking.host.is_file, _debs(step))):
            continue  # what lies in root's backup is simulated by the helper alone
        view = make_view(asking.folder, plan.steps[:number], asking.root)
        refusal = await _fetched(plan, number, view, asking) or await _one(step, view, asking)
        if refusal:
            yield refusal
            return


def _debs(step: AptChange) -> tuple[str, ...]:
    return tuple(deb.path for deb in step.debs)


async def _fetched(plan: Plan, number: int, view: AptView, asking: Asking) -> Trouble | None:
    if not any(isinstance(step, AptUpdate) for step in plan.steps[:number]):
        return None
    answer = await asking.programs.ask(view.update(), SIMULATION_S)
    return None if answer.code == 0 else explained(answer)


async def _one(step: AptChange, view: AptView, asking: Asking) -> Trouble | None:
    answer = await asking.programs.ask(view.simulation(step), SIMULATION_S)
    if answer.code != 0:
        return explained(answer)
    return difference(step, transaction(answer.lines))


def difference(step: AptChange, found: Transaction) -> Trouble | None:
    """How a transaction differs from the reviewed one; None when it is that very one."""
    wanted, gone = set(step.expect_install), set(step.expect_remove)
    told = (
        ("would also install {}", [f"{n} {v}" for n, v in found.brings if (n, v) not in wanted]),
        ("would also remove {}", [n for n, _ in found.leaving if n not in gone]),
        ("would not install {}", [f"{n} {v}" for n, v in sorted(wanted - set(found.brings))]),
        ("would not remove {}", sorted(gone - {n for n, _ in found.leaving})),
        ("printed something unknown: {}", list(found.unread)),
    )
    said = [words.format(", ".join(names[:8])) for words, names in told if names]
    if not said:
        return None
    return Trouble(
        f"apt {'; it '.join(said)}.",
        "What apt would do differs from the plan you reviewed. Another package depends on a "
        "package in that plan, or packages have changed since "
        "then. Nothing was changed.",
        "If one of your own packages is listed above, remove it yourself, or keep the ROCm it "
        "needs. Then make the plan again.",
    )
