"""Packages of the system, their sources, and ROCm outside of packages."""

from __future__ import annotations

from typing import NamedTuple

from wizard.core.fact import Fact


class Package(NamedTuple):
    """An installed distribution package."""

    name: str
    version: str
    origin: str
    """``amd``, ``distribution``, or ``unclear`` where version and maintainer disagree."""
    grounds: str
    """Why it is AMD's or unclear: ``index`` (this very version is in AMD's package index),
    ``version and maintainer``, ``version alone`` or ``maintainer alone``; else ``""``."""
    state: str
    """dpkg's word: ``installed``, ``half-configured``, ``unpacked`` and so on."""
    held: bool
    """True when somebody told apt to keep this version."""
    missing: bool
    """True when its release folder below ``/opt`` is gone although dpkg holds it for installed."""


class PackageWork(NamedTuple):
    """What keeps the package system from working now."""

    lock_holder: Fact[str]
    """Name and process id of who holds a lock of dpkg's or apt's; ``""`` when nobody does."""
    unfinished: Fact[tuple[str, ...]]
    """``name (state)`` of each package of the whole system that is not fully installed."""
    interrupted: bool
    """True when dpkg left a journal: apt refuses to work until ``dpkg --configure -a`` has run.
    While somebody holds the lock, it is only at work."""


class AptSource(NamedTuple):
    """One entry of apt's sources, of either format."""

    file: str
    line: int
    """1-based line at which the entry starts."""
    types: tuple[str, ...]
    """``deb``, ``deb-src`` or both."""
    uris: tuple[str, ...]
    suites: tuple[str, ...]
    components: tuple[str, ...]
    signed_by: str
    """Files or fingerprints as they stand there, ``a key in the entry``, or ``""``."""
    enabled: bool
    amd: bool
    """True when it is a repository of AMD's, or a mirror of one by its Release file."""


class SystemFile(NamedTuple):
    """A file of the system that belongs to a ROCm set-up; a package may own it."""

    path: str
    kind: str
    """``key``, ``pin``, ``alternative``, ``loader path``, ``udev rule``, ``opencl vendor`` or
    ``module option``."""
    detail: str
    """What it says, in one line."""


class RocmTree(NamedTuple):
    """A folder of ROCm or of AMD's driver packages, such as ``/opt/rocm-5.7.1``."""

    path: str
    version: Fact[str]
    link_to: str | None
    """Target when the path is a link (``/opt/rocm`` usually is)."""
    owner: Fact[str]
    """The package that dpkg says put it there; ``""`` when it knows of none."""
