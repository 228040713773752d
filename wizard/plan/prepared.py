"""What is found out before a plan with root steps is made: of the archive, and of files to edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from wizard.apt.files import Belongings
from wizard.apt.packages import Versions
from wizard.plan.root_steps import LocalDeb

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Offer:
    """What the archive has for this machine, asked of it by the user's own, harmless apt."""

    release: str
    suite: str
    """One whose InRelease was there."""
    key: str
    """The key in letters, its fingerprint checked."""
    install: Versions
    """What is asked for, with its exact versions."""
    debs: tuple[LocalDeb, ...]
    """What no archive of this system has: built or fetched into a folder of the user's."""
    brings: Versions
    """Everything that apt would install, ``debs`` among it."""
    download_bytes: int
    installed_bytes: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FilesNow:
    """Files that a plan edits or replaces, as they are now."""

    texts: Mapping[str, str] = field(default_factory=lambda: _NONE)
    """By path; those that could not be read, or are no UTF-8, are not among them."""
    exchanged: tuple[str, ...] = ()
    """What somebody kept of a library below ``/opt`` before exchanging it."""
    belongings: Belongings | None = None
    """None where dpkg's lists could not all be read: then it is found out while it is done."""
    changed: Mapping[str, str] = field(default_factory=lambda: _NONE)
    """Files of ROCm packages that somebody changed, each with its package."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Both; without an offer a plan shows what it can, and cannot be begun."""

    files: FilesNow = field(default_factory=FilesNow)
    offer: Offer | None = None
    for_good: Versions = ()
    """Packages that go without a package file of them, as the user has chosen."""
