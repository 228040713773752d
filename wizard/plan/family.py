"""Which distributions of an environment are its torch: what a stack replaces, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterable

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from wizard.host.contents import Contents
from wizard.host.distributions import Distribution, contains, counts, needs_of
from wizard.knowledge.stacks import Stack

TORCH = ("torch", "torchvision", "torchaudio")
TRITON = ("triton", "pytorch-triton", "pytorch-triton-rocm", "pytorch-triton-xpu")
"""All of these put their files into one folder, ``triton``: two of them cannot stand together."""
_COMPANION = re.compile(r"nvidia-.+|cuda-.+|rocm|rocm-.+|amd-torch-.+")
"""What torch wheels bring with them: AMD's libraries, or NVIDIA's (by ``cuda-toolkit`` of late)."""


def torch_family(distributions: tuple[Distribution, ...]) -> tuple[Distribution, ...]:
    """torch and its siblings, and the wheels that only they need."""
    core = {each.name for each in distributions} & {*TORCH, *TRITON}
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
    return tuple(each for each in goes if each.name in TORCH and each.name not in asked)


def stack_specifiers(stack: Stack) -> dict[str, SpecifierSet]:
    """The versions that the stack itself asks for, by name."""
    requirements = [Requirement(line.replace("{gfx}", "gfx")) for line in stack.requirements]
    return {str(canonicalize_name(each.name)): each.specifier for each in requirements}


def names_of(distributions: tuple[Distribution, ...]) -> str:
    """Names and versions, torch first, NVIDIA's many wheels as a number."""
    first = sorted(distributions, key=lambda each: (each.name not in TORCH, each.name))
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
        waiting += [installed[name] for name in new if name not in (*TORCH, *TRITON)]
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
