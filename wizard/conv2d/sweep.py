"""A sweep as a value, and what happens while it runs, one value an event."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Union, get_args

from wizard.conv2d.search.limit import Limit
from wizard.conv2d.shapes import Row, Setting, Shape
from wizard.conv2d.verdicts import Loaded, Result
from wizard.core.json_form import to_json, typed
from wizard.knowledge.variables import LIBRARY_PATH

SEED = 5600
"""From which image and weights of the first shape are drawn; each other shape has the next one."""
LEFT_OUT = ("HSA_", "HIP_", "ROCR_", "MIOPEN_", "AMD_", "GPU_")
"""How the variables begin that steer ROCm."""
SYSTEM_ROCM = "/opt/rocm"
LOGGING = (("MIOPEN_LOG_LEVEL", "6"),)
"""What makes MIOpen say what it is about to do. Level 5 names no kernel; MIOPEN_ENABLE_LOGGING
would add a trace of every call, which tells nothing more of a hang and takes time."""


@dataclass(frozen=True, slots=True)
class SweepEnvironment:
    """What a sweep makes of the environment that it was started in."""

    clean: bool = False
    """True to leave out what the shell sets for ROCm."""
    isolated: bool = False
    """True where nothing that MIOpen has kept from earlier runs may count, whatever the setting."""
    keep: bool = False
    """True to leave the isolated databases where they are at the end."""

    def variables(self, environ: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
        """What is measured in, and what was left out of it, as ``NAME=VALUE``."""
        return without_leftovers(environ) if self.clean else (dict(environ), ())


AS_IT_IS = SweepEnvironment()


def without_leftovers(environ: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The environment without what steers ROCm, and what was left out, as ``NAME=VALUE``."""
    kept = {name: value for name, value in environ.items() if not name.startswith(LEFT_OUT)}
    if LIBRARY_PATH in kept:
        kept |= _library_path(kept.pop(LIBRARY_PATH))
    names = sorted(name for name in environ if kept.get(name) != environ[name])
    return kept, tuple(f"{name}={environ[name]}" for name in names)


def _library_path(value: str) -> dict[str, str]:
    """The search path of the loader without ROCm's folders; nothing where nothing is left.

    An empty element stays: it means the current folder, and is no leftover of ROCm.
    """
    folders = [folder for folder in value.split(":") if not folder.startswith(SYSTEM_ROCM)]
    return {LIBRARY_PATH: ":".join(folders)} if any(folders) else {}


@dataclass(frozen=True, slots=True)
class SetTried:
    """A set of variables, and what became of the shape under it."""

    changes: Setting
    verdict: str
    why: str = ""
    """The family of algorithms that it was in, where MIOpen's log says so; or that it was not
    right again."""


@dataclass(frozen=True, slots=True)
class EngineTried:
    """A way past MIOpen, and what became of the shape on it."""

    engine: str
    verdict: str
    warm_s: float | None


@dataclass(frozen=True, slots=True)
class FoundSetting:
    """A setting that makes a shape right, and the folder of the environment it was found in."""

    setting: Setting
    venv: str


@dataclass(frozen=True, slots=True)
class SettingAnswer:
    """The smallest set that was found, how surely, and what it costs."""

    shape: Shape
    changes: Setting | None
    """Empty when nothing needs to change, None when no set was found."""
    is_smallest: bool
    """True when each set with one variable less was measured and failed."""
    is_complete: bool
    """False when the search was stopped before all was known."""
    hangs: int
    """How many hangs it took."""
    allowed: int
    passes: int
    """How often the shape came back right under the set, each time in a new process and with new
    databases; the measurement that found it does not count."""
    repeats: int
    cold_s: float | None
    """Of the first repeat, as a program has it: without MIOpen's log."""
    warm_s: float | None
    unchanged_s: float | None
    """A later call with nothing changed, where that came back at all."""
    engines: tuple[EngineTried, ...]
    tried: tuple[SetTried, ...]
    """In the order in which they were measured."""
    possible: int
    """How many sets there are to try."""
    stopped: str = ""
    """Why it could not go on, in words; ``""`` when it ended by itself or the hangs were spent."""
    refused: tuple[Setting, ...] = ()
    """Sets that leave MIOpen no solver at all, as it says itself: none of them was launched."""
    skipped: int = 0
    """How many sets were left out because they leave MIOpen the same solvers as one that was
    tried."""

    @property
    def goes_on(self) -> bool:
        """True when the same request finds out more once more hangs are allowed."""
        return not self.is_complete and not self.stopped


def found_by(answer: SettingAnswer | None, python: str) -> FoundSetting | None:
    """What can be kept of an answer; None where nothing was found, or for no environment."""
    if answer is None or not answer.changes or not (venv := venv_of(python)):
        return None
    return FoundSetting(answer.changes, venv)


def venv_of(python: str) -> str:
    """The environment of a Python; ``""`` for one that is named otherwise."""
    folder, _, name = python.rpartition("/bin/")
    return folder if folder.startswith("/") and name.startswith("python") else ""


def setting_text(setting: Setting) -> str:
    """A set of variables in one line."""
    return " ".join(f"{name}={value}" for name, value in setting) or "nothing changed"


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
    slow_s: float = 10.0
    """Later calls that take longer make a right result ``slow``."""
    hangs: int | None = None
    """How many launches may hang in one go before it stops; None for as many as there are."""
    deadlines: Deadlines = Deadlines()
    environment: SweepEnvironment = AS_IT_IS


@dataclass(frozen=True, slots=True)
class Search:
    """A question about one row: what is measured next follows from what came out before."""

    sweep: Sweep
    """How it is measured, with the one row that it is about."""

    @property
    def row(self) -> Row:
        """The row that it is about."""
        return self.sweep.rows[0]


def isolated(sweep: Sweep) -> Sweep:
    """The same sweep with databases of its own for each way of measuring."""
    return replace(sweep, environment=replace(sweep.environment, isolated=True))


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


Event = dict[str, Any]
"""One JSON object from a worker."""


def loaded_from(loaded: Loaded, event: Event) -> Loaded:
    """What was loaded, with what an ``imported`` or ``ready`` event adds."""
    if event["event"] == "imported":
        setting = tuple((name, value) for name, value in event["setting"].items())
        return replace(loaded, torch=event["torch"], hip=event["hip"], setting=setting)
    libraries = tuple(event["libraries"])
    return replace(loaded, device=event["device"], gfx=event["gfx"], libraries=libraries)


def how_it_died(code: int | None, printed: str) -> str:
    """The end of a process in words, with the last that it printed."""
    end = f"ended with status {code}" if code is not None else "closed its pipe"
    if code is not None and code < 0:
        known = -code in {number.value for number in signal.Signals}
        end = f"was killed by {signal.Signals(-code).name if known else f'signal {-code}'}"
    return f"the process {end}" + (f"; it last printed: {printed}" if printed else "")


KINDS = {kind.__name__: kind for kind in get_args(SweepEvent)}
"""Every event by the name that its line bears."""
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What a damaged line may come to."""


def event_line(event: SweepEvent) -> bytes:
    """One event as one whole line."""
    form = {"event": type(event).__name__, **to_json(event)}
    return json.dumps(form).encode() + b"\n"


def event_of(line: bytes) -> SweepEvent | None:
    """The event of a line; None for a torn one, and for one that only a later version knows."""
    try:
        form = json.loads(line)
        kind = KINDS[form.pop("event")]
        event: SweepEvent = typed(form, kind)
    except UNREADABLE:
        return None
    return event
