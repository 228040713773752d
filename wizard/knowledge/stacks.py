"""Stacks: what can be installed, system ROCm releases, and releases of torch."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from wizard.knowledge.tables import read_rows, read_table, typed_rows


@dataclass(frozen=True, slots=True)
class Preset:
    """A set of variables that somebody published for a stack: offered, never the default."""

    name: str
    variables: tuple[tuple[str, str], ...]
    source: str
    caution: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """One way to a working torch, as ``assets/stacks.toml`` describes it."""

    id: str
    title: str
    """For people, for example ``ROCm 5.2 wheels, torch 1.13.1``."""
    torch: str
    """Version shown to people, for example ``1.13.1+rocm5.2``; the last one seen where
    ``requirements`` leave the choice to the index."""
    torch_prefix: str = ""
    """How ``torch.__version__`` must begin after installation."""
    requirements: tuple[str, ...]
    """What one resolver run installs; ``{gfx}`` stands for the card's own target."""
    constraints: tuple[str, ...]
    """Left in the venv so that a later ``pip install`` does not undo the stack."""
    index: str
    """Address of the wheel index; ``""`` when pip's own configuration serves."""
    other_indexes: tuple[str, ...] = ()
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
    presets: tuple[Preset, ...] = ()
    """Further variables on offer, each from its source and with its caution."""
    unset: tuple[str, ...]
    """Variables that must not reach torch."""
    system_release: str
    """ROCm release of the ``venv+system`` footprint; ``""`` without one."""
    hashes: tuple[tuple[str, str], ...]
    """Known wheels: file name and SHA-256, each from the sources named in the data."""
    download_bytes: int | None = None
    installed_bytes: int | None = None
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
    stacks = read_rows("stacks.toml", "stack", Stack)
    return tuple(replace(each, torch_prefix=each.torch_prefix or each.torch) for each in stacks)


def find_stack(name: str) -> Stack | None:
    """The stack of that id."""
    return next((stack for stack in load_stacks() if stack.id == name), None)


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
    releases: dict[str, Release]


@cache
def load_catalogue() -> Catalogue:
    """Every release, as the data tells them."""
    table = read_table("releases.toml")
    rows = ({"version": version, **row} for version, row in table["release"].items())
    releases = typed_rows("releases.toml, release", rows, Release)
    return Catalogue(
        repository=Repository(table["repository"], (table["key"],), table["fingerprint"]),
        source=table["repository_source"],
        checked=table["checked"],
        distributions=tuple(table["distributions"]),
        not_ubuntu=tuple(table["not_ubuntu"]),
        glibc=table["glibc"],
        releases={release.version: release for release in releases},
    )


def repository_at(catalogue: Catalogue, address: str, fingerprint: str) -> Repository:
    """The repository at an address, AMD's own for ``""``, signed by a key, AMD's own for ``""``.

    A mirror has the key beside or inside of its copy; where it has none, AMD's own place may.
    """
    own = catalogue.repository
    place = address.rstrip("/")
    beside = (f"{place.rpartition('/')[0]}/rocm.gpg.key", f"{place}/rocm.gpg.key") if place else ()
    return Repository(place or own.address, (*beside, *own.keys), fingerprint or own.fingerprint)


_ROCM = re.compile(r"\+rocm(\d{1,4})\.(\d{1,4})")


@dataclass(frozen=True, slots=True)
class Torch:
    """One release of torch."""

    version: str
    """Without its local part, for example ``2.2.2``."""
    released: str
    """ISO date."""
    source: str


@dataclass(frozen=True, slots=True)
class Hole:
    """A weakness that a later release closed."""

    id: str
    closed_in: str
    """The first release without it."""
    what: str
    """What somebody can do through it, without a full stop."""
    source: str
    date: str
    """ISO date on which it was made known."""


@cache
def load_torches() -> tuple[Torch, ...]:
    """All releases of torch that we know the age of."""
    return read_rows("torches.toml", "torch", Torch)


@cache
def load_holes() -> tuple[Hole, ...]:
    """All holes, in the order of the file."""
    return read_rows("torches.toml", "hole", Hole)


def torch_release(version: str) -> Torch | None:
    """The release of a version such as ``2.2.2+rocm5.7``; None where its age is not known."""
    public = version.partition("+")[0]
    return next((each for each in load_torches() if each.version == public), None)


def holes_of(version: str) -> tuple[Hole, ...]:
    """The holes that a version still has; none where it cannot be compared."""
    # Every screen imports this module, and none needs versions to be compared before it is shown.
    from packaging.version import InvalidVersion, Version

    try:
        held = Version(Version(version).public)
    except InvalidVersion:
        return ()
    return tuple(hole for hole in load_holes() if held < Version(hole.closed_in))


def rocm_of(version: str) -> tuple[int, int] | None:
    """The ROCm release in a local version such as ``2.2.2+rocm5.7``; None without."""
    found = _ROCM.search(version)
    return (int(found[1]), int(found[2])) if found else None
