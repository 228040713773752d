"""Pythons, environments, the torch in each, and the applications that use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from wizard.core.fact import Fact


class Interpreter(NamedTuple):
    """A Python that can be the base of a venv."""

    path: str
    version: str
    """``3.10`` or, where a file tells, ``3.10.13``."""
    makes_venvs: bool
    """True when its standard library is whole: Debian's ``python3-minimal`` has only a part."""


class ChangedLibrary(NamedTuple):
    """A library of an installed wheel whose size is not that of the wheel's own record."""

    path: str
    recorded_bytes: int
    """What RECORD says."""
    bytes: int
    """What is there; 0 when it is gone."""
    saved: str
    """A copy beside it that somebody put aside (``libMIOpen.so.original``); ``""`` without one."""


@dataclass(frozen=True, slots=True)
class TorchInstall:
    """torch as found in a site-packages folder, read from its dist-info."""

    version: str
    """For example ``2.2.2+rocm5.7``."""
    build: str
    """``rocm``, ``cuda``, ``cpu`` or ``unknown``."""
    rocm: str | None
    """The bundled ROCm release, for example ``5.7``; None when not a ROCm build."""
    numpy: str | None
    """Version of the numpy that this torch will import; None without one."""
    native_gfx: tuple[str, ...]
    """Targets of ``amd-torch-device-gfx*`` packages beside it; empty for official wheels."""
    changed: tuple[ChangedLibrary, ...] = ()
    """Libraries of its wheel that were exchanged or removed by hand, by their size."""
    executable_stack: tuple[str, ...] = ()
    """Its libraries that ask for an executable stack: glibc 2.41 and later refuse to load them."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A place that Python imports from: venv, conda environment, user site or dist-packages."""

    path: str
    kind: str
    """``venv``, ``conda``, ``user-site`` or ``dist-packages``."""
    python: Fact[str]
    torch: TorchInstall | None


class FoundApplication(NamedTuple):
    """An application that people run torch for, found on this machine."""

    id: str
    """Of ``assets/applications.toml``, for example ``comfyui``."""
    path: str
    environment: str
    """The environment that it starts in; ``""`` when none was found for it."""
    start: str
    """The line to start it; ``""`` when it is a library and not a program."""
