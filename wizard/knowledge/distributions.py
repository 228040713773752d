"""For which chips the packages of distributions hold code, read from their files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from wizard.knowledge.rows import read_rows


@dataclass(frozen=True, slots=True)
class DistributionPackage:
    """What one version of a package holds."""

    distribution: str
    """``Ubuntu 26.04``, ``Debian experimental``."""
    name: str
    version: str
    date: str
    """ISO date on which it was read."""
    sha256: str
    """Of the package's file."""
    targets: tuple[str, ...]
    """The chips that it holds code for."""


@cache
def load_packages() -> tuple[DistributionPackage, ...]:
    """All packages that were read, by distribution and name."""
    return read_rows("distributions.toml", "package", DistributionPackage, {})


def targets_of(name: str, version: str) -> tuple[str, ...] | None:
    """The chips that this version of a package holds code for; None where it was not read."""
    found = (row for row in load_packages() if (row.name, row.version) == (name, version))
    return next((row.targets for row in found), None)
