"""Steps that change files of ours at once: settings, pins, a flag, the downloads."""

from __future__ import annotations

import os
import shutil
from itertools import count
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.host.distributions import installed_versions
from wizard.host.environment import site_packages
from wizard.host.files import has_text
from wizard.plan.steps import ClearExecutableStack, DropDownloads, PinInstalled
from wizard.run.environment import execstack
from wizard.system.whole_file import write_whole


def write_settings(path: Path, content: str, mode: int) -> str:
    """Write a file of ours; what somebody made of an earlier one is kept beside it."""
    kept = ""
    if path.is_file() and not has_text(path, content):
        aside = _free_name(path)
        path.rename(aside)
        kept = f"; the old file is kept as {aside}"
    write_whole(path, content, mode)
    return f"{len(content.encode())} bytes written{kept}"


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.kept-{number}") for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def pin_installed(step: PinInstalled) -> str:
    """Write what is installed as constraints; gives the pins."""
    versions = installed_versions(Path(step.venv), step.site)
    pins = [f"{name}=={versions[name]}" for name in step.names if name in versions]
    write_whole(Path(step.path), "".join(f"{pin}\n" for pin in pins))
    return ", ".join(pins) or "none of them is installed"


def clear_stack(step: ClearExecutableStack) -> str:
    """Clear the flag of the libraries that lie in the venv itself; gives their names."""
    found = [
        library
        for packages in site_packages(Path(step.venv), step.site)
        for name in step.libraries
        if (library := packages / "torch" / "lib" / name).is_file()
        and library.resolve().is_relative_to(Path(step.venv).resolve())
    ]
    try:
        cleared = [library.name for library in found if execstack.clear(library)]
    except ValueError as error:
        raise Trouble(
            f"The executable-stack flag could not be cleared: {error}.",
            "The library has an unexpected format. Nothing in it was changed.",
            "Use another stack, or clear the flag with patchelf --clear-execstack and run the "
            "same command again.",
        ) from None
    return f"cleared: {', '.join(cleared)}" if cleared else "no library has this flag"


def drop_downloads(step: DropDownloads) -> str:
    """Remove the folder of downloads."""
    if Path(step.folder).exists():
        shutil.rmtree(step.folder)
    return "removed"
