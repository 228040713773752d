"""Exchanging a library for its copy, and back: at every instant one of both is in place."""

from __future__ import annotations

import filecmp
import os
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.host.files import digest
from wizard.plan.library_steps import BringLibraryBack, ExchangeLibrary
from wizard.run.environment import execstack
from wizard.system.whole_file import draft_of, sync


def exchange_library(step: ExchangeLibrary) -> str:
    """Exchange it, unless that is done; gives the outcome. Raises Trouble or OSError."""
    path, kept = Path(step.path), Path(step.kept)
    if _is_done(step):
        return "already done"
    if not os.path.lexists(kept):  # else an earlier start was cut off, and this is the old one
        _require_as_planned(step)
        _require_own(path)
    elif not _is_same(path, kept):  # reinstalled since, or a name of somebody else's
        raise _changed(
            step.path, f"Keep either this library or {kept}, and move the other one elsewhere."
        )
    draft = _cleared(step)
    try:
        if not os.path.lexists(kept):
            os.link(path, kept)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    sync(path.parent)
    if not _is_done(step):
        raise _changed(step.path, f"The old library was kept as {kept}. Move it back yourself.")
    return f"the fixed copy is in place; the old library is kept as {kept.name}"


def bring_library_back(step: BringLibraryBack) -> str:
    """Put it back, unless that is done; gives the outcome. Raises Trouble or OSError."""
    path, kept = Path(step.path), Path(step.kept)
    if not os.path.lexists(kept):
        return "the library is already restored"
    if path.exists() and path.samefile(kept):  # cut off before it was exchanged
        kept.unlink()
        return "the library had not been replaced"
    if not _is_ours(step):
        raise _changed(
            step.path,
            "If the current library belongs to the same torch and you want the old one back, run "
            f"`mv {kept} {path}`. If another torch has been installed since, remove {kept}.",
        )
    kept.replace(path)
    sync(path.parent)
    return "same as before"


def _is_done(step: ExchangeLibrary) -> bool:
    path, kept = Path(step.path), Path(step.kept)
    if not path.is_file() or not kept.is_file():
        return False
    try:
        return not path.samefile(kept) and not execstack.asks_for_executable_stack(path)
    except ValueError:  # no library at all: somebody put it there since
        return False


def _is_same(path: Path, kept: Path) -> bool:
    return path.is_file() and kept.is_file() and filecmp.cmp(path, kept, shallow=False)


def _is_ours(step: BringLibraryBack) -> bool:
    """True while what stands there is what the exchange put there."""
    path, kept = Path(step.path), Path(step.kept)
    if not path.is_file() or path.is_symlink():
        return False
    draft = draft_of(path)
    try:
        execstack.copy_cleared(kept, draft)
        return digest(path) == digest(draft)
    finally:
        draft.unlink(missing_ok=True)


def _cleared(step: ExchangeLibrary) -> Path:
    """The copy that takes the place, on the same file system."""
    draft, kept = draft_of(Path(step.path)), Path(step.kept)
    try:
        execstack.copy_cleared(kept if kept.exists() else Path(step.path), draft)
    except ValueError as error:
        raise Trouble(
            f"The executable-stack flag cannot be cleared: {error}.",
            "The library has an unexpected format. Nothing was changed.",
            "Install a different torch in this environment.",
        ) from None
    return draft


def _require_as_planned(step: ExchangeLibrary) -> None:
    path = Path(step.path)
    if path.is_symlink():
        raise Trouble(
            f"{path} is a link to another file.",
            "The linked file may also belong to other environments. Nothing was changed.",
            "Fix the file that the link points to, or install this torch again with pip.",
        )
    if not path.is_file() or path.stat().st_size != step.bytes:
        raise _changed(step.path, "Run `rdna1-setup diagnose` again.")


def _require_own(path: Path) -> None:
    if path.stat().st_uid != os.geteuid():
        raise Trouble(
            f"{path} belongs to another user.",
            "Only the owner of this environment should change it. Nothing was changed.",
            "Run the same command as the environment's owner.",
        )


def _changed(path: str, next_step: str) -> Trouble:
    return Trouble(
        f"{path} has changed.",
        "The file was changed after the plan was made, so rdna1-setup left it alone.",
        next_step,
    )
