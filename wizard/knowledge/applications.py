"""Applications: what people want to run, and what each asks of torch."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from wizard.knowledge.claims import load_purposes
from wizard.knowledge.tables import read_rows

PLAIN_TORCH = "own"
"""The id that stands for code of the user's own, or for none named."""


@dataclass(frozen=True, slots=True)
class Older:
    """Older releases of an application, which take an older torch than its newest one."""

    torch_floor: str
    python_floor: str
    ask: tuple[str, ...]
    """What to ask pip for, for example ``transformers<5``."""

    @property
    def pip(self) -> str:
        """The line for a shell."""
        return f"pip install {' '.join(shlex.quote(text) for text in self.ask)}"


@dataclass(frozen=True, slots=True)
class Addition:
    """What to add to the line that starts an application, should it fail."""

    add: str
    sign: str
    """How it fails, after "If ComfyUI"."""
    claim: str
    """Id of the claim that says so."""


@dataclass(frozen=True, slots=True)
class Application:
    """Something to run, with its floors, each from a dated source."""

    id: str
    title: str
    """At most 12 characters, for a column head."""
    purpose: str
    """Id of the purpose that verdicts are given for, in ``assets/verdicts.toml``."""
    torch_floor: str
    """Smallest torch version of its newest release, ``""`` when none is known."""
    python_floor: str
    python_ceiling: str
    spoils: str
    """What its own installation does to a stack, ``""`` when nothing is known."""
    source: str
    date: str
    numpy_floor: str = ""
    numpy_below: str = ""
    """The first numpy that is too new for it, ``""`` when none is known."""
    spoils_numpy_1: str = ""
    """The same, where the stack needs a numpy below 2."""
    older: tuple[Older, ...] = ()
    """Releases for an older torch, newest first."""
    pulls: tuple[str, ...] = ()
    """What its installation brings along that bears on torch and numpy."""
    vram_bytes: int | None = None
    """The least memory of a card that its makers name."""
    memory_bytes: int | None = None
    memory_without_card_bytes: int | None = None
    """The same where it runs on the processor alone."""
    disk_bytes: int | None = None
    """What it takes itself, with its first models, as its makers say."""
    clone: str = ""
    """The repository that is its folder, once cloned; ``""`` for packages and for own code."""
    if_fails: tuple[Addition, ...] = ()


@cache
def load_applications() -> tuple[Application, ...]:
    """All applications, in the order of the file."""
    unless_said = {
        "torch_floor": "",
        "python_floor": "",
        "python_ceiling": "",
        "spoils": "",
    }
    return read_rows("applications.toml", "application", Application, unless_said)


def applications_named(ids: tuple[str, ...]) -> tuple[Application, ...]:
    """The applications with these ids, in that order; KeyError names the known ids."""
    known = {application.id: application for application in load_applications()}
    unknown = [each for each in ids if each not in known]
    if unknown:
        raise KeyError(f"no application {unknown[0]!r}; the known ones are {', '.join(known)}")
    return tuple(known[each] for each in ids)


def convolves(ids: Collection[str]) -> bool:
    """False where all of these applications are for purposes that are known to do without Conv2d.

    True for none: what is not known may convolve.
    """
    without = {
        each.id
        for each in load_purposes()
        if "transformer" in each.topics and "conv2d" not in each.topics
    }
    known = applications_named(tuple(ids))
    return not known or any(each.purpose not in without for each in known)


def trains(ids: Collection[str]) -> bool:
    """True where one of these applications is for a purpose that trains models."""
    purposes = {each.id for each in load_purposes() if "training" in each.topics}
    return any(each.id in ids and each.purpose in purposes for each in load_applications())
