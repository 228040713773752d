"""Releases of torch: how old each is, and which known holes it still has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from packaging.version import InvalidVersion, Version

from wizard.knowledge.rows import read_rows

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
    return read_rows("torches.toml", "torch", Torch, {})


@cache
def load_holes() -> tuple[Hole, ...]:
    """All holes, in the order of the file."""
    return read_rows("torches.toml", "hole", Hole, {})


def torch_release(version: str) -> Torch | None:
    """The release of a version such as ``2.2.2+rocm5.7``; None where its age is not known."""
    public = version.partition("+")[0]
    return next((each for each in load_torches() if each.version == public), None)


def holes_of(version: str) -> tuple[Hole, ...]:
    """The holes that a version still has; none where it cannot be compared."""
    try:
        held = Version(Version(version).public)
    except InvalidVersion:
        return ()
    return tuple(hole for hole in load_holes() if held < Version(hole.closed_in))


def rocm_of(version: str) -> tuple[int, int] | None:
    """The ROCm release in a local version such as ``2.2.2+rocm5.7``; None without."""
    found = _ROCM.search(version)
    return (int(found[1]), int(found[2])) if found else None
