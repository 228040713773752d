"""A new venv beside an environment that cannot be changed, with the same requirements."""

from __future__ import annotations

from dataclasses import replace

from packaging.utils import canonicalize_name

from wizard.core.amounts import counted
from wizard.core.credentials import redact
from wizard.host.contents import Contents
from wizard.host.distributions import Distribution, needs_of
from wizard.knowledge.stacks import Stack
from wizard.operations.resolve import Resolve, is_version
from wizard.plan.choice import Choice
from wizard.plan.family import TORCH, TRITON, replaced, stack_specifiers, torch_family
from wizard.plan.steps import Step

LEFT_OUT = "rdna1-not-the-same.txt"
"""File in the new venv: which packages came in another version or not at all, and why."""
_SEEDS = ("pip", "setuptools", "wheel")
"""What making a venv brings by itself."""


def why_beside(stack: Stack, there: Contents) -> str:
    """Why this environment is left as it is; ``""`` when its torch can be replaced."""
    if not there.python or not there.site:
        return "its Python version cannot be read"
    if there.python not in stack.pythons:
        wanted = ", ".join(stack.pythons)
        return f"it has Python {there.python}, and {stack.id} needs Python {wanted}"
    if not there.starts:
        return "its own Python is missing (bin/python is a broken link)"
    if there.closed:
        return "it is closed to pip (EXTERNALLY-MANAGED)"
    return _not_pip_s(stack, there)


def _not_pip_s(stack: Stack, there: Contents) -> str:
    conda = {"pytorch", "libtorch"} & set(there.conda)
    goes = replaced(there, stack)
    names = [each.name for each in goes if each.installer == "conda" or each.name in there.conda]
    if conda or names:
        told = ", ".join(sorted({*conda, *names}))
        return f"conda installed {told}, and only conda can replace it without breaking its records"
    twice = [each.name for each in goes if each.twice]
    if twice:
        return (
            f"it contains {', '.join(twice)} in two versions, so their files cannot be told apart "
            "(to fix this, run pip uninstall until none is left, then pip install)"
        )
    bare = [each.name for each in goes if not each.recorded]
    if bare:
        return f"{', '.join(bare)} cannot be moved safely without a list of files (RECORD)"
    return ""


def beside(choice: Choice, stack: Stack) -> Choice:
    """The same choice for a new folder beside."""
    return replace(choice, venv=f"{choice.venv}-{stack.id}")


def carried(stack: Stack, there: Contents) -> tuple[Distribution, ...]:
    """What somebody asked for by name in the old environment, its torch left out."""
    family = {each.name for each in torch_family(there.distributions)}
    brought = {*family, *stack_specifiers(stack), *TORCH, *TRITON, *_SEEDS}
    return tuple(e for e in _asked(there) if e.name not in brought and not e.source)


def _asked(there: Contents) -> tuple[Distribution, ...]:
    """What was asked for by name; where no installer noted that, what nothing else requires."""
    every = tuple(each for each in there.distributions if each.installer != "conda")
    if any(each.requested and each.name not in _SEEDS for each in every):
        return tuple(each for each in every if each.requested)
    required = {str(canonicalize_name(need.name)) for each in every for need in needs_of(each)}
    return tuple(each for each in every if each.name not in required)


def carrying(step: Step, taken: tuple[Distribution, ...], venv: str) -> Step:
    """The resolver's step, asked for these packages too; other steps as they are."""
    if not taken or not isinstance(step, Resolve):
        return step
    return replace(
        step,
        reason="uv chooses the stack first, then those packages of the old environment that fit "
        "it.",
        carried=tuple((each.name, each.version) for each in taken if is_version(each.version)),
        told=f"{venv}/{LEFT_OUT}",
    )


def beside_notes(why: str, stack: Stack, there: Contents, choice: Choice) -> tuple[str, ...]:
    """Why there is a new venv, what comes along, and what does not."""
    taken = carried(stack, there)
    # What has an address or a folder of its own is told, not fetched: it may be work in progress.
    own = [each for each in _asked(there) if each.source]
    return (
        f"{there.path} is not changed: {why}.",
        f"A new venv will be created beside it: {choice.venv}. To undo this, run rdna1-setup "
        "rollback.",
        f"{counted(len(taken), 'package')} that you installed in the old environment will also "
        "be installed in the new venv, "
        f"in the same version if possible. {LEFT_OUT} lists the differences.",
        *(
            f"Install this package yourself, because the plan does not: {each.name} "
            f"{each.version} from {redact(each.source)}"
            for each in own
        ),
        *_conda_note(there),
    )


def _conda_note(there: Contents) -> tuple[str, ...]:
    mine = [each for each in there.distributions if each.installer == "conda"]
    if not mine:
        return ()
    return (f"{counted(len(mine), 'package')} from conda will not be installed in the new venv.",)
