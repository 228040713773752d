"""Typed view of ``assets/releases.toml``: the system ROCm releases that can be installed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wizard.core.typed import typed
from wizard.knowledge.tables import read_table

SMALLEST = "smallest"
FULL = "full"
SETS = (SMALLEST, FULL)
"""How much of a release to install."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What a release asks for that newer systems lack, and how each of it is made good."""

    name: str
    """Of the empty package of ours that stands in."""
    stand_in: tuple[str, ...]
    contended: str
    """Stood in for as well, but not where ``contender`` is installed: apt would remove that."""
    contender: str
    repack: str
    """The package whose dependency on ``contended`` is taken out where it is contended."""
    older: tuple[str, ...]
    """Libraries that are taken from an older Ubuntu."""
    older_suite: str


@dataclass(frozen=True, slots=True)
class Release:
    """One system ROCm release of AMD's repository."""

    version: str
    directory: str
    suites: tuple[str, ...]
    """In the order in which they are asked for."""
    sets: dict[str, tuple[str, ...]]
    """Packages to ask for, by how much is wanted."""
    caution: str
    unlisted: tuple[str, ...] = ()
    """Systems that AMD's list of supported ones for this release was seen not to have."""
    contested: bool = False
    """True when sources disagree on the suite, so that each is asked for."""
    repair: Repair | None = None


@dataclass(frozen=True, slots=True)
class Repository:
    """AMD's repository, or a mirror of it."""

    address: str
    keys: tuple[str, ...]
    """Where its key may be had, in order; the fingerprint decides, not the place."""
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All of ``releases.toml``."""

    repository: Repository
    source: str
    """Who says that the repository is there, and when that was last known."""
    checked: str
    """ISO date on which the sources of all this were last read."""
    distributions: tuple[str, ...]
    not_ubuntu: tuple[str, ...]
    """Those of them that are not based on Ubuntu."""
    glibc: dict[str, str]
    releases: dict[str, Release] = field(default_factory=dict)


def load_catalogue() -> Catalogue:
    """Every release, as the data tells them."""
    table: dict[str, Any] = read_table("releases.toml")
    return Catalogue(
        repository=Repository(table["repository"], (table["key"],), table["fingerprint"]),
        source=table["repository_source"],
        checked=table["checked"],
        distributions=tuple(table["distributions"]),
        not_ubuntu=tuple(table["not_ubuntu"]),
        glibc=table["glibc"],
        releases={
            version: typed({"version": version, **row}, Release, exact=True)
            for version, row in table["release"].items()
        },
    )


def repository_at(catalogue: Catalogue, address: str, fingerprint: str) -> Repository:
    """The repository at an address, AMD's own for ``""``, signed by a key, AMD's own for ``""``.

    A mirror has the key beside or inside of its copy; where it has none, AMD's own place may.
    """
    own = catalogue.repository
    place = address.rstrip("/")
    beside = (f"{place.rpartition('/')[0]}/rocm.gpg.key", f"{place}/rocm.gpg.key") if place else ()
    return Repository(place or own.address, (*beside, *own.keys), fingerprint or own.fingerprint)
