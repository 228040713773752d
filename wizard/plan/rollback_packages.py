"""Where each package that a plan removes could come from again, looked at beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wizard.apt.dependencies import dependents
from wizard.apt.indexes import PackageRecord
from wizard.apt.packages import Versions
from wizard.apt.view import Asking, make_view, status_of
from wizard.core.trouble import NoRollback, Trouble
from wizard.host.host import Host
from wizard.operations.packages import AptChange, KeepDebs
from wizard.plan.room import ARCHIVES
from wizard.plan.steps import Step


@dataclass(frozen=True, slots=True)
class RollbackFiles:
    """Of which packages that a plan removes no package file can be had again."""

    missing: Versions = ()
    """Neither in apt's cache nor in the index of an archive."""
    dependent: Versions = ()
    """Of these there are files, but they need some that go for good."""
    backup_bytes: int = 0
    """What keeping all others takes, at most."""

    @property
    def lost(self) -> Versions:
        """What nothing could put back."""
        return (*self.missing, *self.dependent)


async def find_rollback_files(steps: Iterable[Step], asking: Asking) -> RollbackFiles:
    """Where everything can be had again that the ``KeepDebs`` among the steps keep."""
    steps = tuple(steps)
    keeping = (step for step in steps if isinstance(step, KeepDebs) and not step.coming)
    pairs = tuple(pair for step in keeping for pair in step.packages)
    if not pairs:
        return RollbackFiles()
    now = make_view(asking.folder / "now", asking.programs, {}, root=asking.root)
    found = await now.records("--all-versions", *(name for name, _ in pairs))
    # The record of an index outranks that of dpkg, which knows of no file.
    found = tuple(sorted(found, key=lambda record: record.downloadable))
    records = {(one.name, one.version): one for one in found}

    fetchable = {pair for pair, record in records.items() if record.downloadable}
    kept = [pair for pair in pairs if pair in fetchable or _in_cache(asking.host, pair)]
    missing = tuple(pair for pair in pairs if pair not in kept)
    given_up = (pair for step in steps if isinstance(step, AptChange) for pair in step.for_good)
    gone = {name for name, _ in (*missing, *given_up)}
    needy = (
        dependents(status_of(asking.root), gone, {name for name, _ in kept})
        if gone
        else frozenset()
    )
    return RollbackFiles(
        missing,
        tuple(pair for pair in kept if pair[0] in needy),
        sum(_size(records.get(pair)) for pair in kept if pair[0] not in needy),
    )


def no_rollback(files: RollbackFiles, *, waivable: bool = True) -> Trouble:
    """Why packages are not removed of which some are lost; every one of them is named.

    ``waivable``: the plan can be made anew so that it removes them for good.
    """
    happened = []
    if files.missing:
        happened.append(
            "Neither apt's cache nor any configured archive has the package files for "
            f"{_named(files.missing)}."
        )
    if files.dependent:
        happened.append(
            "These packages depend on others that would be missing, so they could not be restored "
            f"either: {_named(files.dependent)}."
        )
    otherwise = (
        "run again with --without-rollback to remove them permanently"
        if waivable
        else f"remove them yourself: sudo apt-get purge {' '.join(n for n, _ in files.lost)}"
    )
    kind = NoRollback if waivable else Trouble
    return kind(
        " ".join(happened),
        "Rollback could not restore the removed packages. Nothing was changed.",
        f"Configure their archive again and run `sudo apt-get update`, or {otherwise}.",
    )


def _named(packages: Versions) -> str:
    return ", ".join(f"{name} {version}" for name, version in packages)


def _in_cache(host: Host, pair: tuple[str, str]) -> bool:
    name, version = pair
    base, _, architecture = name.partition(":")
    start = f"{ARCHIVES}/{base}_{version.replace(':', '%3a')}"
    kinds = (architecture,) if architecture else ("amd64", "all")
    return any(host.is_file(f"{start}_{kind}.deb") for kind in kinds)


def _size(record: PackageRecord | None) -> int:
    if record is None:
        return 0
    return record.download_bytes if record.downloadable else record.installed_bytes
