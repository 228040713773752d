"""A sweep as a value, and what happens while it runs, one value an event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from wizard.conv2d.presets import Row
from wizard.conv2d.search.limit import Limit
from wizard.conv2d.search.setting_answer import SettingAnswer
from wizard.conv2d.surroundings import AS_IT_IS, Surroundings
from wizard.conv2d.verdicts import Loaded, Result


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How many seconds each part may take before it counts as hung."""

    imports: float = 120.0
    """Importing torch: gigabytes from a cold disk."""
    first: float = 60.0
    """The first shape of a process: the card is started, and kernels are compiled."""
    later: float = 30.0
    reference: float = 120.0
    """The float64 convolution on the CPU."""
    health: float = 20.0
    """A sum and a small product after a hang: the card is started for them as for a shape."""
    killed: float = 30.0
    """How long a killed process is watched: the kernel may take that long to free the card."""
    longest: float = 600.0
    """A shape that progresses, because it is compiled for example, has this long in all."""
    look: float = 2.0
    """Time between two looks at a process that does not answer."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """What to measure, with which torch, and how."""

    python: str
    """The interpreter whose torch is measured."""
    rows: tuple[Row, ...]
    device: str = "cuda"
    """``cuda`` (which is HIP on ROCm) or ``cpu``."""
    warm_runs: int = 5
    repeats: int = 1
    """How often each shape is launched: what fails some of these times is ``flaky``."""
    spawn: bool = False
    """A new interpreter for each shape, in place of forked ones."""
    seed: int = 5600
    slow_s: float = 10.0
    """Later calls that take longer make a right result ``slow``."""
    hangs: int | None = None
    """How many launches may hang in one go before it stops; None for as many as there are."""
    deadlines: Deadlines = Deadlines()
    surroundings: Surroundings = AS_IT_IS


@dataclass(frozen=True, slots=True)
class StopReason:
    """Why a sweep cannot go on: what happened, what it means, what to do next."""

    happened: str
    meaning: str
    next_step: str


@dataclass(frozen=True, slots=True)
class WorkerStarted:
    """torch is imported; the next shape can be launched."""

    pid: int
    loaded: Loaded
    process: str
    """``fork`` or ``spawn``."""


@dataclass(frozen=True, slots=True)
class DeviceFound:
    """The device has answered in the measuring process."""

    loaded: Loaded


@dataclass(frozen=True, slots=True)
class ShapeStarted:
    """A shape is launched; its launch is in the journal."""

    number: int
    """1-based."""
    total: int
    row: Row
    deadline_s: float


@dataclass(frozen=True, slots=True)
class Phase:
    """Where the running shape is: ``tensors``, ``cold``, ``backward`` and ``step`` where there are
    such, ``warm``, ``copy back``, ``compare``; or ``killed``, while a hung process is watched;
    ``health``, while the card is checked after that; ``control``, while a shape that passed before
    is measured again."""

    number: int
    name: str
    seconds_left: float | None = None
    """Of a killed process that is still there: how much longer it is watched."""


@dataclass(frozen=True, slots=True)
class DeadlineMoved:
    """The running shape is slow rather than stuck: something new keeps coming out of it."""

    number: int
    why: str
    """What it does, for example ``compiling``."""
    because: str
    """What shows that."""
    longest_s: float
    """How long it may take in all."""


@dataclass(frozen=True, slots=True)
class ShapeDone:
    """A shape has its verdict."""

    number: int
    total: int
    result: Result


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth knowing that is no verdict, in words fit to show."""

    text: str


@dataclass(frozen=True, slots=True)
class SweepDone:
    """Nothing more will happen."""

    results: tuple[Result, ...]
    """In the order of the request; fewer than asked for only when there is trouble."""
    trouble: StopReason | None
    reference_s: float
    """Seconds spent waiting for the CPU reference: no part of what was measured."""
    limit: Limit | None = None
    """What a search for a limit has come to; None after a sweep."""
    setting: SettingAnswer | None = None
    """What a search for a setting has come to; None after anything else."""


SweepEvent = Union[  # noqa: UP007 - one closed union, matched exhaustively
    WorkerStarted,
    DeviceFound,
    ShapeStarted,
    Phase,
    DeadlineMoved,
    ShapeDone,
    Note,
    SweepDone,
]
