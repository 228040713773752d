"""What Measure would ask for right now: which question, of which shapes, how, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from wizard.conv2d.caution import USUAL
from wizard.conv2d.requests import Request, WrongRequest, sweep_in, with_hangs
from wizard.conv2d.search.compare_settings import CompareRequest
from wizard.conv2d.search.find_limit import REPEATS, LimitRequest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest
from wizard.conv2d.shapes import Preset, Row, operation_rows, rows_of
from wizard.conv2d.sweep import Deadlines, Sweep, SweepEnvironment
from wizard.core.amounts import capitalized, counted

DEVICES = ("cuda", "cpu")
DEADLINES_S = (60.0, 180.0, 600.0, 20.0)
"""For each shape, as ``--deadline`` gives it; the first one of a process may have to compile."""
NO_UNFOLD = "Only convolutions can be unfolded. Press o and set the engine back to 'configured'."
NO_ROW = "There are no shapes yet. Press o and choose a table of shapes."
NOT_OF_OPERATIONS = "This search works only for convolutions. Press o to change the question."
OF_MIOPEN = (
    "Settings affect only MIOpen. Press o and set the engine to 'configured'. The search tries "
    "the other engines anyway."
)


class Question(Enum):
    """The question, in words."""

    EVERY = "measure every shape"
    ONE = "measure only the marked shape"
    LIMIT = "find the limit, starting from the marked shape"
    SETTING = "find the fewest settings that fix the marked shape"
    COMPARE = "compare settings"
    AROUND = "find workarounds for the marked shape"

    @property
    def is_search(self) -> bool:
        """True where the rows come as it goes on, and an answer ends it."""
        return self not in (Question.EVERY, Question.ONE)


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """Everything that can be set, as the options show it."""

    presets: tuple[Preset, ...]
    """The user's own list of layers, if any, stands last: its id is its path."""
    preset_place: int = 0
    device_place: int = 0
    deadline_place: int = 0
    question: Question = Question.EVERY
    operations: bool = False
    """True where operations take the place of the preset's shapes."""
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
            raise WrongRequest(
                f"Not all of these shapes can be used for training: {error}."
            ) from error

    def with_own(self, layers: Preset) -> MeasureOptions:
        """With the user's own list, in place of an earlier one, and on it."""
        presets = (*(preset for preset in self.presets if "/" not in preset.id), layers)
        return replace(self, presets=presets, preset_place=len(presets) - 1, operations=False)

    def as_in(self, request: Request) -> MeasureOptions:
        """With the device and the kind of rows of a request that is under way."""
        sweep = sweep_in(request)
        operations = any(row.operation for row in sweep.rows)
        return replace(self, device_place=DEVICES.index(sweep.device), operations=operations)

    def sweep(self, python: str) -> Sweep:
        """Every row, under a Python. Raises WrongRequest."""
        return Sweep(
            python,
            self.rows,
            self.device,
            repeats=self.repeats,
            deadlines=Deadlines(first=self.deadline_s, later=self.deadline_s),
            environment=SweepEnvironment(clean=self.clean),
        )

    def request(self, python: str, row: Row | None, allowed: int | None = None) -> Request:
        """What is asked, with the marked row and the hangs that are allowed when nobody says.

        Raises WrongRequest, with what to do.
        """
        sweep, hangs = self.sweep(python), self.hangs or allowed
        rows = (sweep.rows[0], *((row,) if row else ()))
        if self.question.is_search and any(each.operation for each in rows):
            raise WrongRequest(NOT_OF_OPERATIONS)
        if self.question in (Question.SETTING, Question.COMPARE) and self.engine != "configured":
            raise WrongRequest(OF_MIOPEN)
        if self.question is Question.EVERY:
            return with_hangs(sweep, hangs)
        if self.question is Question.COMPARE:
            return CompareRequest(sweep, hangs or USUAL)
        if row is None:
            raise WrongRequest(NO_ROW)
        published = row.published if row.operation else None
        row = replace(row, published=published, setting=(), engine=self.engine, log=self.log)
        return self._about(replace(sweep, rows=(row,)), hangs)

    def _about(self, alone: Sweep, hangs: int | None) -> Request:
        """What is asked of one row, whatever became of it before."""
        match self.question:
            case Question.LIMIT:
                return self._limit(alone, hangs or USUAL)
            case Question.SETTING:
                return SettingRequest(alone, hangs or USUAL)
            case Question.AROUND:
                return WorkaroundRequest(alone, hangs or USUAL)
            case _:
                return with_hangs(alone, hangs)

    def _limit(self, alone: Sweep, hangs: int) -> Request:
        repeats = self.repeats if self.repeats > 1 else REPEATS
        once = replace(alone, repeats=1)
        request = LimitRequest(once, self.axis, *self.span, hangs, repeats)
        try:
            rows_of((request.row_at(self.span[0]),), (request.row.work,))
        except ValueError as error:
            raise WrongRequest(f"The range cannot begin at {self.span[0]}: {error}.") from error
        return with_hangs(request, hangs)

    @property
    def asked(self) -> str:
        """The question and all that is not as usual, in words."""
        return "; ".join(self._words())

    def _words(self) -> Iterator[str]:
        if self.question is Question.LIMIT:
            yield f"find the limit of {self.axis} between {self.span[0]} and {self.span[1]}"
        else:
            yield self.question.value.replace("shape", "operation" if self.operations else "shape")
        if self.works != ("forward",) and not self.operations:
            yield " and ".join(self.works)
        if self.engine != "configured":
            yield f"engine {self.engine}"
        if self.repeats > 1:
            yield f"{self.repeats} times each"
        if self.hangs is not None:
            yield f"at most {counted(self.hangs, 'hang')}"
        if self.log:
            yield "MIOpen's log"
        if self.clean:
            yield "clean"

    def __str__(self) -> str:
        where = "the GPU" if self.device == "cuda" else "the CPU"
        asked = capitalized(self.asked)
        return f"{asked}, on {where}, at most {self.deadline_s:.0f} s each."
