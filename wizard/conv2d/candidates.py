"""What MIOpen says it would choose from for a row, and what it is asked to say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wizard.conv2d.shapes import Row
from wizard.core.json_form import to_json
from wizard.knowledge.solvers import FAST, FIND_MODE, ONLY, SEARCHES_MORE

DIRECTIONS = {
    "forward": ("forward",),
    "backward": ("forward", "backward_data", "backward_weights"),
    "train": ("forward", "backward_weights"),
}
"""What torch computes of a convolution, by work: a training step of one layer needs no gradient of
its image."""
ASKABLE = ("float32", "float16", "bfloat16")
"""Formats in which torch gives convolutions to MIOpen."""


@dataclass(frozen=True, slots=True)
class Solver:
    """A solver of MIOpen's, with what it says of it."""

    name: str
    algorithm: str
    workspace: int
    """Bytes of memory that it needs beside its tensors."""
    estimate_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """What the library would choose from in one direction."""

    direction: str
    """``forward``, ``backward_data`` or ``backward_weights``."""
    solvers: tuple[Solver, ...] = ()
    """In its own order."""
    also: tuple[str, ...] = ()
    """Solvers that apply but have no estimate: only a search times them."""
    source: str = ""
    """``estimates``; ``find-db`` or ``prediction`` where a database of earlier searches or a model
    has answered, and the library did not look further."""
    refused: str = ""
    """The status that it gave in place of solvers."""

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*(solver.name for solver in self.solvers), *self.also)


@dataclass(frozen=True, slots=True)
class Library:
    """The libMIOpen that was asked."""

    path: str = ""
    real: str = ""
    """The path without links."""
    version: str = ""
    device: str = ""
    """The chip as MIOpen names it; ``""`` where it does not."""
    setting: tuple[tuple[str, str], ...] = ()
    """The variables of MIOpen that were in force."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the library would choose from for a row: never which one runs."""

    choices: tuple[Choice, ...]
    library: Library = field(default_factory=Library)

    @property
    def names(self) -> frozenset[str]:
        """The solvers of all directions."""
        return frozenset(name for choice in self.choices for name in choice.names)

    @property
    def is_complete(self) -> bool:
        """False where a search may time solvers that are not among them, or only some of them."""
        there = dict(self.library.setting)
        mode = there.get(FIND_MODE, "")
        if ONLY in there or any(name.startswith("MIOPEN_FIND_ENFORCE") for name in there):
            return False
        predicted = any(choice.source == "prediction" for choice in self.choices)
        return mode in FAST or not (predicted or mode in SEARCHES_MORE)

    @property
    def only(self) -> str:
        """The solver where there is exactly one; ``""`` for none or several."""
        return next(iter(self.names)) if len(self.names) == 1 and self.is_complete else ""

    @property
    def is_none(self) -> bool:
        """True where a direction has no candidate at all, so that torch can only raise an error."""
        return self.is_complete and any(not choice.names for choice in self.choices)


@dataclass(frozen=True, slots=True)
class NotAsked:
    """Why nothing is known of the candidates, as a sentence, and what to do."""

    why: str
    next_step: str = ""


Asked = Candidates | NotAsked


def why_not(row: Row, device: str) -> NotAsked | None:
    """Why a row cannot be asked about at all; None where it can."""
    if device == "cpu":
        return NotAsked("The processor does not use MIOpen.")
    if row.operation is not None:
        return NotAsked("Only convolutions can be asked about, not other operations.")
    if row.engine != "configured":
        return NotAsked(f"The engine {row.engine} does not use MIOpen.")
    if row.shape.dtype not in ASKABLE:
        return NotAsked(f"torch computes {row.shape.dtype} convolutions without MIOpen.")
    if row.shape.groups > 1 and row.shape.dilation > 1:
        return NotAsked("torch computes dilated convolutions in groups without MIOpen.")
    return None


def questions(row: Row) -> tuple[dict[str, Any], ...]:
    """What is asked for a row, one question a direction."""
    shape = row.shape
    form = {
        "n": shape.n,
        "c": shape.c_in,
        "h": shape.h,
        "w": shape.w,
        "k": shape.c_out,
        "r": shape.kernel,
        "s": shape.kernel,
        "pad": [shape.padding] * 2,
        "stride": [shape.stride] * 2,
        "dilation": [shape.dilation] * 2,
        "groups": shape.groups,
        "dtype": shape.dtype,
    }
    return tuple({**form, "direction": direction} for direction in DIRECTIONS[row.work])


def choice_of(direction: str, answer: Mapping[str, Any]) -> Choice:
    """An answer as a value."""
    also = tuple(answer["also"])
    if "refused" in answer:
        return Choice(direction, also=also, refused=answer["refused"])
    fields = ("name", "algorithm", "workspace", "estimate_ms")
    solvers = tuple(Solver(*(each[name] for name in fields)) for each in answer["solvers"])
    return Choice(direction, solvers, also, answer["source"])


def library_of(event: Mapping[str, Any]) -> Library:
    """The library that the first answer names."""
    setting = tuple((name, value) for name, value in event["setting"].items())
    return Library(event["library"], event["real"], event["version"], event["device"], setting)


def candidates_form(candidates: Candidates) -> dict[str, Any]:
    """The public JSON form."""
    form: dict[str, Any] = to_json(candidates)
    form["library"]["setting"] = dict(candidates.library.setting)
    return form
