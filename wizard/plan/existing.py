"""Steps for an environment that exists: its torch is replaced, all else in it stays."""

from __future__ import annotations

from dataclasses import replace

from packaging.version import InvalidVersion, Version

from wizard.knowledge.stacks import Stack
from wizard.machine.contents import OURS
from wizard.machine.facts import Machine, Unknown
from wizard.machine.facts.contents import Contents, Distribution
from wizard.places import Places
from wizard.plan.choice import Choice
from wizard.plan.conflicts import conflicts, known_versions
from wizard.plan.existing_steps import ResolveHeld, SetAsidePackages
from wizard.plan.family import replaced, stack_specifiers, without_successor
from wizard.plan.fit import Fit
from wizard.plan.python_steps import PIP_QUIET, pip_from
from wizard.plan.pythons import python_obstacle
from wizard.plan.resolve import resolve_argv, second_try
from wizard.plan.settings import setting_steps
from wizard.plan.steps import (
    CheckTorch,
    ClearExecutableStack,
    DropDownloads,
    FetchWheels,
    InstallWheels,
    PinInstalled,
    RunProgram,
    Step,
    WriteFile,
)
from wizard.plan.user_site import user_site_steps
from wizard.plan.venv import check_device, execstack_steps, target, work_folder

QUIET = (*PIP_QUIET, ("PYTHONDONTWRITEBYTECODE", "1"))
"""No file of the environment changes because its Python was started."""


def existing_steps(
    machine: Machine, choice: Choice, stack: Stack, there: Contents, places: Places
) -> tuple[Step, ...]:
    """Everything that replaces the torch of the environment; nothing in it needs root."""
    steps = _steps(machine, choice, stack, there, places)
    return tuple(_in_site(step, there.site) for step in steps)


def _in_site(step: Step, site: str) -> Step:
    """The step for this site folder alone: another Python's packages below are not ours to see."""
    if isinstance(step, (InstallWheels, PinInstalled, ClearExecutableStack)):
        return replace(step, site=site)
    return step


def _steps(
    machine: Machine, choice: Choice, stack: Stack, there: Contents, places: Places
) -> tuple[Step, ...]:
    work = work_folder(choice, stack, places)
    python, tool = f"{choice.venv}/bin/python", f"{work}/tool/pip"
    settings = setting_steps(machine, choice, stack, there.python, there.pip_conf)
    return (
        bring_pip(machine, choice, there, work),
        _resolve(machine, choice, stack, there, work),
        FetchWheels(
            "Resumable; nothing in the environment has changed so far.",
            f"{work}/report.json",
            f"{work}/wheels",
            f"{work}/lock.txt",
            f"remove {work}/wheels",
            hashes=stack.hashes,
        ),
        _set_aside(choice, stack, there, settings, work),
        *user_site_steps(choice, there, places),
        InstallWheels(
            "No index, no surprise: exactly the files that were checked, and nothing else.",
            python,
            choice.venv,
            f"{work}/wheels",
            f"{work}/lock.txt",
            "remove the files that were installed",
            tool=tool,
        ),
        *(
            replace(step, inverse="goes with the new torch")
            for step in execstack_steps(machine, choice, stack)
        ),
        *settings,
        CheckTorch(
            "See that torch loads, which libraries it loads, and that one tiny product is right.",
            python,
            stack.torch_prefix.split("+", 1)[0] if choice.torch_index else stack.torch_prefix,
            check_device(choice, stack),
        ),
        DropDownloads("The wheels are installed and checked: their space is yours again.", work),
    )


def planned_conflicts(stack: Stack, there: Contents) -> tuple[str, ...]:
    """Who asks for another torch or numpy, as far as the stack names its versions exactly."""
    goes, come = replaced(there, stack), known_versions(stack_specifiers(stack))
    stay = [each for each in there.distributions if each not in goes]
    # Of the rest it is known only after the resolver's run whether it comes back.
    known = {*come, *(each.name for each in without_successor(stack, goes))}
    return conflicts(stay, [each for each in goes if each.name in known], come, there.python)


def obstacles_to(
    steps: tuple[Step, ...], machine: Machine, stack: Stack, held: Fit
) -> tuple[str, ...]:
    """What rules the stack out here; an environment that exists brings its own Python."""
    own = any(isinstance(step, SetAsidePackages) for step in steps)
    missing = python_obstacle(machine, stack, held.python)
    mended = missing.text if own and missing else ""
    return tuple(each for each in held.obstacles if each != mended)


def bring_pip(machine: Machine, choice: Choice, there: Contents, work: str) -> Step:
    """A pip that resolves and installs for the environment, and lies beside it."""
    python, folder = f"{choice.venv}/bin/python", f"{work}/tool"
    sources = pip_from(choice)
    into = ("--upgrade", "--target", folder, *sources, "pip")
    argv = (python, "-m", "pip", "install", "--no-input", *into)
    if not there.has_pip and not isinstance(machine.uv, Unknown):
        argv = (machine.uv, "pip", "install", "--python", python, *into)
    return RunProgram(
        "A pip of our own, beside: the environment's pip stays as it is, whatever its age.",
        argv,
        f"remove {folder}",
        creates=(f"{folder}/pip/__main__.py",),
        folder=work,
        environment=(*QUIET, ("UV_NO_CACHE", "1")),
    )


def _resolve(
    machine: Machine, choice: Choice, stack: Stack, there: Contents, work: str
) -> ResolveHeld:
    gfx = target(machine, choice, stack)
    goes, constraints = replaced(there, stack), f"{work}/held.txt"
    words = resolve_argv(
        f"{choice.venv}/bin/python",
        tuple(line.replace("{gfx}", gfx) for line in stack.requirements),
        index=stack.index,
        index_replaces_pypi=stack.index_replaces_pypi,
        torch_index=choice.torch_index,
        wheelhouse=choice.wheelhouse,
        report=f"{work}/report.json",
    )
    # -S hides the environment's packages: pip sees those that stay, by links to their metadata.
    rest = (word for word in words[4:] if word != "--ignore-installed")
    argv = (words[0], "-S", f"{work}/tool/pip", words[3], "--constraint", constraints, *rest)
    own = (("PIP_CONFIG_FILE", f"{choice.venv}/pip.conf"),) if there.pip_conf else ()
    return ResolveHeld(
        "Decide on every version before anything changes; all other packages are held.",
        argv,
        second_try(argv),
        choice.venv,
        there.site,
        tuple(f"{d.name}=={d.version}" for d in _stay(there, goes) if is_version(d.version)),
        tuple(each.name for each in goes),
        constraints,
        f"{work}/seen",
        f"{work}/report.json",
        "nothing to undo",
        environment=(*QUIET, ("PYTHONPATH", f"{work}/seen"), *own),
    )


def _set_aside(
    choice: Choice, stack: Stack, there: Contents, settings: tuple[Step, ...], work: str
) -> SetAsidePackages:
    return SetAsidePackages(
        "What is replaced is kept: moved on the same file system, with a list of hashes.",
        choice.venv,
        there.site,
        tuple((each.name, each.version) for each in replaced(there, stack)),
        tuple(step.path for step in settings if isinstance(step, (WriteFile, PinInstalled))),
        f"{work}/wheels",
        f"{choice.venv}/{OURS}",
        "move everything back to its place",
    )


def _stay(there: Contents, goes: tuple[Distribution, ...]) -> tuple[Distribution, ...]:
    return tuple(each for each in there.distributions if each not in goes)


def is_version(text: str) -> bool:
    """True for what pip takes for a version."""
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True
