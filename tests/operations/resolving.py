"""What the tests of choosing versions share: a request, and one call from beginning to end."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from wizard.host.pip_settings import PipSettings
from wizard.host.target import Target
from wizard.operations.resolve import Request, ask_target, choose
from wizard.system.lock import Wheel, read_wheels
from wizard.system.system import System

__all__ = ["HERE", "STACK", "TARGET", "Request", "request_", "resolved", "tagged"]

UV = str(Path(sys.executable).parent / "uv")
HERE = f"cp3{sys.version_info.minor}"
TARGET = Target(".".join(map(str, sys.version_info[:3])), "2.36")
STACK = ("torch==1.13.1+rocm5.2", "torchvision==0.14.1+rocm5.2", "numpy<2", "pip")


def tagged(wheel: Path, tag: str) -> Path:
    """The same wheel, made for another Python or machine."""
    return wheel.rename(wheel.with_name(wheel.name.replace("py3-none-any", tag)))


def resolved(
    request: Request,
    settings: PipSettings,
    environ: dict[str, str] | None = None,
    target: Target | None = None,
) -> tuple[dict[str, Wheel], str]:
    """The chosen wheels by name, and what was told meanwhile."""
    environ = {"PATH": os.environ["PATH"], "HOME": request.folder, **(environ or {})}
    said: list[str] = []

    async def run() -> None:
        system = System(environ, request.folder, lambda: False)
        Path(request.folder).mkdir(parents=True, exist_ok=True)
        here = target or await ask_target(system, request.python)
        async for output in choose(request, settings, here, system):
            said.extend(output.lines)

    asyncio.run(run())
    return {each.name: each for each in read_wheels(Path(request.lock))}, "\n".join(said)


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    work = tmp_path / "work"
    return Request(UV, sys.executable, str(work), str(work / "lock.json"), STACK)
