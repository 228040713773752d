"""Does a stack fit: machine x applications x stack -> what rules it out, and a word for each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from wizard.advice.card import (
    MissingRight,
    Obstacle,
    card_closed,
    chosen_card,
    doubts,
    missing_right,
    target_of,
    wrong_card,
    wrong_processor,
)
from wizard.advice.floors import (
    chosen_python,
    home_room,
    memory_need,
    older_release,
    python_need,
    python_obstacle,
    python_refused,
    room_for,
    short_of,
    steps_back,
    unmet_floor,
    unsure_memory,
)
from wizard.advice.leftovers import torch_here
from wizard.core.fact import Unknown
from wizard.knowledge.applications import Application
from wizard.knowledge.claims import PROMISING, Word, verdict_on
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.machine.system import refuses_executable_stacks

NOT_REVIEWED = "the evidence has not been reviewed yet"
CURE = "clear the executable-stack flag of libamdhip64.so and libhiprtc.so after installing"


class Supply(NamedTuple):
    """Where wheels and Python come from, where it is not the internet: places the user named."""

    wheelhouse: str = ""
    """A folder of wheels to install from, ``""`` without one."""
    python_mirror: str = ""
    """Where uv takes a Python from in place of its own place on the internet."""


INTERNET = Supply()
"""Both from where they are published."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether one application runs with one stack here."""

    application: str
    word: Word
    why: str
    claims: tuple[str, ...] = ()
    """Ids of the claims that carry the verdict, then of those against it; none for a floor."""
    needs: tuple[str, ...] = ()
    """What the application takes besides the stack, such as an older release of it."""
    back: int = 0
    """How many lines of releases behind its newest the application would have to be."""


@dataclass(frozen=True, slots=True)
class Fit:
    """One stack held against this machine and the applications asked for."""

    stack: str
    possible: bool
    """False when something on this machine rules it out."""
    obstacles: tuple[str, ...]
    """What rules it out, and what would help."""
    needs: tuple[str, ...]
    """What it needs that is not there yet, such as Python 3.10 by uv."""
    answers: tuple[Answer, ...]
    """One for each application asked for, in their order."""
    python: str
    """Path of the interpreter to use, ``uv:3.10`` when uv must bring it, ``""`` without either."""
    download_bytes: int | None
    installed_bytes: int | None
    missing_right: MissingRight | None = None
    """What the user must be given first, by root or by a new login; also among ``needs``."""
    card_closed: str = ""
    """What keeps the card from being used as things are; also among ``needs``."""
    room: str = ""
    """What of free space is missing, or not known, in the home folder: a plan may go elsewhere."""
    there: str = ""
    """An environment that holds this stack's torch, fit for what is asked, ``""`` without one."""


def fit(
    machine: Machine,
    applications: tuple[Application, ...],
    stack: Stack,
    supply: Supply = INTERNET,
    preset: str = "",
) -> Fit:
    """What a stack is on this machine, taken with a published preset of variables or without.

    Possible is what no obstacle rules out: card and target, processor, C library and
    Python. A stack that is ruled out is ``no`` for everything, because of its first obstacle.
    """
    python = chosen_python(machine, applications, stack)
    against = _obstacles(machine, stack, python)
    here = torch_here(machine, applications, stack, target_of(chosen_card(machine)))
    return Fit(
        stack=stack.id,
        possible=not against,
        obstacles=tuple(each.text for each in against),
        needs=_needs(machine, stack, python, supply),
        answers=tuple(
            _answer(machine, each, stack, python, against, preset) for each in applications
        ),
        python=python,
        download_bytes=stack.download_bytes,
        installed_bytes=stack.installed_bytes,
        missing_right=missing_right(machine) if stack.gfx else None,
        card_closed=card_closed(machine, stack),
        room=home_room(machine, stack),
        there=here.path if here else "",
    )


def _obstacles(machine: Machine, stack: Stack, python: str) -> tuple[Obstacle, ...]:
    """What rules the stack out here, each with what would help."""
    card = (wrong_card(machine, stack), wrong_processor(machine)) if stack.gfx else ()
    found = (
        *card,
        _c_library_too_old(machine, stack),
        python_obstacle(machine, stack, python),
    )
    return tuple(each for each in found if each)


def _needs(machine: Machine, stack: Stack, python: str, supply: Supply) -> tuple[str, ...]:
    """What the stack needs that is not there yet, or that could not be seen."""
    card = (card_closed(machine, stack), *doubts(machine)) if stack.gfx else ()
    texts = (
        python_need(python),
        *card,
        _c_library_need(machine, stack),
        memory_need(machine, stack),
        _unknown_processor(machine) if stack.gfx else "",
        _network_need(supply, python),
    )
    return tuple(text for text in texts if text)


def _answer(
    machine: Machine,
    application: Application,
    stack: Stack,
    python: str,
    against: tuple[Obstacle, ...],
    preset: str,
) -> Answer:
    """Floors first, then the reviewed verdict, no better than this machine's memory allows."""
    refused = against[0].text if against else python_refused(machine, application, stack, python)
    if refused:
        return Answer(application.id, Word.NO, refused)
    answer = answer_for_target(target_of(chosen_card(machine)), application, stack, preset)
    short = short_of(machine, application, stack)
    if short and answer.word in PROMISING:
        why = f"{application.title} needs {short} ({application.source})"
        answer = replace(answer, word=Word.POSSIBLE, why=why)
    if answer.word is Word.NO:
        return answer
    more = (
        short,
        unsure_memory(machine, application, stack),
        room_for(machine, application, stack),
    )
    return replace(answer, needs=(*answer.needs, *(text for text in more if text)))


def answer_for_target(gfx: str, application: Application, stack: Stack, preset: str = "") -> Answer:
    """What floors of the application and the reviewed verdict say for a chip, on any machine."""
    if refused := unmet_floor(application, stack):
        return Answer(application.id, Word.NO, refused)
    verdict = verdict_on(application.purpose, stack.id, gfx if stack.gfx else "", preset)
    if verdict is None:
        return Answer(application.id, Word.NOT_TRIED, NOT_REVIEWED)
    older = older_release(application, stack)
    return Answer(
        application.id,
        verdict.word,
        verdict.why,
        claims=(*verdict.claims, *verdict.against),
        needs=(f"an older release: {older.pip}",) if older else (),
        back=steps_back(application, stack),
    )


def _c_library_too_old(machine: Machine, stack: Stack) -> Obstacle | None:
    """Why the wheels cannot load, None where the C library is new enough or not known."""
    version = _c_library(machine)
    if version is None or not stack.glibc_floor or version >= Version(stack.glibc_floor):
        return None
    why = f"its wheels were built for glibc {stack.glibc_floor} or newer; this system has {version}"
    fix = (
        f"use a newer release of this system, or a container with glibc {stack.glibc_floor} or "
        "newer"
    )
    return Obstacle(why, fix)


def _c_library_need(machine: Machine, stack: Stack) -> str:
    """What is to be done about the executable stack, and about a C library that is not known."""
    version, glibc = _c_library(machine), machine.system.glibc
    if stack.executable_stack and refuses_executable_stacks(glibc) is True:
        return f"{CURE}: otherwise glibc {version} refuses them"
    if version is not None:
        return ""
    unknown = f"this glibc calls itself {glibc}"
    if isinstance(glibc, Unknown):
        unknown = f"glibc is not known ({glibc.because})"
    if stack.executable_stack:
        return f"{unknown}; if it is 2.41 or newer: {CURE}"
    return f"glibc {stack.glibc_floor} or newer: {unknown}" if stack.glibc_floor else ""


def _c_library(machine: Machine) -> Version | None:
    glibc = machine.system.glibc
    if isinstance(glibc, Unknown):
        return None
    try:
        return Version(glibc)
    except InvalidVersion:
        return None


def _unknown_processor(machine: Machine) -> str:
    architecture = machine.system.architecture
    if not isinstance(architecture, Unknown):
        return ""
    return f"an x86_64 processor; this one could not be identified ({architecture.because})"


def _network_need(supply: Supply, python: str) -> str:
    """What still needs a network although there is a folder of wheels."""
    if supply.wheelhouse and python.startswith("uv:") and not supply.python_mirror:
        return (
            "a network connection for uv to download Python, or a Python from `rdna1-setup "
            "fetch` (--python-mirror URL), because the folder of wheels contains none"
        )
    return ""
