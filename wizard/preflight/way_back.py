"""The way back, looked at beforehand: where each package that goes could come from again."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from wizard.apt.dependencies import dependents
from wizard.apt.indexes import PackageRecord, package_records
from wizard.apt.packages import Versions
from wizard.core.trouble import NoWayBack, Trouble
from wizard.host.host import Host
from wizard.plan.room import ARCHIVES
from wizard.plan.root_steps import AptChange, KeepDebs
from wizard.plan.steps import Step
from wizard.preflight.apt_view import make_view, status_of
from wizard.preflight.asking import Asking
from wizard.preflight.resolving import SIMULATION_S

AGAIN = "Configure their archive again and run `sudo apt-get update`"


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the packages that a plan removes can be had again."""

    cached: Versions
    """Their files lie in apt's cache."""
    downloadable: Versions
    missing: Versions
    """Neither in apt's cache nor in the index of an archive."""
    dependent: Versions
    """Of these there are files, but they need some that go for good."""
    backup_bytes: int
    """What keeping them takes, at most."""

    @property
    def lost(self) -> Versions:
        """What nothing could put back."""
        return (*self.missing, *self.dependent)


NOTHING = Sources((), (), (), (), 0)


async def sources_of(steps: Iterable[Step], asking: Asking) -> Sources:
    """Where everything can be had again that the ``KeepDebs`` among the steps keep."""
    steps = tuple(steps)
    keeping = (step for step in steps if isinstance(step, KeepDebs) and not step.coming)
    pairs = tuple(pair for step in keeping for pair in step.packages)
    if not pairs:
        return NOTHING
    now = make_view(asking.folder / "now", (), asking.root)  # before anything is moved
    argv = ("apt-cache", *now.options, "show", "--all-versions", *(name for name, _ in pairs))
    answer = await asking.programs.ask(argv, SIMULATION_S)
    records = _by_version(package_records(answer.text))
    cached = tuple(pair for pair in pairs if _in_cache(asking.host, pair))
    rest = tuple(pair for pair in pairs if pair not in cached)
    downloadable = tuple(p for p in rest if p in records and records[p].downloadable)
    missing = tuple(pair for pair in rest if pair not in downloadable)
    given_up = {pair for step in steps if isinstance(step, AptChange) for pair in step.for_good}
    dependent = _dependent((*cached, *downloadable), {*missing, *given_up}, asking)
    kept = tuple(pair for pair in pairs if pair not in (*missing, *dependent))
    return Sources(
        tuple(pair for pair in cached if pair in kept),
        tuple(pair for pair in downloadable if pair in kept),
        missing,
        dependent,
        sum(_size(pair, records) for pair in kept),
    )


def no_way_back(sources: Sources, *, waivable: bool = True) -> Trouble:
    """Why packages are not removed of which some are lost; every one of them is named.

    ``waivable``: the plan can be made anew so that it removes them for good.
    """
    happened = []
    if sources.missing:
        happened.append(
            "Neither apt's cache nor any configured archive has the package files for "
            f"{_named(sources.missing)}."
        )
    if sources.dependent:
        happened.append(
            "These packages depend on others that would be missing, so they could not be restored "
            f"either: {_named(sources.dependent)}."
        )
    otherwise = (
        "run again with --without-rollback to remove them permanently"
        if waivable
        else f"remove them yourself: sudo apt-get purge {' '.join(n for n, _ in sources.lost)}"
    )
    kind = NoWayBack if waivable else Trouble
    return kind(
        " ".join(happened),
        "Rollback could not restore the removed packages. Nothing was changed.",
        f"{AGAIN}, or {otherwise}.",
    )


def _named(packages: Versions) -> str:
    return ", ".join(f"{name} {version}" for name, version in packages)


def _dependent(kept: Versions, lost: Collection[tuple[str, str]], asking: Asking) -> Versions:
    """Those that could not come back although there are files of them."""
    if not kept or not lost:
        return ()
    names = [{name for name, _ in packages} for packages in (lost, kept)]
    found = dependents(status_of(asking.root), *names)
    return tuple(pair for pair in kept if pair[0] in found)


def _by_version(records: tuple[PackageRecord, ...]) -> dict[tuple[str, str], PackageRecord]:
    """The record of an index outranks that of dpkg, which knows of no file."""
    ordered = sorted(records, key=lambda record: record.downloadable)
    return {(one.name, one.version): one for one in ordered}


def _in_cache(host: Host, pair: tuple[str, str]) -> bool:
    name, version = pair
    base, _, architecture = name.partition(":")
    start = f"{ARCHIVES}/{base}_{version.replace(':', '%3a')}"
    kinds = (architecture,) if architecture else ("amd64", "all")
    return any(host.is_file(f"{start}_{kind}.deb") for kind in kinds)


def _size(pair: tuple[str, str], records: dict[tuple[str, str], PackageRecord]) -> int:
    record = records.get(pair)
    if record is None:
        return 0
    return record.download_bytes if record.downloadable else record.installed_bytes
