"""What is fetched, for whom, from where, whereto, and with what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wizard.fleet.chosen import Sources
from wizard.fleet.folder import Folder
from wizard.fleet.target import Target
from wizard.knowledge.stacks import Stack, find_stack


@dataclass(frozen=True, slots=True)
class Here:
    """What the machine that fetches has."""

    pythons: Mapping[str, str]
    """Path of an interpreter that makes venvs, by minor version."""
    uv: str
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Fetch:
    """What is fetched, for whom, from where, whereto."""

    target: Target
    folder: Folder
    sources: Sources
    here: Here

    @property
    def stack(self) -> Stack:
        """The stack, as our data describes it."""
        stack = find_stack(self.target.stack)
        assert stack is not None  # noqa: S101 - a target is of a stack that is known
        return stack

    @property
    def index(self) -> str:
        """Where torch comes from."""
        return self.sources.wheelhouse or self.sources.torch_index or self.stack.index or "PyPI"
