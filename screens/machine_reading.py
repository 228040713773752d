"""Reads the machine in a thread of its own and posts to a screen what is found."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from textual.message import Message
from textual.screen import Screen

from screens.session import Session

if TYPE_CHECKING:
    from screens.step import StepScreen
    from wizard.diagnose.finding import Status
    from wizard.diagnose.outcomes import Verdict
    from wizard.machine.facts import Machine
    from wizard.machine.part import PartDone


def load(*modules: str) -> None:
    """Loads modules in a thread that holds nobody up. What is loaded stays: to look through it for
    garbage, when the next screen opens, would hold that up for some 50 ms."""
    if all(module in sys.modules for module in modules):
        return  # else the screens that are there would never be garbage
    for module in modules:
        import_module(module)
    gc.collect()
    gc.freeze()


FOLLOWING = ("screens.choose.ask", "screens.choose.screen")


@dataclass
class PartRead(Message):
    """One question was answered, in the reading of this number."""

    part: PartDone
    reading: int


@dataclass
class MachineRead(Message):
    """All questions were answered."""

    session: Session
    statuses: Mapping[str, Status]
    verdict: Verdict
    reading: int


@dataclass
class ReadingFailed(Message):
    """The reading ended early."""

    error: OSError | ValueError
    reading: int


def read_machine(screen: StepScreen, reading: int = 0) -> None:
    """Starts to read; no worker of a pool: leaving must not wait for a stuck file."""
    in_daemon(
        screen,
        partial(_read, screen, reading),
        lambda error: screen.post_message(ReadingFailed(error, reading)),
    )


def in_daemon(
    screen: Screen[Any], look: Callable[[], None], failed: Callable[[OSError | ValueError], object]
) -> None:
    """Looks in a thread that leaving need not wait for; a bug in there ends the program."""

    def begin() -> None:
        try:
            look()
        except (OSError, ValueError) as error:
            failed(error)
        except Exception as bug:  # a thread would swallow it
            screen.call_later(_raise, bug)

    threading.Thread(target=begin, daemon=True).start()


def statuses_and_verdict(machine: Machine) -> tuple[Mapping[str, Status], Verdict]:
    """How each part of a machine stands, and what that comes to."""
    # They read tables: not before the first frame.
    from wizard.diagnose.machine import diagnose, part_statuses
    from wizard.diagnose.outcomes import verdict

    findings = diagnose(machine).findings
    return part_statuses(machine, findings), verdict(machine, findings)


def _read(screen: StepScreen, reading: int) -> None:
    parts: list[PartDone] = []

    def on_part(part: PartDone) -> None:
        parts.append(part)
        screen.post_message(PartRead(part, reading))

    machine = screen.services.knowledge.detect(on_part)
    session = _with_machine(screen, machine, tuple(parts))
    told = statuses_and_verdict(machine)
    _prepare_choose(screen, session)
    screen.post_message(MachineRead(session, *told, reading))


def _raise(bug: Exception) -> None:
    raise bug


def _with_machine(screen: StepScreen, machine: Machine, parts: tuple[PartDone, ...]) -> Session:
    """The session with what was read; what was ticked already stays, else what is found here."""
    from wizard.advice.recommend import found_applications  # it reads a table

    ticked = screen.session.applications or found_applications(machine)
    return replace(screen.session, machine=machine, parts=parts, applications=ticked)


def _prepare_choose(screen: StepScreen, session: Session) -> None:
    """Reads data and code here, where it holds nobody up: Choose opens at once then."""
    from screens.choose.card import choosing_at

    choosing_at(session, screen.services)
    screen.services.knowledge.approaches()
    load(*FOLLOWING)
