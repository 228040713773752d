"""Which files leave an environment with the distributions that go; reads only."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.host.distributions import record_of, recorded, wheel_targets
from wizard.host.files import bytecode, prints
from wizard.plan.existing_steps import SetAsidePackages


def family_files(step: SetAsidePackages) -> tuple[str, ...]:
    """Paths of everything that goes, relative to the root: what RECORD lists, and its bytecode.

    What a package that stays lists too does not go, unless a new wheel brings it again. Raises
    Trouble for a file that lies elsewhere behind a link: it is not the environment's own.
    """
    root, site = Path(step.root), Path(step.site)
    infos = [record_of(site, name, version) for name, version in step.packages]
    listed = [path for info in infos if info for path in recorded(site, info)]
    found = prints(root, (*listed, *map(Path, step.files)))
    here = os.path.realpath(root)
    for path in listed:
        if os.path.lexists(path) and not path.is_dir() and relative(path, root) not in found:
            raise Trouble(
                f"{path} is not inside {here}: a link or a path points elsewhere.",
                "rdna1-setup moves only files inside the environment, but this package also has "
                "files outside it.",
                "Choose a new folder with --venv. Nothing was changed.",
            )
    return tuple(sorted(found.keys() - _listed_by_others(step, found, infos)))


def _listed_by_others(
    step: SetAsidePackages, found: Iterable[str], infos: Iterable[Path | None]
) -> frozenset[str]:
    root, site = Path(step.root), Path(step.site)
    # What begins with ~ is what an interrupted pip has left: it holds on to nothing.
    others = set(site.glob("[!~]*.dist-info")) - set(infos)
    listed = {path for info in others for path in recorded(site, info) if path.parent not in infos}
    theirs = {relative(path, root) for path in listed} & set(found)
    new = targets(step)
    come = {relative(each, root) for each in (*new, *bytecode(new))}
    return frozenset(prints(root, (root / path for path in theirs - come)).keys() - come)


def stale_bytecode(step: SetAsidePackages) -> tuple[str, ...]:
    """Bytecode whose source is long gone, and that the new source of that name would replace."""
    gone = (path for path in targets(step) if not os.path.lexists(path))
    return tuple(prints(Path(step.root), bytecode(gone)))


def targets(step: SetAsidePackages) -> set[Path]:
    """Where the wheels that come put their files."""
    wheels = tuple(Path(step.staging).glob("*.whl")) if step.staging else ()
    root, site = Path(step.root), Path(step.site)
    return {path for wheel in wheels for path in wheel_targets(root, site, wheel)}


def relative(path: Path, root: Path) -> str:
    """The path as the list of a backup has it."""
    return os.path.relpath(os.path.normpath(path), root)
