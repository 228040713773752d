"""Applications: what people want to run, what each asks of torch, and the traces that it leaves."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """Something to run, with its floors, each from a dated source."""

    id: str
    title: str
    """At most 12 characters, for a column head."""
    purpose: str
    """Id of the purpose that verdicts are given for, in ``assets/verdicts.toml``."""
    torch_floor: str = ""
    """Smallest torch version of its newest release, ``""`` when none is known."""
    python_floor: str = ""
    python_ceiling: str = ""
    spoils: str = ""
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
    return read_rows("applications.toml", "application", Application)


def applications_named(ids: tuple[str, ...]) -> tuple[Application, ...]:
    """The applications with these ids, in that order; KeyError names the known ids."""
    known = {application.id: application for application in load_applications()}
    unknown = [each for each in ids if each not in known]
    if unknown:
        raise KeyError(f"no application {unknown[0]!r}; the known ones are {', '.join(known)}")
    return tuple(known[each] for each in ids)


class Trace(NamedTuple):
    """How one application is recognised: by files in its folder, or by a package of Python's.

    No dataclass, like all that detection keeps to itself: this takes an eighth of the time to
    define, in every start.
    """

    id: str
    """Of an application to choose where there is one of that name."""
    title: str
    source: str
    date: str
    files: tuple[str, ...] = ()
    """Files that its folder holds, all of them; empty when it is found by its package."""
    packages: tuple[str, ...] = ()
    """Names of distributions, normalised; empty when it is found by its files."""
    root: str = ""
    """A file in the folder beside its environment by which that folder is known as its own."""
    program: str = ""
    """Program in the environment's ``bin`` that starts it."""
    start: str = ""
    """Line for a shell, with ``{folder}``, ``{python}`` and ``{program}``; ``""`` for a library."""


@cache
def load_traces() -> tuple[Trace, ...]:
    """All traces, in the order of the file."""
    return read_rows("applications.toml", "trace", Trace)
