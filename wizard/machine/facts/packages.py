"""Packages of the system, their sources, and ROCm outside of packages."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.machine.facts.known import Fact


@dataclass(frozen=True, slots=True)
class Package:
    """An installed distribution package."""

    name: str
    version: str
    origin: str
    """``amd`` or ``distribution``, told by version pattern and maintainer."""


@dataclass(frozen=True, slots=True)
class PackageWork:
    """What keeps the package system from working now."""

    lock_holder: Fact[str]
    """Name and process id of who holds dpkg's lock; ``""`` when nobody does."""
    unfinished: Fact[tuple[str, ...]]
    """``name (state)`` of each package of the whole system that is not fully installed."""


@dataclass(frozen=True, slots=True)
class AptSource:
    """One entry of apt's sources, of either format."""

    file: str
    line: int
    """1-based line at which the entry starts."""
    uris: tuple[str, ...]
    suites: tuple[str, ...]
    components: tuple[str, ...]
    signed_by: str
    enabled: bool
    amd: bool
    """True when it is a repository of AMD's, or a mirror of one by its Release file."""


@dataclass(frozen=True, slots=True)
class SystemFile:
    """A file outside of packages that belongs to a ROCm set-up."""

    path: str
    kind: str
    """``key``, ``pin``, ``alternative``, ``loader path``, ``udev rule``, ``opencl vendor`` or
    ``module option``."""
    detail: str
    """What it says, in one line."""


@dataclass(frozen=True, slots=True)
class RocmTree:
    """A ROCm folder such as ``/opt/rocm-5.7.1``."""

    path: str
    version: Fact[str]
    link_to: str | None
    """Target when the path is a link (``/opt/rocm`` usually is)."""
