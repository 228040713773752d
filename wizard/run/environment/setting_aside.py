"""The step that moves distributions into a backup: looked at again first, listed, then moved."""

from __future__ import annotations

import asyncio
import errno
import json
from collections.abc import Iterator
from pathlib import Path

from wizard.core.events import Progress
from wizard.core.trouble import Trouble
from wizard.host.contents import BEFORE, OURS, read_live_contents
from wizard.host.live import LiveHost
from wizard.jsonform import to_json
from wizard.plan.existing_steps import SetAsidePackages
from wizard.run.as_planned import require_as_planned
from wizard.run.environment.leaving import family_files, stale_bytecode
from wizard.system.backup import Backup, folder_rows, move_aside, seen_row, write_manifest
from wizard.system.programs import wait_for_strays
from wizard.system.system import Act, Done, Stopped, System
from wizard.system.whole_file import write_whole

PATIENCE_S = 2.0
"""Time for programs out of the environment that are just ending."""


async def set_packages_aside(step: SetAsidePackages, system: System) -> Act:
    """Everything until the files are in the backup; before the list is written nothing moves."""
    aside = aside_of(step)
    if step.staging:  # programs in ~/.local/bin need not use the user's packages at all
        await asyncio.to_thread(wait_for_strays, aside.root, PATIENCE_S)
    if not aside.manifest.exists():
        await asyncio.to_thread(require_as_planned, step)
        events = _listed(step, aside, system)
        while (event := await asyncio.to_thread(next, events, None)) is not None:
            yield event
    await asyncio.to_thread(_move, aside)
    count = sum(map(aside.is_kept, aside.things()))
    yield Done(f"{count} files are in {aside.folder}, with a list of their SHA-256")


def aside_of(step: SetAsidePackages) -> Backup:
    """The backup of a step."""
    return Backup(Path(step.root), Path(step.backup))


def _listed(step: SetAsidePackages, aside: Backup, system: System) -> Iterator[Progress]:
    paths = tuple(sorted({*family_files(step), *stale_bytecode(step)}))
    total = sum((aside.root / path).lstat().st_size for path in paths)
    done, rows = 0, []
    for number, path in enumerate(paths):
        if system.cancelled():
            raise Stopped
        row = seen_row(aside.root, path, lambda _: None)
        done += row.size
        rows.append(row)
        if number % 200 == 0:
            yield Progress(done, total, "bytes", path, None)
    _make_backup(step, aside)
    write_manifest(aside, (*folder_rows(aside.root, paths), *rows))


def _make_backup(step: SetAsidePackages, aside: Backup) -> None:
    aside.folder.mkdir(mode=0o700, exist_ok=True)
    contents = read_live_contents(LiveHost(), step.root)
    if contents is not None and step.backup == f"{step.root}/{OURS}":
        write_whole(aside.root / BEFORE, json.dumps(to_json(contents)))


def _move(aside: Backup) -> None:
    try:
        move_aside(aside)
    except OSError as error:
        cause = _CAUSES.get(error.errno or 0, "")
        raise Trouble(
            f"{error.filename} could not be moved: {error.strerror}.",
            f"It must be moved to {aside.folder}, where the files moved so far are.{cause}",
            "Fix the problem and run the same command again. Or undo this run with `rdna1-setup "
            "rollback`, which moves everything back.",
        ) from None


_FULL = " Even moving a file requires a little space for its name, and the disk has none left."
_FOREIGN = " A folder along the path is read-only, or belongs to another user."
_CAUSES = {
    errno.EXDEV: " A folder along the path is on another file system.",
    errno.EACCES: _FOREIGN,
    errno.EPERM: _FOREIGN,
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
}
