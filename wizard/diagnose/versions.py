"""Versions of torch: which came first, and for which ROCm."""

from __future__ import annotations

import re

OVERRIDE_HANGS_SINCE = (5, 3)
"""The ROCm from which on users report hangs of RDNA1 cards with HSA_OVERRIDE_GFX_VERSION=10.3.0."""


def torch_before(version: str, limit: tuple[int, int]) -> bool:
    """True when this torch is older than a minor release; False for what is no version."""
    found = re.match(r"(\d{1,4})\.(\d{1,4})", version)
    return found is not None and (int(found[1]), int(found[2])) < limit


def rocm_of(version: str) -> tuple[int, int] | None:
    """The ROCm release in a local version such as ``2.2.2+rocm5.7``; None without."""
    found = re.search(r"\+rocm(\d{1,4})\.(\d{1,4})", version)
    return (int(found[1]), int(found[2])) if found else None


def override_hangs(version: str) -> bool:
    """True for a torch with whose ROCm, or a later one, an override is reported to hang."""
    rocm = rocm_of(version)
    return rocm is not None and rocm >= OVERRIDE_HANGS_SINCE
