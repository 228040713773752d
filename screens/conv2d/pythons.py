"""The Pythons that can be measured: those that were found, and on what each can compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from screens.session import Session
from screens.words import column, shown
from wizard.advice.leftovers import short_path, torches_there
from wizard.conv2d.cards.result_card import release_of
from wizard.conv2d.caution import why_cpu_alone
from wizard.conv2d.setting import SweepSetting
from wizard.conv2d.shapes import TRAINING, Preset, in_order_for
from wizard.knowledge.applications import applications_named, trains
from wizard.knowledge.stacks import Stack
from wizard.plan.steps import Plan
from wizard.plan.using import on_processor

NOT_THERE = "not installed"
PLACE_CELLS, TORCH_CELLS = 30, 28


@dataclass(frozen=True, slots=True)
class Python:
    """A Python with torch."""

    path: str
    place: str
    """Where it lies, as people write it."""
    torch: str = ""
    """The version of its torch; ``""`` where that is not known."""
    build: str = "unknown"
    """``rocm``, ``cuda``, ``cpu`` or ``unknown``."""
    cpu_alone: str = ""
    """Why the processor alone can be measured with it; ``""`` where the GPU can."""
    there: bool = True
    """False for that of a plan which nothing was installed by."""

    @property
    def rocm(self) -> str:
        """The release of ROCm that its torch was built with; ``""`` for none, or not known."""
        return release_of(self.torch.partition("+rocm")[2])

    def line(self, cells: int) -> str:
        """What the list shows in so many cells."""
        place = max(PLACE_CELLS, cells - TORCH_CELLS - PLACE_CELLS)
        torch = f"torch {shown(self.torch)}" if self.torch else ""
        reach = "CPU only" if self.cpu_alone else "GPU"
        reach = reach if self.there else NOT_THERE
        return f"{column(shown(self.place), place)}{column(torch, TORCH_CELLS)}{reach}"


def pythons_of(
    session: Session, stacks: Callable[[], tuple[Stack, ...]], *, rehearses: bool
) -> tuple[Python, ...]:
    """The plan's own first, then those for ROCm, then the rest.

    After a rehearsal the plan's own is there only where it was before.
    """
    machine = session.machine
    there = () if machine is None else torches_there(machine)
    found = [Python(each.python, each.place, each.torch, each.build) for each in there]
    if session.plan is not None:
        own = _of_plan(session.plan, session, stacks)
        own = replace(own, there=not rehearses or any(each.path == own.path for each in found))
        found = [own, *(each for each in found if each.path != own.path)]
    return tuple(replace(each, cpu_alone=why_cpu_alone(machine, each.build)) for each in found)


def _of_plan(plan: Plan, session: Session, stacks: Callable[[], tuple[Stack, ...]]) -> Python:
    torch = next((stack.torch for stack in stacks() if stack.id == plan.stack), "")
    place = plan.venv if session.machine is None else short_path(plan.venv, session.machine)
    build = "cpu" if on_processor(plan) else "rocm"
    return Python(f"{plan.venv}/bin/python", place, torch, build)


def setting_for(
    session: Session, presets: tuple[Preset, ...], found: tuple[Python, ...], *, replayed: bool
) -> SweepSetting:
    """As the screen was left; else the usual, for the first Python that was found.

    Who wants to train measures gradients too, which a ``replayed`` run does not hold.
    """
    plan = "" if session.plan is None else session.plan.id
    setting = session.asking
    if setting is None or setting.plan != plan:
        setting = SweepSetting(presets, plan=plan)
        if trains(session.applications) and not replayed:
            setting = replace(setting, works=TRAINING)
    if not setting.preset_place:  # nothing but the default was chosen
        asked = {each.purpose for each in applications_named(session.applications)}
        setting = replace(setting, presets=in_order_for(setting.presets, asked))
    first = next((each.path for each in found), "")
    return with_python(setting, setting.python or first, session, found)


def with_python(
    setting: SweepSetting, path: str, session: Session, found: tuple[Python, ...]
) -> SweepSetting:
    """The setting for another Python, on a device that its torch can use."""
    known = next((each for each in found if each.path == path), None)
    why = why_cpu_alone(session.machine, "unknown") if known is None else known.cpu_alone
    return replace(setting, python=path, cpu_alone=why)
