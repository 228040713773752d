"""Whether a plan can be begun here and now: asked by Review, and again by the executor."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wizard.core.journal import PARTLY_ROLLED_BACK, ROLLED_BACK, UNFINISHED, Kind, OlderRun, Record
from wizard.core.lines import clean
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble, as_trouble
from wizard.host.contents import read_kept_contents
from wizard.host.distributions import named_in, read_distributions
from wizard.host.environment import LAYOUT, made_with_venv
from wizard.host.host import Disk, Host
from wizard.host.live import LiveHost
from wizard.host.mounts import MOUNTS, mounts_in
from wizard.plan.existing import torch_family
from wizard.plan.form import plan_form
from wizard.plan.plan_options import difference
from wizard.plan.room import needs_of, shortage
from wizard.plan.steps import Plan
from wizard.run.rehearsal import NOTHING_DONE, Foreseen
from wizard.run.resume import done_steps
from wizard.run.runs import (
    absence,
    older_run_in,
    older_runs,
    read_records,
    refusal_of_older,
    rollback_begun,
)
from wizard.system.backup import FILES, MANIFEST, Backup

WITHOUT_HARD_LINKS = frozenset({"afs", "cifs", "exfat", "smb3", "vboxsf", "vfat"})
"""File systems on which uv copies from its cache, so that all files are there twice."""


def require_start(plan: Plan, places: Places) -> Record | None:
    """The run of this very plan that waits, None for a new one; raises Trouble where neither can
    be. Reads only."""
    if plan.venv:
        require_open_place(Path(plan.venv))  # first: what may not be entered cannot be looked at
    runs = Path(places.runs)
    found = run_to_resume(plan, read_records(runs), older_runs(runs))
    _refuse_unresolved(plan)
    _refuse_full_disks(plan, found)
    if found is not None:
        _refuse_half_undone(found, places)
    else:
        for step in plan.steps:
            step.refuse()
    return found


def obstacle(plan: Plan, places: Places) -> Trouble | None:
    """Why the plan would be refused before its first step; None when it would begin."""
    try:
        require_start(plan, places)
    except (Trouble, OSError) as error:
        return as_trouble(error)
    return None


def foreseen(plan: Plan, places: Places) -> Foreseen:
    """Read of our journals and of the folder; nothing is tried, and nothing changed.

    Of packages that nobody asked the repository about, nothing can be said.
    """
    if not plan.resolved:
        return NOTHING_DONE
    try:
        record = require_start(plan, places)
        return Foreseen(done_steps(plan, record)) if record else NOTHING_DONE
    except (Trouble, OSError) as error:
        return Foreseen(trouble=as_trouble(error))


def run_to_resume(
    plan: Plan, records: tuple[Record, ...], older: tuple[OlderRun, ...] = ()
) -> Record | None:
    """The newest run of this very plan that was not rolled back; raises Trouble on a conflict.

    ``older`` are runs that an older version of this program recorded.
    """
    standing = [r for r in records if r.state != ROLLED_BACK]
    if not plan.venv:
        # Of a plan about the system alone, a run that is finished may be needed again.
        same = (r for r in standing if r.plan["id"] == plan.id and r.state == UNFINISHED)
        return next(same, None)
    here = os.path.realpath(plan.venv)
    placed = [r for r in standing if r.plan["venv"]]
    same_folder = [r for r in placed if os.path.realpath(r.plan["venv"]) == here]
    for record in same_folder:
        if record.plan["id"] == plan.id and record.state != PARTLY_ROLLED_BACK:
            _refuse_another_folder(plan, record)
            return record
    if plan.kind is not Kind.FIX:  # it may fix what another run made
        if same_folder:
            raise _other_plan(plan, same_folder[0])
        if run := older_run_in(here, records, older):
            raise refusal_of_older(run)
    if plan.changes_existing:
        _refuse_full_backups(plan, standing)
        return None
    if (Path(plan.venv) / "pyvenv.cfg").exists():
        raise Trouble(
            f"{plan.venv} is a venv that this program did not create.",
            "This plan needs a new folder. Nothing in the existing one was changed.",
            "Choose a new folder with --venv. To replace the torch in the existing venv, name "
            "that venv with --venv.",
        )
    if taken := _in_the_way(plan):
        raise Trouble(
            f"{_some(taken)} already exists, and this program did not create it.",
            "The new venv would overwrite existing files that could not be restored.",
            "Move the existing files elsewhere, or choose a new folder with --venv.",
        )
    return None


def _refuse_another_folder(plan: Plan, record: Record) -> None:
    if plan.changes_existing and (elsewhere := absence(record, plan.venv)):
        raise Trouble(
            f"{elsewhere}. Run {record.id} changed the environment that was at that path.",
            "Continuing here would mix two environments. Nothing was changed.",
            "Specify this environment's real path with --venv, or change the link back.",
        )


def _other_plan(plan: Plan, other: Record) -> Trouble:
    found = difference(other.plan, plan_form(plan))
    asked = (
        (f"The earlier run was started {found.before}. This time, the command was run {found.now}.")
        if found
        else ""
    )
    if other.state != UNFINISHED:
        return Trouble(
            f"{plan.venv} already contains {other.name} (run {other.id}, {other.state}).",
            f"A folder can have only one stack at a time. {asked}".strip(),
            f"Use another folder, or undo that run first: rdna1-setup rollback {other.id}",
        )
    again = f"To continue that run, run the command again {found.before}. " if found else ""
    return Trouble(
        f"{plan.venv} already contains an unfinished run of {other.name} ({other.id}).",
        asked
        or "The steps of the unfinished run differ from those of this plan. Another version of "
        "this program planned that run, or the "
        "machine has changed since.",
        f"{again}To start over, undo it first: rdna1-setup rollback {other.id}",
    )


def _refuse_full_backups(plan: Plan, standing: Sequence[Record]) -> None:
    """Raise Trouble for a backup that holds a first state: moving more into it would mix two."""
    backups = (step.backup for step in plan.set_aside)
    for backup in (each for each in backups if os.path.lexists(f"{each}/{MANIFEST}")):
        for record in standing:
            if backup in (step.get("backup") for step in record.plan["steps"]):
                raise Trouble(
                    f"{backup} contains the backup of run {record.id}, which has not been undone.",
                    f"The backup belongs to {record.plan['venv']}, and a second run would mix it "
                    "with the changed state.",
                    f"Undo that run first (rdna1-setup rollback {record.id}). Or omit "
                    "--user-torch-aside to leave your own packages where they are.",
                )
        raise _without_journal(plan, backup)


def _without_journal(plan: Plan, backup: str) -> Trouble:
    """What to do about a backup that no journal names: in words, for only a person can tell."""
    aside = Backup(Path(os.path.dirname(backup)), Path(backup))  # noqa: PTH120 - a text
    kept = read_kept_contents(LiveHost(), str(aside.root))
    if kept is not None and os.path.realpath(kept.path) != os.path.realpath(aside.root):
        return Trouble(
            f"{aside.folder} belongs to {kept.path}. Either {aside.root} is a copy of that "
            "environment, or that environment was moved, or a link to it was changed.",
            "The backup contains the original state of that environment, and a second run would "
            "mix it with the changed state.",
            "If the environment or a link to it was moved, move it back, undo its run (rdna1-setup "
            f"rollback), and move it again. If the environment is a copy, delete {aside.folder}, "
            "because the packages in it belong to the original environment.",
        )
    site = next(step.site for step in plan.set_aside if step.backup == backup)
    names = " ".join(_replaced_now(site, aside))
    inside = f"{aside.root}/"
    written = (path for step in plan.steps for path in step.writes())
    files = [path for path in written if os.path.lexists(path) and path.startswith(inside)]
    packages = (
        f"Remove the new packages with the environment's own pip (pip uninstall {names}). "
        if names
        else ""
    )
    remove = f"Remove these files that rdna1-setup wrote: {', '.join(files)}. " if files else ""
    return Trouble(
        f"{aside.folder} contains packages that a run backed up, but the run's journal is gone.",
        "The backup contains the original state of this environment, and a second run would mix "
        "it with the changed state.",
        f"{packages}{remove}Then move the files under {aside.folder / FILES} back to the same "
        f"paths under {aside.root}, and remove {aside.folder}.",
    )


def _replaced_now(site: str, aside: Backup) -> tuple[str, ...]:
    """Names of what stands there now and cannot stand beside what would come back."""
    there = read_distributions(LiveHost(), site)
    infos = {Path(row.path).parent for row in aside.things() if row.path.endswith("/METADATA")}
    goes = {named_in(info)[0] for info in infos} | {each.name for each in torch_family(there)}
    return tuple(sorted(each.name for each in there if each.name in goes))


def _in_the_way(plan: Plan) -> list[str]:
    """What lies where the plan would write."""
    venv = Path(plan.venv)
    if os.path.lexists(venv) and not venv.is_dir():
        return [plan.venv]
    taken = [
        str(venv / name)
        for name in LAYOUT
        if os.path.lexists(venv / name)
        and (not (venv / name).is_dir() or (venv / name).is_symlink())
    ]
    taken += [str(venv / path) for path in sorted(made_with_venv(venv, ()))]
    written = (path for step in plan.steps for path in step.writes())
    return taken + [path for path in written if os.path.lexists(path)]


def _some(paths: Sequence[str]) -> str:
    more = f" (and {len(paths) - 1} more)" if len(paths) > 1 else ""
    return f"{paths[0]}{more}"


def _refuse_unresolved(plan: Plan) -> None:
    if not plan.resolved:
        raise Trouble(
            "The exact system packages are not known yet.",
            "The repository was not queried, so the changes to the system are unknown.",
            "Make the plan again on this machine while it is online. Or use --footprint venv, "
            "which does not need root.",
        )


def _refuse_half_undone(record: Record, places: Places) -> None:
    if rollback_begun(record, places) is not None:
        raise Trouble(
            f"Run {record.id} is being undone. At least some of its changes to the system have "
            "already been undone.",
            "Continuing it would skip steps that have since been undone.",
            f"Finish undoing that run first: rdna1-setup rollback {record.id}. Then start over.",
        )


def _refuse_full_disks(plan: Plan, found: Record | None) -> None:
    """Raise Trouble where what is still to come does not fit on a file system that is written."""
    host = LiveHost()
    done = done_steps(plan, found) if found is not None else ()
    begun = found.intents.keys() if found is not None else ()
    needs = needs_of(plan, done, begun, copies=_without_hard_links(host, plan.venv))
    left = (
        replace(each, bytes=max(0, each.bytes - _bytes_in(each.folder))) if each.goes_on else each
        for each in needs
    )
    if full := shortage(left, host.disk):
        raise full


def _without_hard_links(host: Host, folder: str) -> bool:
    disk = host.disk(folder)
    kinds = {mount.path: mount.kind for mount in mounts_in(host.read(MOUNTS))}
    return isinstance(disk, Disk) and kinds.get(disk.filesystem) in WITHOUT_HARD_LINKS


def _bytes_in(folder: str) -> int:
    """What was downloaded before."""
    try:
        with os.scandir(folder) as entries:
            return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
    except OSError:
        return 0


def require_open_place(folder: Path) -> None:
    """Raise Trouble where permissions tell already that no files can be put there; reads only."""
    nearest = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if nearest != folder and not nearest.is_dir():
        raise _no_place(folder, os.strerror(errno.ENOTDIR))
    if nearest.is_dir() and not os.access(nearest, os.W_OK | os.X_OK):
        raise _no_place(folder, os.strerror(errno.EACCES))


def require_place(folder: Path) -> None:
    """Raise Trouble unless files can be put there; leaves nothing behind.

    Tried, for only the file system itself knows.
    """
    missing = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    tried = missing[-1] if missing else folder / ".rdna1-setup-tries"
    try:
        tried.mkdir()
        tried.rmdir()
    except OSError as error:
        raise _no_place(folder, error.strerror or str(error)) from None


def _no_place(folder: Path, why: str) -> Trouble:
    return Trouble(
        f"The folder {clean(str(folder))} cannot be created: {why}.",
        "You cannot write to the parent folder. It belongs to another user, is read-only or full, "
        "is really a file, or belongs to the kernel, as /proc does.",
        "Choose a folder of your own with --venv DIR.",
    )
