"""Facts of a machine -> what is wrong with it, what is not, and what was not tested."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from wizard.core.fact import Unknown
from wizard.diagnose import checks_system, checks_torch
from wizard.diagnose.explain import joined, unexplained
from wizard.diagnose.finding import NO_CAUSE, Finding, Status, in_order, worst
from wizard.diagnose.outcomes import not_tested
from wizard.knowledge.causes import load_causes, load_parts
from wizard.machine.access import ACCESS, DRIVER, PROCESSES, may_compute
from wizard.machine.detect import PARTS
from wizard.machine.facts import Machine
from wizard.machine.gpus import GPUS
from wizard.machine.packages import PACKAGES
from wizard.machine.part import was_late
from wizard.machine.pythons import INTERPRETERS
from wizard.machine.surroundings import SURROUNDINGS, warnings
from wizard.machine.system import DISKS, MOUNTED, SYSTEM

CHECK_S = 10.0
"""How long a check of facts that are there already may take."""


@dataclass(frozen=True, slots=True)
class Look:
    """A check with its name and its patience."""

    name: str
    """What is looked at, in words."""
    check: Callable[[Machine], Iterable[Finding]]
    deadline_s: float = CHECK_S


class _Overdue(BaseException):
    """Ends a check whose time is over; no check catches it by mistake."""


class _Running:
    """A check at work in a thread that nobody has to wait for."""

    def __init__(self, look: Look, machine: Machine) -> None:
        self._look = look
        self._found: tuple[Finding, ...] | None = None
        # A daemon, so that a read without end cannot keep the program from exiting.
        self._thread = threading.Thread(
            target=self._run, args=(machine,), daemon=True, name=f"check {look.name}"
        )
        self._thread.start()

    def _run(self, machine: Machine) -> None:
        try:
            self._found = tuple(self._look.check(machine))
        except _Overdue:
            pass
        except Exception as error:  # a mistake in a check costs that check and not the report
            self._found = self._without(f"a bug in this program: {type(error).__name__}: {error}")

    def result(self, limit: float) -> tuple[Finding, ...]:
        self._thread.join(max(limit - time.monotonic(), 0))
        if (found := self._found) is not None:
            return found
        self._end()
        return self._without(f"it took longer than {self._look.deadline_s:g} s and was abandoned")

    def _without(self, why: str) -> tuple[Finding, ...]:
        return (not_tested(NO_CAUSE, f"The check of {self._look.name} did not finish", why),)

    def _end(self) -> None:
        """Ask Python to end it: an endless loop obeys at once, a wait in the kernel at its end."""
        number = self._thread.ident
        if number is not None and self._thread.is_alive():
            thread, error = ctypes.c_ulong(number), ctypes.py_object(_Overdue)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)


def run_each(looks: Iterable[Look], machine: Machine) -> Iterator[tuple[Finding, ...]]:
    """What each finds, in this order, each as soon as it and those before it are done.

    All of them begin at once, so that the whole takes no longer than the longest patience.
    """
    began = time.monotonic()
    running = [(look, _Running(look, machine)) for look in looks]
    for look, one in running:
        yield one.result(began + look.deadline_s)


Check = Callable[[Machine], Iterator[Finding]]

FOR_ALL: tuple[Check, ...] = (
    checks_system.windows_below,
    checks_system.work,
    checks_system.room,
)
"""Checks that hold whatever card there is."""
FOR_RDNA1: tuple[Check, ...] = (
    checks_system.driver,
    checks_system.slot,
    checks_system.permission,
    checks_system.stuck_work,
    checks_torch.exchanged,
    checks_torch.executable_stack,
    checks_torch.build,
    checks_torch.numpy,
    checks_torch.code_for_card,
    checks_torch.spoofed_processor,
    checks_torch.library_path,
    checks_system.other_cards,
    checks_system.other_gpus,
    checks_torch.masks,
    checks_torch.families,
    checks_torch.searching,
    checks_system.shadowing,
    checks_system.sources,
    checks_system.releases,
    checks_torch.own_rocm,
    checks_torch.idle,
)
"""Checks whose advice is for owners of RDNA1 cards: to others it would be wrong."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found on a machine."""

    rdna1: bool
    """False where no RDNA1 card was found: then only what holds for all was checked."""
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is: one look, waited for or ended."""

    name: str
    """What is looked at."""
    number: int
    """From 1."""
    total: int
    findings: tuple[Finding, ...] | None = None
    """What it found; None while it is waited for."""


def looks_of(machine: Machine) -> tuple[Look, ...]:
    """The checks whose advice is right for the owner of this machine."""
    # WSL shows no card at all, so that nothing can be said of its owner's.
    checks = (*FOR_ALL, *FOR_RDNA1) if _has_card(machine) else FOR_ALL
    load_causes()  # now, or all of them would read the table at the same time
    return tuple(Look(check.__name__.replace("_", " "), check) for check in checks)


def diagnose(
    machine: Machine,
    further: tuple[Look, ...] = (),
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Diagnosis:
    """Everything that can be told of this machine, each look told as it is waited for and ends.

    ``further``: what else is looked at, beside its facts.
    """
    looks = (*looks_of(machine), *further)
    ended = run_each(looks, machine)
    found: list[Finding] = []
    for number, look in enumerate(looks, 1):
        progress = Progress(look.name, number, len(looks))
        on_progress(progress)
        findings = next(ended)
        on_progress(replace(progress, findings=findings))
        found += findings
    return diagnosis_of(machine, found)


def diagnosis_of(machine: Machine, findings: Iterable[Finding]) -> Diagnosis:
    """What checks found, as a whole: root causes first, consequences left out."""
    return Diagnosis(_has_card(machine), in_order(joined(unexplained(tuple(findings)))))


def _has_card(machine: Machine) -> bool:
    return any(gpu.rdna1 for gpu in machine.gpus)


TITLES = tuple(part.title for part, _ in PARTS)


def part_statuses(
    machine: Machine, findings: tuple[Finding, ...] | None = None
) -> dict[str, Status]:
    """By the title of each part: the worst of its own facts and of the findings about it.

    ``findings``: those of ``diagnose``, where they are known already.
    """
    own = dict.fromkeys(TITLES, Status.OK) | dict(_own(machine))
    # What did not answer in time was looked at by nobody, whatever stands in its place.
    own |= dict.fromkeys((t for t in TITLES if was_late(t, machine.unread)), Status.NOT_TESTED)
    found = diagnose(machine).findings if findings is None else findings
    return {title: worst((status, *_of(title, found))) for title, status in own.items()}


def _of(title: str, findings: tuple[Finding, ...]) -> Iterator[Status]:
    return (each.status for each in findings if load_parts().get(each.cause) == title)


def _own(machine: Machine) -> Iterator[tuple[str, Status]]:
    """What the facts of a part say by themselves, whoever owns the machine."""
    warns = {
        GPUS.title: not any(gpu.rdna1 for gpu in machine.gpus),
        DRIVER.title: not machine.driver.loaded,
        ACCESS.title: not may_compute(machine.access),
        INTERPRETERS.title: not any(one.makes_venvs for one in machine.interpreters),
        MOUNTED.title: bool(machine.silent),
        SURROUNDINGS.title: bool(warnings(machine.surroundings)),
    }
    system, driver = machine.system, machine.driver
    unknown = {
        DRIVER.title: driver.loaded and isinstance(driver.origin, Unknown),
        SYSTEM.title: isinstance(system.kernel, Unknown) or isinstance(system.glibc, Unknown),
        PROCESSES.title: isinstance(machine.processes, Unknown),
        PACKAGES.title: isinstance(machine.rocm_packages, Unknown),
        DISKS.title: not machine.disks,
    }
    yield from ((title, Status.WARNING) for title, is_so in warns.items() if is_so)
    yield from ((title, Status.NOT_TESTED) for title, is_so in unknown.items() if is_so)
