"""What the tests of choosing versions share: a request, and one call from beginning to end."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from wizard.host.environment import Target
from wizard.host.pip_settings import PipSettings
from wizard.operations.resolve import Resolve, ask_target, choose
from wizard.operations.uv_project import Manifest
from wizard.system.lock import Wheel
from wizard.system.system import System

__all__ = ["HERE", "STACK", "TARGET", "UV", "Asked", "asked", "resolved", "tagged"]

UV = str(Path(sys.executable).parent / "uv")
HERE = f"cp3{sys.version_info.minor}"
TARGET = Target(".".join(map(str, sys.version_info[:3])), "2.36")
STACK = ("torch==1.13.1+rocm5.2", "torchvision==0.14.1+rocm5.2", "numpy<2", "pip")


def tagged(wheel: Path, tag: str) -> Path:
    """The same wheel, made for another Python or machine."""
    return wheel.rename(wheel.with_name(wheel.name.replace("py3-none-any", tag)))


@dataclass(frozen=True)
class Asked:
    """What is to be chosen, and where."""

    work: Path
    manifest: Manifest = field(default_factory=lambda: Manifest(STACK))
    python: str = sys.executable

    def but(self, *requirements: str, **manifest: Any) -> Asked:
        """The same with other wishes."""
        wanted = requirements or self.manifest.requirements
        return replace(self, manifest=replace(self.manifest, requirements=wanted, **manifest))

    @property
    def step(self) -> Resolve:
        """The operation."""
        return Resolve("a test", UV, self.python, str(self.work), self.manifest)


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path / "work")


def resolved(
    asked: Asked,
    settings: PipSettings,
    environ: dict[str, str] | None = None,
    target: Target | None = None,
) -> tuple[dict[str, Wheel], str]:
    """The chosen wheels by name, and what was told meanwhile."""
    work = str(asked.work)
    environ = {"PATH": os.environ["PATH"], "HOME": work, **(environ or {})}
    said: list[str] = []
    found: dict[str, Wheel] = {}

    async def run() -> None:
        system = System(environ, work, lambda: False)
        system.make_folder(work)
        here = target or await ask_target(system, asked.python)
        async for each in choose(asked.step, asked.manifest, settings, here, system):
            if isinstance(each, tuple):
                found.update({wheel.name: wheel for wheel in each})
            else:
                said.extend(each.lines)

    asyncio.run(run())
    return found, "\n".join(said)
