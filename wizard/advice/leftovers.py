"""What is on a machine already: a torch, settings that reach a stack, ROCm of the system."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from wizard.advice.card import chosen_card, target_of
from wizard.core.amounts import counted
from wizard.core.fact import Unknown
from wizard.knowledge.applications import PLAIN_TORCH, Application, applications_named
from wizard.knowledge.claims import Word, verdict_on
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.knowledge.variables import LIBRARY_PATH, general
from wizard.machine.facts import Environment, Machine, Setting
from wizard.machine.system import refuses_executable_stacks

REACHING = ("HSA_", "HIP_", "MIOPEN_", "ROCR_")
"""How variables begin that a bundled ROCm reads as well as a system's."""
MEASURED = "MIOPEN_"
"""How variables begin that Conv2d's search tries with the environment's own Python."""


def leftovers(machine: Machine, stack: Stack) -> tuple[str, ...]:
    """What on this machine breaks, changes or does not matter to a stack, with file and line."""
    if not stack.gfx:
        return ()
    settings = [s for s in _known_places(machine.settings) if not s.within]
    wanted = dict(stack.environment)
    out = left_out(machine, stack)
    breaking = [s for s in settings if s.name in (*stack.unset, *out)]
    other = [s for s in settings if s.name in wanted and s.value != wanted[s.name]]
    named = {*stack.unset, *out, *wanted}
    return (
        *(_breaks(same, machine, stack) for same in _alike(breaking)),
        *(_differs(same, wanted[same[0].name], machine) for same in _alike(other)),
        *_reach(reaching(machine, named), machine),
        *_system_rocm(machine),
    )


def reaching(machine: Machine, named: Collection[str]) -> list[Setting]:
    """What is set on this machine and takes effect in every stack, but for the ``named`` ones."""
    return [
        setting
        for setting in _known_places(machine.settings)
        if not setting.within and setting.name not in named and _takes_effect(setting)
    ]


def reaching_text(settings: Sequence[Setting], machine: Machine) -> str:
    """All of them with their places, those of a file together."""
    texts = []
    for found in _by_file(settings):
        pairs = dict.fromkeys(f"{each.name}={each.value}" for each in found)
        texts.append(f"{', '.join(pairs)} ({_where(found[0], machine)})")
    return "; ".join(texts)


def left_out(machine: Machine, stack: Stack) -> tuple[str, ...]:
    """The variables in force here that no stack unsets unasked, and this one must not see."""
    names = {setting.name for setting in machine.settings if not setting.within}
    return tuple(sorted(name for name in names if general(name) in stack.unset_where_set))


def torch_here(
    machine: Machine, asked: tuple[Application, ...], stack: Stack, gfx: str
) -> Environment | None:
    """The first environment that holds this stack's torch already, and can serve what is asked."""
    return next(
        (
            environment
            for environment in machine.environments
            if _holds(environment, stack, gfx)
            and not _refused(environment, machine)
            and not _of_others(environment, machine, asked)
        ),
        None,
    )


def short_path(path: str, machine: Machine) -> str:
    """A path with ``~`` for the home folder."""
    home = machine.access.home.rstrip("/")
    return f"~{path.removeprefix(home)}" if home and path.startswith(f"{home}/") else path


def _holds(environment: Environment, stack: Stack, gfx: str) -> bool:
    torch = environment.torch
    if torch is None or torch.changed:  # with a library exchanged it is nobody's torch
        return False
    if torch.native_gfx:
        return gfx in torch.native_gfx and "{gfx}" in " ".join(stack.requirements)
    if not stack.gfx:
        return torch.build == "cpu"
    return torch.version == stack.torch


def _refused(environment: Environment, machine: Machine) -> bool:
    """Whether this machine's glibc refuses to load that torch."""
    flagged = environment.torch is not None and bool(environment.torch.executable_stack)
    return flagged and refuses_executable_stacks(machine.system.glibc) is True


def _of_others(environment: Environment, machine: Machine, asked: tuple[Application, ...]) -> bool:
    """Whether it belongs to programs, and none of them is asked for."""
    programs = {
        one.id for one in machine.applications if one.path != one.environment == environment.path
    }
    return bool(programs) and programs.isdisjoint(each.id for each in asked)


def _known_places(settings: tuple[Setting, ...]) -> list[Setting]:
    """Without those of the live environment that a file explains."""
    explained = {(s.name, s.value) for s in settings if s.file}
    return [s for s in settings if s.file or (s.name, s.value) not in explained]


def _alike(settings: list[Setting]) -> list[list[Setting]]:
    """The same variable with the same value, wherever it was set."""
    places: dict[tuple[str, str], list[Setting]] = {}
    for setting in settings:
        places.setdefault((setting.name, setting.value), []).append(setting)
    return list(places.values())


def _shown(same: list[Setting], machine: Machine) -> str:
    where = ", ".join(_where(setting, machine) for setting in same)
    return f"{same[0].name}={same[0].value} ({where})"


def _where(setting: Setting, machine: Machine) -> str:
    if not setting.file:
        return "set in this session"
    return f"{short_path(setting.file, machine)}:{setting.line}"


def _breaks(same: list[Setting], machine: Machine, stack: Stack) -> str:
    name = same[0].name
    breaks = "breaks" if name in stack.unset else "can break"
    # the loader reads its path when a process starts: nothing inside Python can take that back
    early = name == LIBRARY_PATH or name.startswith(MEASURED)
    starts = "rdna1-python starts without it" if early else "the plan unsets it"
    return f"{_shown(same, machine)} {breaks} this stack; {starts}"


def _differs(same: list[Setting], wanted: str, machine: Machine) -> str:
    return f"{_shown(same, machine)} differs from this stack's {wanted}"


def _takes_effect(setting: Setting) -> bool:
    """Whether ROCm or torch reads it: what the table does not have is judged by its name."""
    if setting.name == LIBRARY_PATH:  # stacks that do not unset it were built to ignore it
        return False
    kind = setting.effect.partition(":")[0]
    return kind == "effective" or (not kind and setting.name.startswith(REACHING))


def _by_file(settings: Sequence[Setting]) -> list[list[Setting]]:
    ordered = sorted(settings, key=lambda setting: setting.file)
    return [list(group) for _, group in groupby(ordered, key=lambda setting: setting.file)]


def _reach(settings: Sequence[Setting], machine: Machine) -> tuple[str, ...]:
    texts = []
    for found in _by_file(settings):
        where = f"in {_where(found[0], machine)}" if found[0].file else "in this session"
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        first = f"{found[0].name}={found[0].value}"
        texts.append(f"settings {where} also affect this stack: {first}{more}")
    return tuple(texts)


def _system_rocm(machine: Machine) -> tuple[str, ...]:
    own = (tree for tree in machine.rocm_trees if tree.path.startswith("/opt/rocm"))
    trees = [tree for tree in own if tree.link_to is None]
    packages = machine.rocm_packages
    amd = () if isinstance(packages, Unknown) else [p for p in packages if p.origin == "amd"]
    if not trees and amd:
        found = counted(len(amd), "ROCm package")
        return (
            f"{found} from AMD, only half installed (no folder in /opt): not used by these wheels",
        )
    return tuple(f"{tree.path} (system ROCm) is not used by these wheels" for tree in trees)


@dataclass(frozen=True, slots=True)
class TorchThere:
    """A torch and the Python that imports it."""

    python: str
    torch: str
    """Its version."""
    build: str
    """``rocm``, ``cuda``, ``cpu`` or ``unknown``."""
    place: str
    """Where it lies, as people write it."""


def torch_there(machine: Machine) -> TorchThere | None:
    """The first torch that was built for ROCm and can be started; None where there is none."""
    return next((there for there in torches_there(machine) if there.build == "rocm"), None)


def may_freeze(there: TorchThere, machine: Machine, applications: Sequence[str]) -> bool:
    """True where the reviewed verdicts expect what is asked for to hang or fail with that torch."""
    stack = next((each for each in load_stacks() if each.torch == there.torch), None)
    if stack is None:
        return False
    gfx = target_of(chosen_card(machine))
    asked = applications_named(tuple(applications) or (PLAIN_TORCH,))
    found = (verdict_on(each.purpose, stack.id, gfx) for each in asked)
    return any(each is not None and each.word in (Word.UNLIKELY, Word.NO) for each in found)


def torches_there(machine: Machine) -> tuple[TorchThere, ...]:
    """Every torch whose Python is known, those built for ROCm first."""
    found = (
        TorchThere(python, torch.version, torch.build, short_path(environment.path, machine))
        for environment in machine.environments
        if (torch := environment.torch) and (python := _python_of(environment, machine))
    )
    return tuple(sorted(found, key=lambda there: there.build != "rocm"))


def _python_of(environment: Environment, machine: Machine) -> str:
    if environment.kind in ("venv", "conda"):
        return f"{environment.path}/bin/python"
    if isinstance(environment.python, Unknown):
        return ""
    series = environment.python.split(".")[:2]
    known = (one for one in machine.interpreters if one.version.split(".")[:2] == series)
    return next((one.path for one in known), "")
