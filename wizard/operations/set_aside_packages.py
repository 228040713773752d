"""Move the files of some distributions out of an environment, into a backup beside them."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from wizard.core.amounts import counted
from wizard.core.events import Progress
from wizard.core.trouble import Trouble
from wizard.host.contents import BEFORE, OURS, read_live_contents
from wizard.host.distributions import has_readable_record, record_of, recorded, wheel_targets
from wizard.host.files import bytecode, listing, prints
from wizard.host.live import LiveHost
from wizard.host.mounts import MOUNTS, mounts_in
from wizard.operations.operation import After, Before, Operation
from wizard.system.backup import Backup, folder_rows, seen_row
from wizard.system.programs import wait_for_strays
from wizard.system.system import News, Stopped, System

PATIENCE_S = 2.0
"""Time for programs out of the environment that are just ending."""


@dataclass(frozen=True, slots=True)
class SetAsidePackages(Operation):
    """Move the files of some distributions into a backup on the same file system."""

    reason: str
    root: str
    """The environment, or the folder ``~/.local`` of the user's own packages."""
    site: str
    packages: tuple[tuple[str, str], ...]
    """Name and version of each distribution that goes."""
    files: tuple[str, ...]
    """Further files that go where they are there, because the plan writes new ones."""
    staging: str
    """Wheels that come in their place: none may write over a file that stays. ``""`` for none."""
    backup: str

    undo = "move everything back"

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return f"Back up {counted(len(self.packages), 'old package')}"

    def shown(self) -> str:
        """Which files go where."""
        names = ", ".join(f"{name} {version}" for name, version in self.packages)
        what = [f"the files of {names}, as their RECORD lists them"] if names else []
        what += [f"{', '.join(self.files)} (if it exists)"] if self.files else []
        return f"move {'; '.join(what)}, to {self.backup} (a list there has the SHA-256 of each)"

    @property
    def aside(self) -> Backup:
        """The backup."""
        return Backup(Path(self.root), Path(self.backup))

    def refuse(self) -> None:
        """Raise Trouble unless all is as it was when the plan was made, can be moved, and no wheel
        is in the way."""
        site = Path(self.site)
        for name, version in self.packages:
            info = record_of(site, name, version)
            if info is None:
                raise Trouble(
                    f"{name} {version} is no longer in {site}.",
                    "The environment has changed since this plan was made. This run changed "
                    "nothing.",
                    "Undo this run (rdna1-setup rollback), then start again.",
                )
            _require_readable(site, info)
        if taken := self._taken():
            more = f" (and {len(taken) - 1} more)" if len(taken) > 1 else ""
            raise Trouble(
                f"{taken[0]}{more} already exists.",
                "A new wheel contains a file with the same name, and none of the packages being "
                "removed owns the existing file. Nothing was changed.",
                "Move the existing file out of the way, or choose a new folder with --venv.",
            )
        self._require_one_file_system()

    def observe(self) -> Before:
        """Where the folder really is: a link may lead elsewhere by the time of the rollback. Of the
        environment itself, also its folders."""
        real = {"real": os.path.realpath(self.root)}
        if not self.staging:
            return real
        return {**real, "folders_before": sorted(listing(Path(self.root)).folders)}

    async def do(self, system: System, before: Before) -> News:
        """List every file, then move it; before the list is written nothing moves."""
        if self.staging:  # programs in ~/.local/bin need not use the user's packages at all
            await asyncio.to_thread(wait_for_strays, Path(self.root), PATIENCE_S)
        if not self.aside.manifest.exists():
            await asyncio.to_thread(self.refuse)
            events = self._listed(system)
            while (event := await asyncio.to_thread(next, events, None)) is not None:
                yield event
        await asyncio.to_thread(_move, self.aside, system)

    def verify(self, before: Before) -> After:
        """That the list is there: what of it is not in the backup came in between, and stays."""
        aside = self.aside
        if not aside.manifest.exists():
            raise Trouble(
                f"{aside.manifest} is missing.",
                "This list says where each backed-up file belongs. Another program may have "
                "removed it.",
                f"Move the files in {aside.folder} back to the same paths in {aside.root} "
                "yourself.",
            )
        count = sum(map(aside.is_kept, aside.things()))
        return After(f"{count} files are in {aside.folder}, with a list of their SHA-256")

    def holds(self, before: Before) -> bool:
        """True while each file is in the backup."""
        return self.aside.manifest.exists() and all(map(self.aside.is_kept, self.aside.things()))

    def family_files(self) -> tuple[str, ...]:
        """Paths of everything that goes, relative to the root: what RECORD lists, and its bytecode.

        What a package that stays lists too does not go, unless a new wheel brings it again. Raises
        Trouble for a file that lies elsewhere behind a link: it is not the environment's own.
        """
        root, site = Path(self.root), Path(self.site)
        infos = [record_of(site, name, version) for name, version in self.packages]
        listed = [path for info in infos if info for path in recorded(site, info)]
        found = prints(root, (*listed, *map(Path, self.files)))
        here = os.path.realpath(root)
        for path in listed:
            if os.path.lexists(path) and not path.is_dir() and _relative(path, root) not in found:
                raise Trouble(
                    f"{path} is not inside {here}: a link or a path points elsewhere.",
                    "rdna1-setup moves only files inside the environment, but this package also "
                    "has files outside it.",
                    "Choose a new folder with --venv. Nothing was changed.",
                )
        return tuple(sorted(found.keys() - self._listed_by_others(found, infos)))

    def _listed_by_others(
        self, found: Iterable[str], infos: Iterable[Path | None]
    ) -> frozenset[str]:
        root, site = Path(self.root), Path(self.site)
        # What begins with ~ is what an interrupted pip has left: it holds on to nothing.
        others = set(site.glob("[!~]*.dist-info")) - set(infos)
        listed = {
            path for info in others for path in recorded(site, info) if path.parent not in infos
        }
        theirs = {_relative(path, root) for path in listed} & set(found)
        new = self._targets()
        come = {_relative(each, root) for each in (*new, *bytecode(new))}
        return frozenset(prints(root, (root / path for path in theirs - come)).keys() - come)

    def _stale_bytecode(self) -> tuple[str, ...]:
        """Bytecode whose source is long gone, and that the new source of that name would
        replace."""
        gone = (path for path in self._targets() if not os.path.lexists(path))
        return tuple(prints(Path(self.root), bytecode(gone)))

    def _targets(self) -> set[Path]:
        """Where the wheels that come put their files."""
        wheels = tuple(Path(self.staging).glob("*.whl")) if self.staging else ()
        root, site = Path(self.root), Path(self.site)
        return {path for wheel in wheels for path in wheel_targets(root, site, wheel)}

    def _taken(self) -> list[str]:
        """Files that stay and that a wheel would write over, also through a link."""
        root, goes = Path(self.root), frozenset(self.family_files())
        there = (p for p in self._targets() if os.path.lexists(p) and not p.is_dir())
        return sorted(str(path) for path in there if _relative(path, root) not in goes)

    def _require_one_file_system(self) -> None:
        """Raise Trouble for files below a mount of their own: no renaming leads out of it."""
        here = os.path.realpath(self.root)
        mounted = (mount.path for mount in mounts_in(LiveHost().read(MOUNTS)))
        inside = tuple(f"{place}/" for place in mounted if place.startswith(f"{here}/"))
        for path in self.family_files() if inside else ():
            if f"{here}/{path}".startswith(inside):
                raise Trouble(
                    f"{here}/{path} is on a separate mount inside the environment.",
                    "The backup works by moving files, and files cannot be moved from one mount to "
                    "another. Nothing was changed.",
                    "Choose a new folder with --venv, or first unmount the file system inside the "
                    "environment.",
                )

    def _listed(self, system: System) -> Iterator[Progress]:
        aside = self.aside
        paths = tuple(sorted({*self.family_files(), *self._stale_bytecode()}))
        total = sum((aside.root / path).lstat().st_size for path in paths)
        done, rows = 0, []
        for number, path in enumerate(paths):
            if system.cancelled():
                raise Stopped
            row = seen_row(aside.root, path)
            done += row.size
            rows.append(row)
            if number % 200 == 0:
                yield Progress(done, total, "bytes", path, None)
        system.make_private_folder(self.backup)
        contents = read_live_contents(LiveHost(), self.root)
        if contents is not None and self.backup == f"{self.root}/{OURS}":
            system.write(str(aside.root / BEFORE), json.dumps(asdict(contents)))
        system.list_backup(aside, (*folder_rows(aside.root, paths), *rows))


def _require_readable(site: Path, info: Path) -> None:
    if not has_readable_record(site, info):
        raise Trouble(
            f"{info}/RECORD cannot be read completely.",
            "This file lists the package's files. With an incomplete list, some of those files "
            "would not be moved. Nothing was changed.",
            "Install the package again with pip, or choose a new folder with --venv.",
        )


def _relative(path: Path, root: Path) -> str:
    """The path as the list of a backup has it."""
    return os.path.relpath(os.path.normpath(path), root)


def _move(aside: Backup, system: System) -> None:
    try:
        system.move_aside(aside)
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
