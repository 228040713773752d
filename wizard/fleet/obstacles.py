"""What stands in the way of filling a folder, in words."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wizard.run.downloads.space import write_failure
from wizard.run.lines import clean
from wizard.run.trouble import Trouble


def told(error: Trouble | OSError, folder: Path) -> Trouble:
    """The failure as it concerns this folder."""
    return error if isinstance(error, Trouble) else write_failure(error, folder, None)


def require_writable(path: Path) -> None:
    """Raise Trouble where this user can make nothing at a path, before anything is fetched."""
    there = next(each for each in (path, *path.parents) if os.path.lexists(each))
    if not there.is_dir():
        raise not_ours(path, f"{there} is no folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise Trouble(
            f"{clean(str(path))} cannot be filled: you may not write in {clean(str(there))}.",
            "It belongs to somebody else, or its file system is read-only. Nothing was fetched.",
            "Name a folder of your own. Not with sudo: what root fetched only root can go on with.",
        )


def not_ours(path: Path, why: str) -> Trouble:
    """A place that holds what somebody else put there."""
    return Trouble(
        f"{clean(str(path))} cannot be filled: {clean(why)}.",
        "Nothing that somebody else put there is overwritten, and what lies beside the wheels "
        "would go out to every machine.",
        "Name a folder that does not exist yet, or move away what is not from here.",
    )


def for_another(path: Path, about: Mapping[str, Any]) -> Trouble:
    """A folder that was fetched, or begun, for other machines."""
    there = about.get("target")
    words = there if isinstance(there, dict) else {}
    names = ("stack", "distribution", "release", "python")
    known = ", ".join(f"{name} {words[name]}" for name in names if words.get(name))
    return Trouble(
        f"{clean(str(path))} is for other machines: {clean(known) or 'it does not say for which'}.",
        "A folder is for one stack on one kind of machine.",
        "Name another folder, or remove this one.",
    )
