"""Whose figures they are: the chip that was measured, and whether a claim is of another one."""

from __future__ import annotations

from wizard.conv2d.presets import Published
from wizard.conv2d.verdicts import Loaded, Result
from wizard.knowledge.cards import gfx_of_name

OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"


def chip_measured(loaded: Loaded) -> str | None:
    """The card's own target, or its name where it has none; None where it is not known.

    An override changes what the runtime says: then only the card's name tells.
    """
    if loaded.device is None or loaded.device == "cpu":
        return None
    if loaded.hip is None:
        return loaded.device
    named = gfx_of_name(loaded.device)
    overridden = any(name.startswith(OVERRIDE) for name, _ in loaded.setting)
    if named or overridden or loaded.gfx is None:
        return named
    return loaded.gfx.partition(":")[0]


def rocm_measured(loaded: Loaded) -> str | None:
    """The release of ROCm that torch was built with, for example ``5.7``; None for none."""
    return None if loaded.hip is None else release_of(loaded.hip)


def release_of(version: str) -> str:
    """The release of a version, without what only names the build of it."""
    return ".".join(version.split(".")[:2])


def is_other_chip(claim: Published, loaded: Loaded) -> bool:
    """True when a claim was made on another chip than the one that was measured."""
    mine = chip_measured(loaded)
    return claim.chip is not None and mine is not None and claim.chip != mine


def is_of_other_chip(claim: Published, result: Result | None, here: str | None) -> bool:
    """True when a claim was made on another chip than was measured, or than is here.

    ``here`` counts where nothing was measured yet, and may not be known.
    """
    if result is not None and result.loaded.device is not None:
        return is_other_chip(claim, result.loaded)
    return claim.chip is not None and here is not None and claim.chip != here
