"""Steps of the footprint ``venv``: the Python, the wheels, the settings, the check."""

from __future__ import annotations

import hashlib

from wizard.advice.card import chosen_card, target_of
from wizard.advice.fit import Fit
from wizard.core.own_files import Places
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.machine.system import refuses_executable_stacks
from wizard.operations.check_torch import CheckTorch
from wizard.operations.clear_executable_stack import ClearExecutableStack
from wizard.operations.remove import DropDownloads
from wizard.operations.resolve import AS_CONFIGURED, Resolve
from wizard.operations.uv_project import Wishes
from wizard.plan.choice import Choice
from wizard.plan.python_steps import python_steps, uv_of
from wizard.plan.settings import setting_steps
from wizard.plan.steps import Step
from wizard.plan.wheel_steps import fetch_chosen, install_fetched

AS_PYTHON_BRINGS = ("pip", "setuptools; python_version < '3.12'")
"""What a new environment holds besides, as ``python -m venv`` makes it."""
EXECUTABLE_STACK_LIBRARIES = ("libamdhip64.so", "libhiprtc.so")
"""Where reports found the flag: https://github.com/easydiffusion/easydiffusion/issues/1921"""


def venv_steps(
    machine: Machine, choice: Choice, stack: Stack, held: Fit, places: Places
) -> tuple[Step, ...]:
    """Everything that fills one folder; nothing in it needs root."""
    work = work_folder(choice, stack, places)
    return (
        *python_steps(machine, choice, held, places, work),
        *_wheel_steps(machine, choice, stack, work),
        *execstack_steps(machine, choice, stack),
        *setting_steps(machine, choice, stack, _minor(machine, held)),
        check_torch(choice, stack),
        drop_downloads(work),
    )


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


def wishes_of(
    machine: Machine, choice: Choice, stack: Stack, further: tuple[str, ...] = ()
) -> Wishes:
    """What a stack asks for on this machine, from the sources that were chosen."""
    gfx = target(machine, choice, stack)
    return stack_wishes(stack, gfx, choice.torch_index, choice.wheelhouse, further)


def stack_wishes(
    stack: Stack, gfx: str, torch_index: str, wheelhouse: str, further: tuple[str, ...] = ()
) -> Wishes:
    """What a stack asks for on a card of that instruction set, from these sources."""
    chosen = torch_index or stack.index
    return Wishes(
        (*(line.replace("{gfx}", gfx) for line in stack.requirements), *further),
        "" if chosen == AS_CONFIGURED else chosen,
        stack.index_replaces_pypi,
        wheelhouse,
    )


def _wheel_steps(machine: Machine, choice: Choice, stack: Stack, work: str) -> tuple[Step, ...]:
    resolve = Resolve(
        "uv chooses all versions before anything is downloaded.",
        uv_of(machine),
        f"{choice.venv}/bin/python",
        work,
        wishes_of(machine, choice, stack, AS_PYTHON_BRINGS),
    )
    why = "An interrupted download can be resumed, and every file is checked."
    return (
        resolve,
        fetch_chosen(why, resolve, stack.hashes),
        install_fetched(resolve, choice.venv),
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
