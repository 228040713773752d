"""Whether the distributions that a plan sets aside are still as it knew them, and can be moved."""

from __future__ import annotations

import os
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.host.distributions import has_readable_record, record_of
from wizard.host.live import LiveHost
from wizard.host.mounts import MOUNTS, mounts_in
from wizard.plan.existing_steps import SetAsidePackages
from wizard.run.environment.leaving import family_files, relative, targets


def require_as_planned(step: SetAsidePackages) -> None:
    """Raise Trouble unless all is as it was when the plan was made, can be moved, and no wheel is
    in the way; reads only."""
    site = Path(step.site)
    for name, version in step.packages:
        if (info := record_of(site, name, version)) is not None:
            _require_readable(site, info)
        else:
            raise Trouble(
                f"{name} {version} is no longer in {site}.",
                "The environment has changed since this plan was made. This run changed nothing.",
                "Undo this run (rdna1-setup rollback), then start again.",
            )
    if taken := _taken(step):
        more = f" (and {len(taken) - 1} more)" if len(taken) > 1 else ""
        raise Trouble(
            f"{taken[0]}{more} already exists.",
            "A new wheel contains a file with the same name, and none of the packages being "
            "removed owns the existing file. Nothing was changed.",
            "Move the existing file out of the way, or choose a new folder with --venv.",
        )
    _require_one_file_system(step)


def _require_readable(site: Path, info: Path) -> None:
    if not has_readable_record(site, info):
        raise Trouble(
            f"{info}/RECORD cannot be read completely.",
            (
                "This file lists the package's files. With an incomplete list, some of those "
                "files would not be moved. Nothing was changed."
            ),
            "Install the package again with pip, or choose a new folder with --venv.",
        )


def _require_one_file_system(step: SetAsidePackages) -> None:
    """Raise Trouble for files below a mount of their own: no renaming leads out of it."""
    here = os.path.realpath(step.root)
    mounted = (mount.path for mount in mounts_in(LiveHost().read(MOUNTS)))
    inside = tuple(f"{place}/" for place in mounted if place.startswith(f"{here}/"))
    for path in family_files(step) if inside else ():
        if f"{here}/{path}".startswith(inside):
            raise Trouble(
                f"{here}/{path} is on a separate mount inside the environment.",
                "The backup works by moving files, and files cannot be moved from one mount to "
                "another. Nothing was changed.",
                "Choose a new folder with --venv, or first unmount the file system inside the "
                "environment.",
            )


def _taken(step: SetAsidePackages) -> list[str]:
    """Files that stay and that a wheel would write over, also through a link."""
    root, goes = Path(step.root), frozenset(family_files(step))
    there = (p for p in targets(step) if os.path.lexists(p) and not p.is_dir())
    return sorted(str(path) for path in there if relative(path, root) not in goes)
