"""The steps of an environment: its Python, its wheels, its settings, and the check."""

from __future__ import annotations

import hashlib
import re
import shlex
from pathlib import Path

from wizard.advice.card import chosen_card, target_of
from wizard.advice.fit import Fit
from wizard.advice.leftovers import MEASURED, left_out, short_path
from wizard.core.fact import Unknown
from wizard.core.own_files import Places
from wizard.host.contents import Contents
from wizard.host.distributions import TORCH_FAMILY, Distribution
from wizard.knowledge.stacks import Preset, Stack
from wizard.machine.facts import Machine
from wizard.machine.system import refuses_executable_stacks
from wizard.operations.check_torch import CheckTorch
from wizard.operations.clear_executable_stack import ClearExecutableStack
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.drop_downloads import DropDownloads
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.install_python import InstallPython
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.resolve import AS_CONFIGURED, Resolve, is_version
from wizard.operations.uv_project import Manifest
from wizard.operations.write_file import PinInstalled, WriteFile
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.plan.steps import Step

MODULE = "rdna1_setup_environment"
"""Name of the module in site-packages that the ``.pth`` file imports."""

PTH = f"import {MODULE}\n"
"""Python's site module runs a ``.pth`` line that begins with ``import`` at every start."""


AS_PYTHON_BRINGS = ("pip", "setuptools; python_version < '3.12'")
"""What a new environment holds besides, as ``python -m venv`` makes it."""
EXECUTABLE_STACK_LIBRARIES = ("libamdhip64.so", "libhiprtc.so")
"""Where reports found the flag: https://github.com/easydiffusion/easydiffusion/issues/1921"""


def venv_steps(
    machine: Machine, choice: Choice, stack: Stack, held: Fit, places: Places
) -> tuple[Step, ...]:
    """Everything that fills one folder; nothing in it needs root."""
    work, python = work_folder(choice, stack, places), held.python
    brought: tuple[InstallPython, ...] = ()
    if version := _version_of_uv(machine, choice, python, f"{places.data}/python"):
        brought = (
            InstallPython(
                f"This machine has no usable Python {version}. uv can install one without root.",
                str(machine.uv),
                version,
                f"{places.data}/python",
                choice.python_mirror,
            ),
        )
        python = brought[0].python
    environment = CreateEnvironment(
        "The environment is one folder. Downloads go to "
        f"{short_path(places.cache, machine)} until the last step.",
        uv_of(machine),
        python,
        choice.venv,
        work,
    )
    resolve = Resolve(
        "uv chooses all versions before anything is downloaded.",
        uv_of(machine),
        f"{choice.venv}/bin/python",
        work,
        manifest_of(machine, choice, stack, AS_PYTHON_BRINGS),
    )
    why = "An interrupted download can be resumed, and every file is checked."
    return (
        *brought,
        environment,
        resolve,
        fetch_chosen(why, resolve, stack.hashes),
        install_fetched(resolve, choice.venv),
        *execstack_steps(machine, choice, stack),
        *setting_steps(machine, choice, stack, _minor(machine, held)),
        check_torch(choice, stack),
        drop_downloads(work),
    )


def _version_of_uv(machine: Machine, choice: Choice, python: str, folder: str) -> str:
    """Which Python uv brings, also where it did so before; ``""`` for one of the machine's own.

    The plan of a run that was cut off after that is the same as before it, and so goes on.
    """
    if python.startswith("uv:"):
        return python.removeprefix("uv:")
    if choice.python or isinstance(machine.uv, Unknown) or not python.startswith(f"{folder}/"):
        return ""
    return python.rpartition("/python")[2]


def uv_of(machine: Machine) -> str:
    """The uv that acts for a plan: it comes with this program, wherever a machine's own is."""
    return "uv" if isinstance(machine.uv, Unknown) else machine.uv


def version_brought(steps: tuple[Step, ...]) -> str:
    """The Python that uv brings in these steps, for example ``3.10``; ``""`` for none."""
    return next((step.version for step in steps if isinstance(step, InstallPython)), "")


CHANGES_NOTHING_YET = (
    "An interrupted download can be resumed. Nothing in the environment changes yet."
)
"""Why the wheels for an environment that exists are downloaded first."""


def resolve_held(
    reason: str,
    machine: Machine,
    there: Contents,
    goes: tuple[Distribution, ...],
    manifest: Manifest,
    work: str,
) -> Resolve:
    """Choose what is wished for, with every package held that does not go."""
    stay = (each for each in there.distributions if each not in goes)
    return Resolve(
        reason,
        uv_of(machine),
        f"{there.path}/bin/python",
        work,
        manifest,
        there.path,
        there.site,
        tuple(f"{each.name}=={each.version}" for each in stay if is_version(each.version)),
        tuple(each.name for each in goes),
    )


def staging_of(work: str) -> str:
    """Where the wheels go, in the folder of work."""
    return f"{work}/wheels"


def fetch_chosen(reason: str, resolve: Resolve, hashes: tuple[tuple[str, str], ...]) -> FetchWheels:
    """Download what was chosen, into the folder of work."""
    return FetchWheels(
        reason, resolve.lock, staging_of(resolve.work), _requirements_of(resolve.work), hashes
    )


def install_fetched(resolve: Resolve, venv: str, site: str = "") -> InstallWheels:
    """Install what was downloaded, into this site folder where the environment had one before."""
    return InstallWheels(
        "Only the downloaded and checked files are installed.",
        resolve.uv,
        venv,
        staging_of(resolve.work),
        _requirements_of(resolve.work),
        site=site,
    )


def _requirements_of(work: str) -> str:
    return f"{work}/lock.txt"


def check_torch(choice: Choice, stack: Stack) -> CheckTorch:
    """Whether the torch of the venv is the stack's, and works."""
    return CheckTorch(
        (
            "This step loads PyTorch, checks which libraries it uses, and verifies a small "
            "calculation."
        ),
        f"{choice.venv}/bin/python",
        stack.torch_prefix.split("+", 1)[0] if choice.torch_index else stack.torch_prefix,
        check_device(choice, stack),
    )


def drop_downloads(work: str) -> DropDownloads:
    """Remove the folder of work."""
    return DropDownloads(
        "The packages are installed and checked. Deleting the downloads frees disk space.", work
    )


def work_folder(choice: Choice, stack: Stack, places: Places) -> str:
    """Where the downloads of one place and one choice of sources go."""
    source = (choice.venv, stack.id, choice.torch_index, choice.wheelhouse)
    key = hashlib.sha256("\0".join(source).encode()).hexdigest()[:12]
    return f"{places.cache}/{stack.id}-{key}"


def target(machine: Machine, choice: Choice, stack: Stack) -> str:
    """The instruction set of the chosen card, or the stack's first one where no card is here."""
    return target_of(chosen_card(machine, choice.gpu)) or next(iter(stack.gfx), "")


def check_device(choice: Choice, stack: Stack) -> str:
    """What the check asks for: ``cuda``, ``cpu``, or ``none`` for a card that is elsewhere."""
    if choice.without_card:
        return "none"
    return "cuda" if stack.gfx else "cpu"


def manifest_of(
    machine: Machine, choice: Choice, stack: Stack, further: tuple[str, ...] = ()
) -> Manifest:
    """What a stack asks for on this machine, from the sources that were chosen."""
    gfx = target(machine, choice, stack)
    return stack_manifest(stack, gfx, choice.torch_index, choice.wheelhouse, further)


def stack_manifest(
    stack: Stack, gfx: str, torch_index: str, wheelhouse: str, further: tuple[str, ...] = ()
) -> Manifest:
    """What a stack asks for on a card of that instruction set, from these sources."""
    chosen = torch_index or stack.index
    return Manifest(
        (*(line.replace("{gfx}", gfx) for line in stack.requirements), *further),
        "" if chosen == AS_CONFIGURED else chosen,
        stack.index_replaces_pypi,
        wheelhouse,
    )


def execstack_steps(
    machine: Machine, choice: Choice, stack: Stack, site: str = ""
) -> tuple[ClearExecutableStack, ...]:
    """The step that a new glibc makes necessary for wheels of old; none otherwise.

    A glibc that is not known counts as new: the remedy is harmless.
    """
    if not stack.executable_stack or refuses_executable_stacks(machine.system.glibc) is False:
        return ()
    return (
        ClearExecutableStack(
            "glibc 2.41 and later refuse to load libraries that ask for an executable stack. "
            "These libraries do not need one.",
            choice.venv,
            EXECUTABLE_STACK_LIBRARIES,
            site,
        ),
    )


def _minor(machine: Machine, held: Fit) -> str:
    if held.python.startswith("uv:"):
        return held.python.removeprefix("uv:")
    versions = {each.path: each.version for each in machine.interpreters}
    return ".".join(versions[held.python].split(".")[:2])


def setting_steps(
    machine: Machine, choice: Choice, stack: Stack, minor: str, pip_conf: str = "", site: str = ""
) -> tuple[Step, ...]:
    """What keeps the stack as it is, and its variables in every start of its Python.

    ``minor`` is that Python's, such as ``3.10``; a ``pip.conf`` that was there keeps its lines.
    ``site`` is the site folder of an environment that existed: another Python's packages below it
    are not ours to see.
    """
    venv, preset = choice.venv, chosen_preset(choice, stack)
    settings = (
        *stack.environment,
        *(preset.variables if preset else ()),
        *visible_device(machine, choice, stack),
    )
    packages = f"{venv}/lib/python{minor}/site-packages"
    constraints = f"{venv}/rdna1-constraints.txt"
    out = left_out(machine, stack)
    # Not in the module what Conv2d's search sets for this Python: it would be gone again.
    unset = (*stack.unset, *(name for name in out if not name.startswith(MEASURED)))
    launcher = launcher_text(venv, settings, tuple(dict.fromkeys((*unset, *out))))
    variables: tuple[Step, ...] = ()
    if settings or unset:
        variables = (
            WriteFile(
                "These are the environment variables for this stack. They affect only this "
                "environment.",
                venv,
                f"{packages}/{MODULE}.py",
                module_text(settings, unset),
                title="Write the settings of this stack",
            ),
            WriteFile(
                "Shells, editors, Jupyter and cron jobs that start this Python also use the "
                "settings.",
                venv,
                f"{packages}/{MODULE}.pth",
                PTH,
                title="Load settings when this Python starts",
            ),
        )
    return (
        _constraints(stack, venv, constraints, site),
        WriteFile(
            "This makes pip in this environment keep the pinned versions.",
            venv,
            f"{venv}/pip.conf",
            with_constraint(pip_conf, constraints),
            title="Make pip keep the pinned versions",
        ),
        *variables,
        WriteFile(
            "This command sets the same variables before Python starts, for libraries that need "
            "them that early."
            if variables
            else "Every stack has this command. This stack needs no variables.",
            venv,
            f"{venv}/bin/rdna1-python",
            launcher,
            0o755,
            "Add the command rdna1-python",
        ),
    )


def chosen_preset(choice: Choice, stack: Stack) -> Preset | None:
    """The published variables that were chosen. Raises PlanImpossible for a name of none."""
    if not choice.preset:
        return None
    for preset in stack.presets:
        if preset.name == choice.preset:
            return preset
    known = " or ".join(f"'{preset.name}'" for preset in stack.presets) or "none"
    raise PlanImpossible(f"{stack.id} has no preset {choice.preset!r}. Its presets are: {known}.")


def _constraints(stack: Stack, venv: str, path: str, site: str) -> Step:
    reason = "This keeps a later installation from replacing PyTorch."
    if stack.constraints:
        lines = "".join(f"{line}\n" for line in stack.constraints)
        return WriteFile(reason, venv, path, lines, title="Pin package versions")
    return PinInstalled(reason, venv, (*TORCH_FAMILY, "numpy"), path, site)


def visible_device(machine: Machine, choice: Choice, stack: Stack) -> tuple[tuple[str, str], ...]:
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


def module_text(settings: tuple[tuple[str, str], ...], unset: tuple[str, ...]) -> str:
    """The module that sets and removes variables before torch can load."""
    lines = ['"""Variables of this environment, written by rdna1-setup."""']
    lines += ["", "import os", ""]
    lines += [f"os.environ[{name!r}] = {value!r}" for name, value in settings]
    lines += [f"os.environ.pop({name!r}, None)" for name in unset]
    return "\n".join(lines) + "\n"


def launcher_text(venv: str, settings: tuple[tuple[str, str], ...], unset: tuple[str, ...]) -> str:
    """``rdna1-python``: the same, for what must be set before the interpreter starts.

    The loader reads LD_LIBRARY_PATH once, when a process starts: no Python code can undo it.
    """
    lines = ["#!/bin/sh", "# Written by rdna1-setup: starts this venv's Python."]
    lines += [f"unset {name}" for name in unset]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in settings]
    lines += [f'exec {shlex.quote(venv + "/bin/python")} "$@"']
    return "\n".join(lines) + "\n"


def pip_configuration(constraints: str) -> str:
    """``pip.conf`` of the venv: later installations keep to the constraints."""
    return f"[install]\nconstraint = {_constraint(constraints)}\n"


def with_constraint(text: str, constraints: str) -> str:
    """A ``pip.conf`` that was there with our constraint added, all else in it as it was."""
    if not text.strip():
        return pip_configuration(constraints)
    section = _INSTALL.search(text)
    if section is None:
        return f"{text.rstrip()}\n\n{pip_configuration(constraints)}"
    start, end = section.span("lines")
    lines, ours = text[start:end], _constraint(constraints)
    fixed, count = _CONSTRAINT.subn(lambda found: f"{found[0]}{ours} ", lines, count=1)
    fixed = fixed if count else f"constraint = {ours}\n{lines}"
    return f"{text[:start]}{fixed}{text[end:]}"


_INSTALL = re.compile(r"^\[install\][^\n]*\n(?P<lines>(?:(?!\[).*(?:\n|\Z))*)", re.MULTILINE)
_CONSTRAINT = re.compile(r"^constraint[ \t]*[=:][ \t]*", re.MULTILINE)
"""pip takes several files there, with white space between them."""


def _constraint(path: str) -> str:
    # pip cuts the value at white space and reads the file in the locale's encoding.
    plain = path.isascii() and not any(map(str.isspace, path))
    return path if plain else Path(path).as_uri()
