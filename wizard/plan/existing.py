"""The steps for an environment that exists: a new torch in it, or a new one beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from wizard.advice.fit import Fit
from wizard.advice.floors import python_obstacle
from wizard.core.amounts import counted, listed
from wizard.core.credentials import redact
from wizard.core.own_files import Places
from wizard.host.contents import OURS, Contents
from wizard.host.distributions import (
    TORCH_FAMILY,
    Distribution,
    conflicts,
    contains,
    counts,
    needs_of,
)
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.operations.resolve import Resolve, is_version
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.plan.choice import Choice
from wizard.plan.new_environment import (
    CHANGES_NOTHING_YET,
    check_torch,
    drop_downloads,
    execstack_steps,
    fetch_chosen,
    install_fetched,
    manifest_of,
    resolve_held,
    setting_steps,
    staging_of,
    work_folder,
)
from wizard.plan.steps import Step

TRITON = ("triton", "pytorch-triton", "pytorch-triton-rocm", "pytorch-triton-xpu")
"""All of these put their files into one folder, ``triton``: two of them cannot stand together."""
_COMPANION = re.compile(r"nvidia-.+|cuda-.+|rocm|rocm-.+|amd-torch-.+")
"""What torch wheels bring with them: AMD's libraries, or NVIDIA's (by ``cuda-toolkit`` of late)."""


def torch_family(distributions: tuple[Distribution, ...]) -> tuple[Distribution, ...]:
    """torch and its siblings, and the wheels that only they need."""
    core = {each.name for each in distributions} & {*TORCH_FAMILY, *TRITON}
    others = [d for d in distributions if d.name not in core and not _COMPANION.fullmatch(d.name)]
    wanted_by_others = _reach(others, distributions) - core
    companions = _reach([d for d in distributions if d.name in core], distributions)
    goes = core | {
        name
        for name in companions - wanted_by_others
        if _COMPANION.fullmatch(name) and not _asked_for(name, distributions)
    }
    return tuple(each for each in distributions if each.name in goes)


def replaced(contents: Contents, stack: Stack) -> tuple[Distribution, ...]:
    """The torch family, what torch pins, and each package whose version the stack rules out."""
    goes = (*torch_family(contents.distributions), *pinned(contents, stack))
    family = {each.name for each in goes}
    asked = stack_specifiers(stack)
    return tuple(
        each
        for each in contents.distributions
        if each.name in family
        or (each.name in asked and not contains(asked[each.name], each.version))
    )


def pinned(contents: Contents, stack: Stack) -> tuple[Distribution, ...]:
    """What is there in one version only because the old torch requires exactly that one."""
    family = torch_family(contents.distributions)
    others = [each for each in contents.distributions if each not in family]
    by_torch = _pins([each for each in family if each.name == "torch"], contents.python)
    not_torch_s = {*_pins(others, contents.python), *stack_specifiers(stack), *contents.conda}
    return tuple(
        each
        for each in others
        if each.name in by_torch
        and each.name not in not_torch_s
        and contains(by_torch[each.name], each.version)
        and not (_COMPANION.fullmatch(each.name) or each.requested or each.source)
        and each.installer != "conda"
        and each.recorded  # else it cannot be moved
        and not each.twice
    )


def without_successor(stack: Stack, goes: tuple[Distribution, ...]) -> tuple[Distribution, ...]:
    """Siblings of torch that go, and of which the stack brings no other version."""
    asked = stack_specifiers(stack)
    return tuple(each for each in goes if each.name in TORCH_FAMILY and each.name not in asked)


def stack_specifiers(stack: Stack) -> dict[str, SpecifierSet]:
    """The versions that the stack itself asks for, by name."""
    requirements = [Requirement(line.replace("{gfx}", "gfx")) for line in stack.requirements]
    return {str(canonicalize_name(each.name)): each.specifier for each in requirements}


def names_of(distributions: tuple[Distribution, ...]) -> str:
    """Names and versions, torch first, NVIDIA's many wheels as a number."""
    first = sorted(distributions, key=lambda each: (each.name not in TORCH_FAMILY, each.name))
    told = [f"{d.name} {d.version}" for d in first if not d.name.startswith(("nvidia-", "cuda-"))]
    nvidia = len(first) - len(told)
    wheels = "wheel" if nvidia == 1 else "wheels"
    return ", ".join([*told, *([f"{nvidia} nvidia {wheels} of that torch"] if nvidia else [])])


def _reach(start: Iterable[Distribution], among: tuple[Distribution, ...]) -> set[str]:
    """Names that these require, at any remove, extras and markers not looked at."""
    installed = {each.name: each for each in among}
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        names = {str(canonicalize_name(need.name)) for need in needs_of(waiting.pop())}
        new = [name for name in names - found if name in installed]
        # Not past torch itself: what it needs is its own, whoever needs torch.
        waiting += [installed[name] for name in new if name not in (*TORCH_FAMILY, *TRITON)]
        found.update(new)
    return found


def _pins(distributions: Iterable[Distribution], python: str) -> dict[str, SpecifierSet]:
    """What these require in exactly one version, by name."""
    return {
        str(canonicalize_name(need.name)): need.specifier
        for each in distributions
        for need in needs_of(each)
        if counts(need, python)
        and any(s.operator[:2] == "==" and s.version[-1] != "*" for s in need.specifier)
    }


def _asked_for(name: str, among: tuple[Distribution, ...]) -> bool:
    # AMD's recipes install "rocm" by name together with torch: it goes with it all the same.
    return name.startswith(("nvidia-", "cuda-")) and any(
        d.requested for d in among if d.name == name
    )


def user_site_steps(choice: Choice, there: Contents, places: Places) -> tuple[Step, ...]:
    family = torch_family(there.user_distributions)
    if not choice.user_torch_aside or not family:
        return ()
    root = f"{places.home}/.local"
    return (
        SetAsidePackages(
            "As you asked, the torch in your user packages is moved out of the way.",
            root,
            there.user_site,
            tuple((each.name, each.version) for each in family),
            (),
            "",
            f"{root}/{OURS}",
        ),
    )


def user_site_obstacle(choice: Choice, there: Contents) -> str:
    """Why that torch cannot be moved as it was asked for; ``""`` where it can."""
    family = torch_family(there.user_distributions) if choice.user_torch_aside else ()
    spread = [each.name for each in family if each.twice or not each.recorded]
    if not spread:
        return ""
    return (
        f"{', '.join(spread)} in {there.user_site} cannot be moved safely: it is installed in two "
        "versions, or has no list of its files (RECORD). Remove it with pip (run pip uninstall "
        "until no version is left). Or leave it there and omit --user-torch-aside (on Review, "
        "press u)."
    )


def user_torch(choice: Choice, there: Contents | None) -> str:
    """Whether the torch of the user's own packages is ``left`` or moved ``aside``; or no such."""
    if there is None or not torch_family(there.user_distributions):
        return ""
    return "aside" if choice.user_torch_aside else "left"


def user_site_notes(choice: Choice, there: Contents) -> tuple[str, ...]:
    family = torch_family(there.user_distributions)
    if not family:
        return ()
    effect = (
        "This environment imports it instead of its own"
        if there.user_first
        else "This environment has no torch of its own, so it imports that one"
    )
    offer = (
        f"As you asked, it is moved to ~/.local/{OURS}. Other programs that use this Python can "
        "then no longer import it."
        if choice.user_torch_aside
        else "That torch is kept in your user packages. To move it out of the way, use "
        "--user-torch-aside (on Review, "
        "press u). Rollback restores it."
    )
    return (f"{there.user_site} has {names_of(family)}. {effect}. {offer}",)


def existing_steps(
    machine: Machine, choice: Choice, stack: Stack, there: Contents, places: Places
) -> tuple[Step, ...]:
    """Everything that replaces the torch of the environment; nothing in it needs root."""
    work = work_folder(choice, stack, places)
    settings = setting_steps(machine, choice, stack, there.python, there.pip_conf, there.site)
    resolve = resolve_held(
        "uv chooses every version before anything is changed. All other packages keep their "
        "versions.",
        machine,
        there,
        replaced(there, stack),
        manifest_of(machine, choice, stack, tuple(each.name for each in pinned(there, stack))),
        work,
    )
    return (
        resolve,
        fetch_chosen(CHANGES_NOTHING_YET, resolve, stack.hashes),
        _set_aside(choice, stack, there, settings, work),
        *user_site_steps(choice, there, places),
        install_fetched(resolve, there.path, there.site),
        *execstack_steps(machine, choice, stack, there.site),
        *settings,
        check_torch(choice, stack),
        drop_downloads(work),
    )


def planned_conflicts(stack: Stack, there: Contents) -> tuple[str, ...]:
    """Who asks for another torch or numpy, as far as the stack names its versions exactly."""
    goes, come = replaced(there, stack), _known_versions(stack_specifiers(stack))
    stay = [each for each in there.distributions if each not in goes]
    # Of the rest it is known only after the resolver's run whether it comes back.
    known = {*come, *(each.name for each in without_successor(stack, goes))}
    return conflicts(stay, [each for each in goes if each.name in known], come, there.python)


def _known_versions(specifiers: Mapping[str, SpecifierSet]) -> dict[str, str]:
    """The versions that a stack names exactly."""
    found = {}
    for name, specifier in specifiers.items():
        exact = [each.version for each in specifier if each.operator == "=="]
        if len(exact) == 1:
            found[name] = exact[0]
    return found


def obstacles_to(
    steps: tuple[Step, ...], machine: Machine, stack: Stack, held: Fit
) -> tuple[str, ...]:
    """What rules the stack out here; an environment that exists brings its own Python."""
    own = any(isinstance(step, SetAsidePackages) for step in steps)
    missing = python_obstacle(machine, stack, held.python)
    fixed = missing.text if own and missing else ""
    return tuple(each for each in held.obstacles if each != fixed)


def _set_aside(
    choice: Choice, stack: Stack, there: Contents, settings: tuple[Step, ...], work: str
) -> SetAsidePackages:
    return SetAsidePackages(
        "Replaced files are kept in a backup on the same file system, with a list of their hashes.",
        choice.venv,
        there.site,
        tuple((each.name, each.version) for each in replaced(there, stack)),
        tuple(path for step in settings for path in step.writes()),
        staging_of(work),
        f"{choice.venv}/{OURS}",
    )


def existing_notes(choice: Choice, stack: Stack, there: Contents) -> tuple[str, ...]:
    """What is replaced, what stays, and how to go back."""
    goes, along = replaced(there, stack), pinned(there, stack)
    changed = listed(["torch", *(each.name for each in along)])
    stay = len(there.distributions) - len(goes)
    kind = "conda environment" if there.kind == "conda" else "venv"
    gone = (
        (f"The plan replaces {names_of(goes)}.")
        if goes
        else "The environment has no torch, so nothing is replaced."
    )
    return (
        f"{there.path} is your {kind} with Python {there.python}. Only its "
        f"{changed} {'change' if along else 'changes'}.",
        f"{gone} Replaced files are not deleted, but moved to {there.path}/{OURS}.",
        f"All other packages ({stay}) keep their versions, and all other files are kept.",
        *(
            f"{each.name} is replaced because the old torch requires exactly version "
            f"{each.version}. A version that fits the new torch will be installed."
            for each in along
        ),
        *(
            f"{each.name} is removed, because it was built for the old torch, and {stack.id} does "
            "not include it."
            for each in without_successor(stack, goes)
        ),
        "To undo this, run rdna1-setup rollback. It removes the new files and moves the old ones "
        "back.",
        *user_site_notes(choice, there),
    )


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
    brought = {*family, *stack_specifiers(stack), *TORCH_FAMILY, *TRITON, *_SEEDS}
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
