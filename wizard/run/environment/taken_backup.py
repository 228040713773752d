"""What to do about a backup that no journal names: in words, for only a person can tell."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.host.distributions import named_in, read_distributions
from wizard.host.live import LiveHost
from wizard.machine.contents import read_kept_contents
from wizard.plan.existing_steps import SetAsidePackages
from wizard.plan.family import torch_family
from wizard.plan.steps import PinInstalled, Plan, WriteFile
from wizard.run.environment.backup import FILES, Backup


def without_journal(plan: Plan, backup: str) -> Trouble:
    """The words for a backup in the way of a plan; reads only."""
    aside = Backup(Path(os.path.dirname(backup)), Path(backup))  # noqa: PTH120 - a text
    kept = read_kept_contents(LiveHost(), str(aside.root))
    if kept is not None and os.path.realpath(kept.path) != os.path.realpath(aside.root):
        return _of_another_folder(aside, kept.path)
    return _journal_gone(plan, aside)


def _of_another_folder(aside: Backup, was: str) -> Trouble:
    return Trouble(
        f"{aside.folder} belongs to {was}. Either {aside.root} is a copy of that environment, or "
        "that environment was moved, or a link to it was changed.",
        "The backup contains the original state of that environment, and a second run would mix "
        "it with the changed state.",
        "If the environment or a link to it was moved, move it back, undo its run (rdna1-setup "
        f"rollback), and move it again. If the environment is a copy, delete {aside.folder}, "
        "because the packages in it belong to the original "
        "environment.",
    )


def _journal_gone(plan: Plan, aside: Backup) -> Trouble:
    steps = [step for step in plan.steps if isinstance(step, SetAsidePackages)]
    site = next(step.site for step in steps if step.backup == str(aside.folder))
    names = " ".join(_replaced_now(site, aside))
    files = _ours(plan, aside)
    remove = f"Remove these files that rdna1-setup wrote: {', '.join(files)}. " if files else ""
    return Trouble(
        f"{aside.folder} contains packages that a run backed up, but the run's journal is gone.",
        "The backup contains the original state of this environment, and a second run would mix "
        "it with the changed state.",
        (
            (f"Remove the new packages with the environment's own pip (pip uninstall {names}). ")
            if names
            else ""
        )
        + f"{remove}Then move the files under {aside.folder / FILES} back to the same paths "
        f"under {aside.root}, and remove {aside.folder}.",
    )


def _replaced_now(site: str, aside: Backup) -> tuple[str, ...]:
    """Names of what stands there now and cannot stand beside what would come back."""
    there = read_distributions(LiveHost(), site)
    infos = {Path(row.path).parent for row in aside.things() if row.path.endswith("/METADATA")}
    goes = {named_in(info)[0] for info in infos} | {each.name for each in torch_family(there)}
    return tuple(sorted(each.name for each in there if each.name in goes))


def _ours(plan: Plan, aside: Backup) -> tuple[str, ...]:
    """Files that this program wrote, as far as this plan would write them too."""
    written: Iterable[str] = (
        step.path for step in plan.steps if isinstance(step, (WriteFile, PinInstalled))
    )
    return tuple(
        path for path in written if os.path.lexists(path) and path.startswith(f"{aside.root}/")
    )
