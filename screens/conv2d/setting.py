"""What the Conv2d panel would ask for right now: of which shapes, what, how, where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from screens.conv2d.aims import Aim, request_for
from screens.session import Session
from screens.words import shown
from wizard.advice.leftovers import TorchThere, torches_there
from wizard.conv2d.asked import Request, sweep_in, with_hangs
from wizard.conv2d.cards.chips import release_of
from wizard.conv2d.devices import why_cpu_alone
from wizard.conv2d.presets import Preset, Row
from wizard.conv2d.surroundings import Surroundings
from wizard.conv2d.sweep import Deadlines, Sweep
from wizard.conv2d.words.caution import USUAL
from wizard.conv2d.words.request import WrongRequest
from wizard.conv2d.works import operation_rows, rows_of
from wizard.knowledge.stacks import Stack
from wizard.plan.steps import Plan
from wizard.plan.using import on_processor

DEVICES = ("cuda", "cpu")
DEADLINES_S = (60.0, 180.0, 600.0, 20.0)
"""For each shape, as ``--deadline`` gives it; the first one of a process may have to compile."""
SHORT = {Aim.SETTING: "smallest setting for this shape"}
NO_UNFOLD = "None but convolutions unfold: o takes the engine back to 'configured'."


@dataclass(frozen=True, slots=True)
class SweepSetting:
    """A place in each list of choices; a key takes the next one."""

    presets: tuple[Preset, ...]
    """The user's own list of layers, if any, stands last: its id is its path."""
    preset_place: int = 0
    device_place: int = 0
    deadline_place: int = 0
    aim: Aim = Aim.EVERY
    operations: bool = False
    """True on the tab of operations: they take the place of the preset's shapes."""
    works: tuple[str, ...] = ("forward",)
    engine: str = "configured"
    repeats: int = 1
    hangs: int | None = None
    """None for as many as the circumstances allow."""
    axis: str = "size"
    span: tuple[int, int] = (1, 256)
    """Where a limit is looked for."""
    log: bool = False
    clean: bool = False
    plan: str = ""
    """Id of the plan whose stack it is for, if any."""
    python: str = ""
    """The interpreter whose torch is measured; ``""`` while none is named."""
    cpu_alone: str = ""
    """Why its torch can be measured on the processor alone; ``""`` where the GPU is on offer."""

    @property
    def preset(self) -> Preset:
        """The shapes to measure."""
        return self.presets[self.preset_place]

    @property
    def device(self) -> str:
        """``cuda``, which is the GPU also with ROCm, or ``cpu``."""
        return "cpu" if self.cpu_alone else DEVICES[self.device_place]

    @property
    def deadline_s(self) -> float:
        """For each shape."""
        return DEADLINES_S[self.deadline_place]

    @property
    def rows(self) -> tuple[Row, ...]:
        """What the table holds. Raises WrongRequest where it cannot be measured so."""
        rows = operation_rows() if self.operations else self.preset.rows
        rows = tuple(replace(row, engine=self.engine, log=self.log) for row in rows)
        if self.operations:
            if self.engine == "unfold":
                raise WrongRequest(NO_UNFOLD)
            return rows
        try:
            return rows_of(rows, self.works)
        except ValueError as error:
            raise WrongRequest(f"Not all of these can train: {error}.") from error

    def next_preset(self, by: int = 1) -> SweepSetting:
        """With the next preset."""
        return replace(self, preset_place=(self.preset_place + by) % len(self.presets))

    def next_device(self, by: int = 1) -> SweepSetting:
        """With the other device, where there is one."""
        if self.cpu_alone:
            return self
        return replace(self, device_place=(self.device_place + by) % len(DEVICES))

    def next_deadline(self, by: int = 1) -> SweepSetting:
        """With the next deadline."""
        return replace(self, deadline_place=(self.deadline_place + by) % len(DEADLINES_S))

    def other_tab(self) -> SweepSetting:
        """With operations in place of convolutions, which alone can be searched; or back."""
        aim = Aim.EVERY if self.aim.is_search and not self.operations else self.aim
        return replace(self, operations=not self.operations, aim=aim)

    def with_own(self, layers: Preset) -> SweepSetting:
        """With the user's own list, in place of an earlier one, and on it."""
        presets = (*(preset for preset in self.presets if "/" not in preset.id), layers)
        return replace(self, presets=presets, preset_place=len(presets) - 1, operations=False)

    def as_in(self, request: Request) -> SweepSetting:
        """With the device and the tab of a request that is under way."""
        sweep = sweep_in(request)
        operations = any(row.operation for row in sweep.rows)
        return replace(self, device_place=DEVICES.index(sweep.device), operations=operations)

    def sweep(self, python: str) -> Sweep:
        """Every row, under a Python. Raises WrongRequest."""
        deadlines = Deadlines(first=self.deadline_s, later=self.deadline_s)
        return Sweep(
            python,
            self.rows,
            self.device,
            repeats=self.repeats,
            deadlines=deadlines,
            surroundings=Surroundings(clean=self.clean),
        )

    def request(self, python: str, row: Row | None, allowed: int | None = None) -> Request:
        """What is asked, with the highlighted row and the hangs that are allowed when nobody says.

        Raises WrongRequest.
        """
        hangs = self.hangs or allowed
        span = (self.axis, *self.span)
        request = request_for(self.aim, self.sweep(python), row, hangs or USUAL, span)
        return with_hangs(request, hangs) if isinstance(request, Sweep) else request

    @property
    def asked(self) -> str:
        """The question and all that is not as usual, in words."""
        return "; ".join(self._words())

    def _words(self) -> Iterator[str]:
        if self.aim is Aim.LIMIT:
            yield f"limit of {self.axis} in {self.span[0]}-{self.span[1]}"
        else:
            what = SHORT.get(self.aim, self.aim.value)
            yield what.replace("shape", "operation") if self.operations else what
        if self.works != ("forward",) and not self.operations:
            yield " and ".join(self.works)
        if self.engine != "configured":
            yield f"engine {self.engine}"
        if self.repeats > 1:
            yield f"{self.repeats} times each"
        if self.hangs is not None:
            yield f"at most {self.hangs} hang{'' if self.hangs == 1 else 's'}"
        if self.log:
            yield "MIOpen's log"
        if self.clean:
            yield "clean"

    def __str__(self) -> str:
        place = f"{self.preset_place + 1}/{len(self.presets)}"
        device = "GPU" if self.device == "cuda" else "CPU"
        rows = f"p Preset {place} {shown(self.preset.title)}"
        if self.operations:
            rows = "every operation that a claim is known of"
        return f"t Deadline {self.deadline_s:.0f} s  g Device {device}  {rows}"


def setting_for(session: Session, presets: tuple[Preset, ...]) -> SweepSetting:
    """As the panel was left; else the usual."""
    plan = "" if session.plan is None else session.plan.id
    setting = session.asking
    if setting is None or setting.plan != plan:
        setting = SweepSetting(presets, plan=plan)
    return with_python(setting, setting.python or _usual_python(session), session)


def with_python(setting: SweepSetting, python: str, session: Session) -> SweepSetting:
    """The setting for another Python, on a device that its torch can use."""
    why = why_cpu_alone(session.machine, _build(python, session))
    return replace(setting, python=python, cpu_alone=why)


def _usual_python(session: Session) -> str:
    """The plan's own, else the first that has torch."""
    if session.plan is not None:
        return _python_of(session.plan)
    return next((there.python for there in _torches(session)), "")


def _build(python: str, session: Session) -> str:
    """What the torch of a Python was built for."""
    if session.plan is not None and python == _python_of(session.plan):
        return "cpu" if on_processor(session.plan) else "rocm"
    return next((there.build for there in _torches(session) if there.python == python), "unknown")


def rocm_of(python: str, session: Session, stacks: Callable[[], tuple[Stack, ...]]) -> str:
    """The release of ROCm that a Python's torch was built with; ``""`` for none, or not known."""
    if session.plan is not None and python == _python_of(session.plan):
        versions = (stack.torch for stack in stacks() if stack.id == session.plan.stack)
    else:
        versions = (there.torch for there in _torches(session) if there.python == python)
    return release_of(next(versions, "").partition("+rocm")[2])


def _python_of(plan: Plan) -> str:
    return f"{plan.venv}/bin/python"


def _torches(session: Session) -> tuple[TorchThere, ...]:
    return () if session.machine is None else torches_there(session.machine)
