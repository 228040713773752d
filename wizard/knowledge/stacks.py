"""Stacks: what can be installed, as data in ``assets/stacks.toml``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from wizard.knowledge.rows import read_rows


@dataclass(frozen=True, slots=True)
class Preset:
    """A set of variables that somebody published for a stack: offered, never the default."""

    name: str
    variables: tuple[tuple[str, str], ...]
    source: str
    caution: str


@dataclass(frozen=True, slots=True)
class Stack:
    """One road to a working torch, as ``assets/stacks.toml`` describes it."""

    id: str
    title: str
    """For people, for example ``ROCm 5.2 wheels, torch 1.13.1``."""
    torch: str
    """Version shown to people, for example ``1.13.1+rocm5.2``; the last one seen where
    ``requirements`` leave the choice to the index."""
    torch_prefix: str
    """How ``torch.__version__`` must begin after installation."""
    requirements: tuple[str, ...]
    """What one resolver run installs; ``{gfx}`` stands for the card's own target."""
    constraints: tuple[str, ...]
    """Left in the venv so that a later ``pip install`` does not undo the stack."""
    index: str
    """Address of the wheel index; ``""`` when pip's own configuration serves."""
    other_indexes: tuple[str, ...]
    """Further addresses of the same wheels, for when the first does not answer."""
    index_replaces_pypi: bool
    """True when the index holds every dependency too."""
    index_source: str
    """Who says that the index is there, and when that was last known."""
    checked: str
    """ISO date on which the sources of index, versions and sizes were last read."""
    pythons: tuple[str, ...]
    """Minor versions, best first, for example ``("3.10", "3.9", "3.8")``."""
    gfx: tuple[str, ...]
    """Targets that the stack can run on; empty when it needs no GPU."""
    environment: tuple[tuple[str, str], ...]
    """Variables that the stack sets before torch loads."""
    presets: tuple[Preset, ...]
    """Further variables on offer, each from its source and with its caution."""
    unset: tuple[str, ...]
    """Variables that must not reach torch."""
    system_release: str
    """ROCm release of the ``venv+system`` footprint; ``""`` without one."""
    hashes: tuple[tuple[str, str], ...]
    """Known wheels: file name and SHA-256, each from the sources named in the data."""
    download_bytes: int | None
    installed_bytes: int | None
    size_source: str
    executable_stack: bool
    """True when its libraries ask for an executable stack (refused by glibc 2.41 and later)."""
    one_line: str
    """What it is for, in under 40 characters."""
    cautions: tuple[str, ...]
    """What its user must know, such as the end of security updates."""
    unset_where_set: tuple[str, ...] = ()
    """Further ones that must not, of which a login rarely sets any; ``_N`` ends in any number."""
    glibc_floor: str = ""
    """The oldest C library that its wheels were made for; ``""`` when nobody says."""

    @property
    def sizes_known(self) -> bool:
        """True when it is known what it takes to download and on the disk."""
        return self.download_bytes is not None and self.installed_bytes is not None


@cache
def load_stacks() -> tuple[Stack, ...]:
    """All stacks, in the order of the file."""
    unless_said = {
        "torch_prefix": "",
        "other_indexes": (),
        "presets": (),
        "download_bytes": None,
        "installed_bytes": None,
    }
    stacks = read_rows("stacks.toml", "stack", Stack, unless_said)
    return tuple(replace(each, torch_prefix=each.torch_prefix or each.torch) for each in stacks)


def find_stack(name: str) -> Stack | None:
    """The stack of that id."""
    return next((stack for stack in load_stacks() if stack.id == name), None)
