"""What a folder is fetched for: a stack on a kind of machine, and the Python that it gets."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from wizard.core.amounts import counted
from wizard.core.events import Done, Output
from wizard.core.fact import Fact, Unknown
from wizard.core.lines import clean
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble
from wizard.host.files import digest
from wizard.host.live import LiveHost
from wizard.host.pip_settings import PipSettings, pip_settings
from wizard.knowledge.stacks import find_stack
from wizard.machine.facts import Machine
from wizard.operations.resolve import Resolve, ask_target, choose
from wizard.operations.uv_project import Manifest
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.plan.new_environment import AS_PYTHON_BRINGS, stack_manifest, version_brought
from wizard.plan.new_environment import target as gfx_of
from wizard.plan.planner import make_plan
from wizard.plan.wheel_index import python_of
from wizard.system.lock import write_wheels
from wizard.system.space import write_failure
from wizard.system.system import News, System
from wizard.system.whole_file import write_whole

UV = "uv"
"""Stands for the uv of a machine that has none yet: it is installed together with this program."""


@dataclass(frozen=True, slots=True)
class Target:
    """The machines that a folder is for, as far as it matters to what lies in it."""

    stack: str
    gfx: str
    """The card's instruction set, for wheels that are made for one; ``""`` for none."""
    distribution: str
    release: str
    architecture: str
    glibc: str
    python: str
    """Minor version that the stack gets, for example ``3.10``."""
    brings_python: bool
    """True where the machine has none of that version that makes venvs."""

    def __str__(self) -> str:
        where = " ".join(filter(None, (self.distribution, self.release, self.architecture)))
        return f"{self.stack} on {where}, Python {self.python}"


def target_of(machine: Machine, choice: Choice, places: Places) -> Target:
    """What the stack takes on that machine. Raises PlanImpossible."""
    stack = find_stack(choice.stack)
    if isinstance(machine.uv, Unknown):
        machine = replace(machine, uv=UV)
    plan = make_plan(machine, choice, places)
    assert stack is not None  # noqa: S101 - else there is no plan
    known, brought = _known(machine), version_brought(plan.steps)
    return Target(
        stack=stack.id,
        gfx=gfx_of(machine, choice, stack) if stack.gfx else "",
        distribution=known["distribution"],
        release=known["release"],
        architecture=known["architecture"],
        glibc=known["glibc"],
        python=brought or python_of(plan, machine.interpreters),
        brings_python=bool(brought),
    )


def _known(machine: Machine) -> dict[str, str]:
    """What must be known to choose wheels. Raises PlanImpossible."""
    system = machine.system
    facts: dict[str, Fact[str]] = {
        "distribution": system.distribution,
        "release": system.release,
        "architecture": system.architecture,
        "glibc": system.glibc,
    }
    found: dict[str, str] = {}
    for name, fact in facts.items():
        if isinstance(fact, Unknown) or not fact:
            if name in ("architecture", "glibc"):
                why = fact.because if isinstance(fact, Unknown) else "it is not recorded"
                raise PlanImpossible(
                    f"The {name} of the target machine is not known ({why}), so the right wheels "
                    "cannot be chosen."
                )
            fact = ""
        found[name] = fact
    return found


@dataclass(frozen=True, slots=True)
class Sources:
    """Where wheels are taken from, as ``plan`` takes them."""

    torch_index: str = ""
    wheelhouse: str = ""


async def choose_stack(
    work: Path, uv: str, python: str, target: Target, sources: Sources, system: System
) -> News:
    """Choose the wheels of the stack, and what a new environment holds besides, once: a second
    choice could be another one."""
    step = Resolve("", uv, python, str(work), manifest_of(target, sources))
    lock = Path(step.lock)
    if await asyncio.to_thread(lock.is_file):
        yield Done("already chosen")
        return
    here = await ask_target(system, python)
    there = replace(here, glibc=target.glibc, machine=target.architecture)
    own = LiveHost(system.environ)
    settings = PipSettings() if sources.wheelhouse else pip_settings(own)
    async with aclosing(choose(step, step.manifest, settings, there, system)) as news:
        async for each in news:
            if isinstance(each, Output):
                yield each
            else:
                write_wheels(lock, each)
                yield Done(f"{counted(len(each), 'wheel')} chosen")


def manifest_of(target: Target, sources: Sources) -> Manifest:
    """What the stack asks for on that machine."""
    stack = find_stack(target.stack)
    assert stack is not None  # noqa: S101 - a target is of a stack that is known
    index, house = sources.torch_index, sources.wheelhouse
    return stack_manifest(stack, target.gfx, index, house, AS_PYTHON_BRINGS)


SCHEMA = 1
TARGET, SUMS, UNFINISHED = "target.json", "SHA256SUMS", ".unfinished"
WHEELS, LOCK, PYTHON = "wheels", "wheels.lock", "python"
"""The wheels; each with its hash, as pip and uv read it; what uv takes for a mirror of Pythons."""
OURS = frozenset((TARGET, SUMS, UNFINISHED, WHEELS, LOCK, PYTHON))


@dataclass(frozen=True, slots=True)
class Folder:
    """One such folder."""

    path: Path

    @property
    def work(self) -> Path:
        """What is needed only until it is finished."""
        return self.path / UNFINISHED

    @property
    def finished(self) -> bool:
        """True from its last word on, and until it is filled again."""
        return (self.path / SUMS).is_file()

    def begin(self, target: Target) -> None:
        """Make it ours, for this target. Raises Trouble where it is somebody else's, or another."""
        self.require_for(target)
        self.work.mkdir(parents=True, exist_ok=True)
        form = {"schema": SCHEMA, "target": asdict(target)}
        self._put(TARGET, json.dumps(form, indent=1) + "\n")

    def require_for(self, target: Target) -> None:
        """Raise Trouble unless nothing lies there but what we put, for this target. Reads only."""
        self._require_ours()
        there = self.target()
        if there is not None and there != asdict(target):
            raise _for_another(self.path, there)
        if not self.finished:
            _require_writable(self.path)

    def _require_ours(self) -> None:
        if not os.path.lexists(self.path):
            return
        if not self.path.is_dir():
            raise _not_ours(self.path, "it is not a folder")
        names = {path.name for path in self.path.iterdir()}
        if names - {UNFINISHED} and self.target() is None:
            raise _not_ours(
                self.path,
                f"it contains {sorted(names)[0]}, and rdna1-setup did not make this folder",
            )
        if strange := sorted(names - OURS):
            raise _not_ours(self.path, f"it contains {strange[0]}, which rdna1-setup did not make")

    def target(self) -> dict[str, Any] | None:
        """What the folder was begun for; None where it does not say."""
        try:
            found = json.loads((self.path / TARGET).read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            return None
        target = found.get("target")
        return target if isinstance(target, dict) else None

    def reopen(self) -> None:
        """From now on it is not finished."""
        if self.finished:
            (self.path / SUMS).replace(self.work / SUMS)

    def files(self) -> Iterator[str]:
        """Names of what lies in it, but for what is needed only until it is finished."""
        for above, folders, names in os.walk(self.path):
            if Path(above) == self.path:
                folders[:] = [name for name in folders if name != UNFINISHED]
            for name in names:
                yield str(Path(above, name).relative_to(self.path))

    def finish(self, cancelled: Callable[[], bool]) -> int:
        """Write the hash of every file, which says that it is whole; gives their number."""
        names = sorted(name for name in self.files() if name != SUMS)
        rows = [f"{digest(self.path / name, cancelled)}  {name}" for name in names]
        if cancelled():
            return 0
        self._put(SUMS, "\n".join((*rows, "")))
        shutil.rmtree(self.work, ignore_errors=True)
        return len(names)

    def _put(self, name: str, text: str) -> None:
        """Write a file without a draft beside it, which would be nobody's after a kill."""
        write_whole(self.work / name, text)
        (self.work / name).replace(self.path / name)

    def sums(self) -> dict[str, str]:
        """Hash by name, as last written, also before it was reopened; empty where none was."""
        path = (self.path if self.finished else self.work) / SUMS
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return {}
        rows = (line.split("  ", 1) for line in text.splitlines())
        return {row[1]: row[0] for row in rows if len(row) == 2}

    def wrong(self, cancelled: Callable[[], bool]) -> tuple[str, ...]:
        """Names of files that are missing, damaged, or that nobody fetched."""
        known, there = self.sums(), set(self.files()) - {SUMS}
        changed = [
            name
            for name, sha256 in known.items()
            if name in there and digest(self.path / name, cancelled) != sha256
        ]
        return tuple(sorted({*changed, *(known.keys() ^ there)}))


def in_words(error: Trouble | OSError, folder: Path) -> Trouble:
    """The failure as it concerns this folder."""
    return error if isinstance(error, Trouble) else write_failure(error, folder, None)


def _require_writable(path: Path) -> None:
    """Raise Trouble where this user can make nothing at a path, before anything is fetched."""
    there = next(each for each in (path, *path.parents) if os.path.lexists(each))
    if not there.is_dir():
        raise _not_ours(path, f"{there} is not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise Trouble(
            f"The download cannot be saved in {clean(str(path))}: you have no permission to write "
            f"to {clean(str(there))}.",
            "The folder belongs to another user, or its file system is read-only. Nothing was "
            "downloaded.",
            "Choose a folder that belongs to you. Do not use sudo, because then only root could "
            "continue the download.",
        )


def _not_ours(path: Path, why: str) -> Trouble:
    """A place that holds what somebody else put there."""
    return Trouble(
        f"{clean(str(path))} cannot be filled: {clean(why)}.",
        "rdna1-setup does not overwrite other files, and any file next to the wheels would be "
        "copied to every machine. Nothing was downloaded.",
        "Name a folder that does not exist yet, or move the other files out of this folder.",
    )


def _for_another(path: Path, there: Mapping[str, Any]) -> Trouble:
    """A folder that was fetched, or begun, for other machines."""
    names = ("stack", "distribution", "release", "python")
    known = ", ".join(f"{name} {there[name]}" for name in names if there.get(name))
    return Trouble(
        f"{clean(str(path))} is for other machines: "
        f"{clean(known) or 'it does not say which ones'}.",
        "A folder can hold only one stack, for one kind of machine. Nothing was downloaded.",
        "Name another folder, or delete this one and run the same command again.",
    )
