"""What the user has seen and chosen so far: one frozen value that each step hands on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screens.diagnose.text import Shown
    from wizard.conv2d.measure_options import MeasureOptions
    from wizard.conv2d.sweep import FoundSetting
    from wizard.core.events import PlanFinished, StepFailed
    from wizard.core.journal import Kind
    from wizard.diagnose.finding import Finding
    from wizard.machine.facts import Machine
    from wizard.machine.part import PartDone
    from wizard.plan.choice import Choice
    from wizard.plan.steps import Plan
    from wizard.report.conv2d_conclusion import Measured
    from wizard.run.at_work import AtWork
    from wizard.services.runs import Rollback

STEPS = ("welcome", "detect", "choose", "review", "apply", "conv2d", "done")
"""The order of the wizard; a step's number is its place here."""


@dataclass(frozen=True, slots=True)
class Session:
    """The way through the wizard so far."""

    machine: Machine | None = None
    parts: tuple[PartDone, ...] = ()
    applications: tuple[str, ...] = ()
    stack: str = ""
    """The stack that the user chose; ``""`` while the suggested one stands."""
    folder: str = ""
    """What the user typed; ``""`` while the suggestion stands."""
    footprint: str = "venv"
    preset: str = ""
    """Name of the published variables that were chosen, ``""`` for none."""
    plan: Plan | None = None
    choice: Choice | None = None
    """What the plan was made from."""
    finished: PlanFinished | None = None
    failure: StepFailed | None = None
    clearing: tuple[Kind, tuple[str, ...]] | None = None
    """Kind and scopes of a plan that only takes away; None for another plan."""
    clears: bool = False
    """True on the way that only takes away: what is to go is asked in place of a stack."""
    at_work: AtWork | None = None
    """Root's part of an earlier start, while it is looked at."""
    rollback: Rollback | None = None
    """What undoing the last run does, while it is undone."""
    aside: bool = False
    """True while the torch that is there is measured, before anything is chosen."""
    asking: MeasureOptions | None = None
    """What Measure was set to when it was left."""
    measured: Measured | None = None
    """What was measured there last."""
    found: FoundSetting | None = None
    """The setting that was found there last."""
    before: Session | None = None
    """Set while a fix is reviewed and carried out: how the screen that made it was left."""
    fix: Finding | None = None
    """The finding that the fix is for; None where Measure made it."""
    behind: tuple[str, Session] | None = None
    """The step that Diagnose was opened at, as it was left."""
    diagnosed: Shown | None = None
    """What Diagnose showed when it was left."""


def to_diagnose(step: str, session: Session) -> Session:
    """The session that Diagnose is opened with at a step; Esc there leads back to it."""
    return replace(session, behind=(step, session), diagnosed=None)


def from_diagnose(session: Session) -> tuple[str, Session]:
    """The step that Diagnose was opened at, as it was left, with the machine as it is now."""
    step, left = session.behind or ("welcome", Session())
    if session.machine is None or left.machine is None:
        return step, left
    return step, replace(left, machine=session.machine, parts=session.parts)


def fix_made_at(session: Session) -> str:
    """The screen that made the fix under review."""
    return "conv2d" if session.fix is None else "diagnose"


def following(step: str, session: Session) -> str:
    """The step after this one, or the same one when it is the last."""
    if step == "detect" and not (session.applications or session.stack or session.clears):
        return "ask"
    stopped = session.finished is not None and not session.finished.ok
    if step == "apply" and (session.failure or stopped):
        return "done"
    if step == "apply" and session.fix is not None:
        return "diagnose"
    if step == "apply" and (session.clears or session.before is not None):
        return "done"
    return _on_this_way(STEPS[min(STEPS.index(step) + 1, len(STEPS) - 1)], session)


def preceding(step: str, session: Session) -> str:
    """The step that Back leads to."""
    if step in ("ask", "compare"):
        return "detect" if step == "ask" else "choose"
    if step == "conv2d" and session.aside:
        return _on_this_way("choose", session)
    if step == "conv2d" and session.plan is None:
        return "welcome"
    if step in ("conv2d", "done"):
        return "review" if session.plan else "welcome"
    if step == "review" and session.machine is None:
        return "welcome"
    return _on_this_way(STEPS[max(STEPS.index(step) - 1, 0)], session)


def _on_this_way(step: str, session: Session) -> str:
    return "clear" if step == "choose" and session.clears else step
