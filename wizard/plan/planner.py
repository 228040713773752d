"""Machine and choice in, plan out: pure, so that the same facts give the same plan."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from os.path import normpath
from pathlib import PurePosixPath

from wizard.knowledge.applications import applications_named
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.machine.facts import Machine
from wizard.places import Places
from wizard.plan.card import chosen_card, target_of
from wizard.plan.choice import Choice
from wizard.plan.environment import MODULE, PTH, launcher_text, module_text, pip_configuration
from wizard.plan.fit import Fit, fit
from wizard.plan.form import plan_form
from wizard.plan.resolve import AS_CONFIGURED, resolve_argv, second_try
from wizard.plan.steps import (
    CheckTorch,
    ClearExecutableStack,
    CreateVenv,
    DropDownloads,
    FetchWheels,
    InstallWheels,
    PinInstalled,
    Plan,
    RunProgram,
    Step,
    WriteFile,
)
from wizard.plan.system import group_steps, system_steps

STRICT_GLIBC = (2, 41)
"""From this release on, glibc refuses libraries that ask for an executable stack."""
EXECUTABLE_STACK_LIBRARIES = ("libamdhip64.so", "libhiprtc.so")
"""Where reports found the flag: https://github.com/easydiffusion/easydiffusion/issues/1921"""


class PlanImpossible(ValueError):
    """There is no such plan; the text says why and what would mend it."""


def make_plan(machine: Machine, choice: Choice, places: Places) -> Plan:
    """The steps that lead to the chosen stack on this machine. Raises PlanImpossible."""
    stack = next((each for each in load_stacks() if each.id == choice.stack), None)
    if stack is None:
        known = ", ".join(each.id for each in load_stacks())
        raise PlanImpossible(f"There is no stack {choice.stack!r}. Known are: {known}.")
    _require_usable(choice, places.home)
    if choice.gpu and chosen_card(machine, choice.gpu) is None:
        raise PlanImpossible(f"There is no AMD card at the PCI address {choice.gpu}.")
    held = _with_python(
        machine, choice, stack, fit(machine, applications_named(choice.applications), stack)
    )
    if not held.python:
        raise PlanImpossible(" ".join(held.obstacles) or "No Python fits this stack.")
    steps = (*_system(machine, choice, stack), *_venv_steps(machine, choice, stack, held, places))
    plan = Plan(
        id="",
        stack=stack.id,
        footprint=choice.footprint,
        venv=choice.venv,
        steps=steps,
        download_bytes=held.download_bytes,
        installed_bytes=held.installed_bytes,
        relogin_needed=any(type(step).__name__ == "AddToGroups" for step in steps),
        notes=_notes(choice, stack, held),
    )
    return replace(plan, id=_digest(plan))


def _require_usable(choice: Choice, home: str) -> None:
    """Raise PlanImpossible for names that cannot be used, and for folders that hold everything."""
    for text in (choice.venv, choice.wheelhouse, choice.torch_index):
        if not text.isprintable():
            raise PlanImpossible(f"{text!r} holds letters that cannot be shown: choose another.")
    if not choice.venv.startswith("/"):
        raise PlanImpossible(f"{choice.venv!r} is not the absolute path of a folder.")
    folder = normpath(f"/{choice.venv.lstrip('/')}")  # POSIX keeps two slashes apart
    if PurePosixPath(normpath(home)).is_relative_to(folder):
        raise PlanImpossible(
            f"{choice.venv} holds more than this program may touch: give a folder of its own, "
            f"such as {home}/ai/{choice.stack}."
        )


def _with_python(machine: Machine, choice: Choice, stack: Stack, held: Fit) -> Fit:
    """The fit with the Python that the user asked for, if one was."""
    if not choice.python:
        return held
    versions = {each.path: each.version for each in machine.interpreters if each.makes_venvs}
    if choice.python not in versions:
        found = ", ".join(versions) or "none"
        raise PlanImpossible(f"{choice.python} is no Python that makes venvs. Found: {found}.")
    if ".".join(versions[choice.python].split(".")[:2]) not in stack.pythons:
        wanted = ", ".join(stack.pythons)
        raise PlanImpossible(
            f"{stack.id} needs Python {wanted}; that is {versions[choice.python]}."
        )
    return replace(held, python=choice.python)


def _system(machine: Machine, choice: Choice, stack: Stack) -> tuple[Step, ...]:
    if choice.footprint == "venv":
        return ()
    if not stack.system_release:
        raise PlanImpossible(f"{stack.id} has no system packages: take the footprint venv.")
    return (*system_steps(machine, stack.system_release), *group_steps(machine))


def _venv_steps(
    machine: Machine, choice: Choice, stack: Stack, held: Fit, places: Places
) -> tuple[Step, ...]:
    source = (choice.venv, stack.id, choice.torch_index, choice.wheelhouse)
    key = hashlib.sha256("\0".join(source).encode()).hexdigest()[:12]
    work = f"{places.cache}/{stack.id}-{key}"
    return (
        *_python_steps(machine, choice, held, places),
        *_wheel_steps(choice, stack, work, _target(machine, choice, stack)),
        *_execstack_steps(machine, choice, stack),
        *_file_steps(machine, choice, stack, held),
        CheckTorch(
            "See that torch loads, which libraries it loads, and that one tiny product is right.",
            f"{choice.venv}/bin/python",
            stack.torch_prefix.split("+", 1)[0] if choice.torch_index else stack.torch_prefix,
            _check_device(choice, stack),
        ),
        DropDownloads("The wheels are installed and checked: their space is yours again.", work),
    )


def _target(machine: Machine, choice: Choice, stack: Stack) -> str:
    """The instruction set of the chosen card, or the stack's first one where no card is here."""
    return target_of(chosen_card(machine, choice.gpu)) or next(iter(stack.gfx), "")


def _check_device(choice: Choice, stack: Stack) -> str:
    if choice.without_card:
        return "none"
    return "cuda" if stack.gfx else "cpu"


def _python_steps(machine: Machine, choice: Choice, held: Fit, places: Places) -> tuple[Step, ...]:
    python = held.python
    fetched: tuple[Step, ...] = ()
    if python.startswith("uv:"):
        version = python.removeprefix("uv:")
        folder = f"{places.data}/python"
        python = f"{folder}/cpython-{version}-linux-x86_64-gnu/bin/python{version}"
        fetched = (
            RunProgram(
                f"This machine has no Python {version} that makes venvs; uv brings one, no root.",
                (
                    str(machine.uv),
                    "python",
                    "install",
                    "--no-bin",
                    "--install-dir",
                    folder,
                    version,
                ),
                f"kept: other venvs may use {folder}",
                creates=(python,),
                environment=(("UV_NO_CACHE", "1"),),
                deadline_s=1800,
            ),
        )
    return (
        *fetched,
        CreateVenv(
            "A folder of its own: nothing outside it changes.",
            python,
            choice.venv,
            "remove the files that were made",
        ),
        RunProgram(
            "The pip that comes with Python is too old for what follows.",
            (
                f"{choice.venv}/bin/python",
                *("-m", "pip", "install", "--no-input", "--upgrade"),
                *_pip_from(choice),
                "pip",
            ),
            "goes with the venv",
            creates=(f"{choice.venv}/bin/pip",),
            environment=PIP_QUIET,
        ),
    )


PIP_QUIET = (("PIP_NO_CACHE_DIR", "1"), ("PIP_DISABLE_PIP_VERSION_CHECK", "1"))
"""pip writes nothing outside the venv, and looks for no newer pip."""


def _pip_from(choice: Choice) -> tuple[str, ...]:
    return ("--no-index", "--find-links", choice.wheelhouse) if choice.wheelhouse else ()


def _wheel_steps(choice: Choice, stack: Stack, work: str, gfx: str) -> tuple[Step, ...]:
    python, report = f"{choice.venv}/bin/python", f"{work}/report.json"
    lock, staging = f"{work}/lock.txt", f"{work}/wheels"
    argv = resolve_argv(
        python,
        tuple(line.replace("{gfx}", gfx) for line in stack.requirements),
        index=stack.index,
        index_replaces_pypi=stack.index_replaces_pypi,
        torch_index=choice.torch_index,
        wheelhouse=choice.wheelhouse,
        report=report,
    )
    return (
        RunProgram(
            "Decide on every version in one go, numpy included, before anything is fetched.",
            argv,
            "nothing to undo",
            creates=(report,),
            otherwise=second_try(argv),
            folder=work,
            environment=PIP_QUIET,
            deadline_s=900,
        ),
        FetchWheels(
            "Resumable: what was fetched survives a dropped line, a closed lid, a kill.",
            report,
            staging,
            lock,
            f"remove {staging}",
            hashes=stack.hashes,
        ),
        InstallWheels(
            "No index, no surprise: exactly the files that were checked.",
            python,
            choice.venv,
            staging,
            lock,
            "remove the files that were installed",
        ),
    )


def _execstack_steps(machine: Machine, choice: Choice, stack: Stack) -> tuple[Step, ...]:
    if not stack.executable_stack or _glibc(machine) < STRICT_GLIBC:
        return ()
    return (
        ClearExecutableStack(
            "glibc 2.41 and later refuse to load libraries that ask for an executable stack; "
            "these do not need one.",
            choice.venv,
            EXECUTABLE_STACK_LIBRARIES,
            "goes with the venv",
        ),
    )


def _glibc(machine: Machine) -> tuple[int, ...]:
    """The release as numbers; an unknown one counts as new, since the remedy is harmless."""
    found = machine.system.glibc
    if not isinstance(found, str):
        return STRICT_GLIBC
    return tuple(int(part) for part in found.split(".")[:2] if part.isdigit())


def _file_steps(machine: Machine, choice: Choice, stack: Stack, held: Fit) -> tuple[Step, ...]:
    venv, settings = choice.venv, (*stack.environment, *_visible_device(machine, choice, stack))
    packages = f"{venv}/lib/python{_minor(machine, held)}/site-packages"
    constraints = f"{venv}/rdna1-constraints.txt"
    launcher = launcher_text(venv, settings, stack.unset)
    variables: tuple[Step, ...] = ()
    if settings or stack.unset:
        variables = (
            _file(
                f"{packages}/{MODULE}.py",
                module_text(settings, stack.unset),
                "The variables of this stack, for this venv alone.",
            ),
            _file(
                f"{packages}/{MODULE}.pth",
                PTH,
                "Every start of this Python sees them: a shell, an IDE, Jupyter, cron.",
            ),
        )
    return (
        _constraints(stack, venv, constraints),
        _file(f"{venv}/pip.conf", pip_configuration(constraints), "pip keeps to the constraints."),
        *variables,
        _file(
            f"{venv}/bin/rdna1-python",
            launcher,
            "The same variables, for what must be settled before Python starts.",
            0o755,
        ),
    )


def _constraints(stack: Stack, venv: str, path: str) -> Step:
    reason = "So that a later installation does not undo the stack."
    if stack.constraints:
        return _file(path, "".join(f"{line}\n" for line in stack.constraints), reason)
    family = ("torch", "torchvision", "torchaudio", "numpy")
    return PinInstalled(reason, venv, family, path, f"remove {path}")


def _file(path: str, content: str, reason: str, mode: int = 0o644) -> WriteFile:
    return WriteFile(reason, path, content, mode, f"remove {path}")


def _minor(machine: Machine, held: Fit) -> str:
    if held.python.startswith("uv:"):
        return held.python.removeprefix("uv:")
    versions = {each.path: each.version for each in machine.interpreters}
    return ".".join(versions[held.python].split(".")[:2])


def _visible_device(machine: Machine, choice: Choice, stack: Stack) -> tuple[tuple[str, str], ...]:
    """ROCR_VISIBLE_DEVICES, where KFD offers more than the card that was chosen."""
    if not stack.gfx:
        return ()
    offered = sorted(
        (gpu for gpu in machine.gpus if gpu.kfd_node is not None), key=lambda gpu: gpu.kfd_node or 0
    )
    card = chosen_card(machine, choice.gpu)
    if card not in offered or len(offered) < 2:
        return ()
    return (("ROCR_VISIBLE_DEVICES", str(offered.index(card))),)


def _notes(choice: Choice, stack: Stack, held: Fit) -> tuple[str, ...]:
    notes = [*held.obstacles, *held.needs, *stack.cautions]
    if not stack.gfx and choice.torch_index == AS_CONFIGURED:
        notes.append("PyPI's own torch for Linux is the CUDA build: gigabytes more, and it works.")
    if stack.gfx:
        notes.append("Nobody who made this program has run this stack on an RDNA1 card.")
    return tuple(dict.fromkeys(notes))


def _digest(plan: Plan) -> str:
    # Without the notes: they tell of free space, which the run itself takes.
    form = plan_form(replace(plan, notes=()))
    return hashlib.sha256(json.dumps(form, sort_keys=True).encode()).hexdigest()[:12]
