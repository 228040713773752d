"""The Pythons that can be measured: those that were found, and on what each can compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList

from screens.session import Session
from screens.widgets.lists import MarkedList, PathInput
from screens.words import column
from wizard.advice.leftovers import short_path, torches_there
from wizard.conv2d.caution import why_cpu_alone
from wizard.conv2d.measure_options import MeasureOptions
from wizard.conv2d.shapes import TRAINING, Preset, in_order_for
from wizard.conv2d.verdicts import release_of
from wizard.core.lines import shown
from wizard.knowledge.applications import applications_named
from wizard.knowledge.claims import trains
from wizard.knowledge.stacks import Stack
from wizard.plan.steps import Plan
from wizard.plan.usage import on_processor

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
) -> MeasureOptions:
    """As the screen was left; else the usual, for the first Python that was found.

    Who wants to train measures gradients too, which a ``replayed`` run does not hold.
    """
    plan = "" if session.plan is None else session.plan.id
    setting = session.asking
    if setting is None or setting.plan != plan:
        setting = MeasureOptions(presets, plan=plan)
        if trains(session.applications) and not replayed:
            setting = replace(setting, works=TRAINING)
    if not setting.preset_place:  # nothing but the default was chosen
        asked = {each.purpose for each in applications_named(session.applications)}
        setting = replace(setting, presets=in_order_for(setting.presets, asked))
    first = next((each.path for each in found), "")
    return with_python(setting, setting.python or first, session, found)


def with_python(
    setting: MeasureOptions, path: str, session: Session, found: tuple[Python, ...]
) -> MeasureOptions:
    """The setting for another Python, on a device that its torch can use."""
    known = next((each for each in found if each.path == path), None)
    why = why_cpu_alone(session.machine, "unknown") if known is None else known.cpu_alone
    return replace(setting, python=path, cpu_alone=why)


ANOTHER = "Another Python: type its path"


class PythonList(Vertical):
    """One line each, and a last one that opens the field."""

    @dataclass
    class Taken(Message):
        """A Python is the one to measure now; one that was typed has still to be looked at."""

        path: str
        typed: bool = False

    _list = getters.query_one(OptionList)
    _field = getters.query_one(Input)

    def __init__(self, path: str) -> None:
        super().__init__(id="question", classes="panel")
        self.border_title = "Python"
        self._typed_first = path
        self._pythons: tuple[Python, ...] = ()

    def compose(self) -> ComposeResult:
        """List, field."""
        yield MarkedList(id="pythons")
        field = PathInput(self._typed_first, id="python", compact=True, placeholder="/…/python")
        field.display = False
        yield field

    def show(self, pythons: tuple[Python, ...], chosen: Python) -> None:
        """Shows these, with the mark on the chosen one; on the last line where that is none."""
        self._pythons = pythons
        cells = min(self.app.size.width, 100) - 10
        with self.prevent(OptionList.OptionHighlighted):
            lines = [Content(each.line(cells)) for each in pythons]
            self._list.set_options([*lines, Content(ANOTHER)])
            at = pythons.index(chosen) if chosen in pythons else len(pythons)
            self._list.highlighted = at

    @property
    def typing(self) -> bool:
        """True while keys go to the field."""
        return self.is_mounted and self._field.has_focus

    @property
    def wants_another(self) -> bool:
        """True on the last line."""
        return self._list.highlighted == len(self._pythons)

    def open_field(self) -> None:
        """Lets one type a path."""
        self._field.display = True
        self.screen.set_focus(self._field)

    def take_keys(self) -> None:
        """Lets keys go to the list."""
        self.screen.set_focus(self._list)
        self._field.display = False

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Takes the Python."""
        event.stop()
        if event.option_index < len(self._pythons):
            self.post_message(self.Taken(self._pythons[event.option_index].path))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click chooses; Enter, which begins, never comes here."""
        event.stop()
        if self.wants_another:
            self.open_field()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes the path that was typed."""
        event.stop()
        self.post_message(self.Taken(event.value.strip(), typed=True))
