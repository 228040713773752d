"""The way back, rehearsed: where each package that goes could come from again."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.machine.host import Host
from wizard.plan.root_steps import KeepDebs, Versions
from wizard.plan.steps import Plan
from wizard.preflight.apt_view import make_view
from wizard.preflight.archive_records import PackageRecord, package_records
from wizard.preflight.asking import Asking
from wizard.preflight.resolving import SIMULATION_S
from wizard.preflight.room import ARCHIVES

SHOWN = 6


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the packages that a plan removes can be had again."""

    cached: Versions
    """Their files lie in apt's cache."""
    downloadable: Versions
    remade: Versions
    """In no index any more: their files are packed again from what is installed."""
    backup_bytes: int
    """What keeping them takes, at most."""

    def notes(self) -> tuple[str, ...]:
        """What the user should know of it."""
        if not self.remade:
            return ()
        names = [f"{name} {version}" for name, version in self.remade]
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        return (
            f"No archive has {', '.join(names[:SHOWN])}{more} any more. For the way back they are "
            "packed again from what is installed; what was deleted of them is lost already.",
        )


async def sources_of(plan: Plan, asking: Asking) -> Sources:
    """Where everything that the plan's ``KeepDebs`` names can be had."""
    pairs = tuple(
        pair for step in plan.steps if isinstance(step, KeepDebs) for pair in step.packages
    )
    if not pairs:
        return Sources((), (), (), 0)
    now = make_view(asking.folder / "now", (), asking.root)  # before anything is moved
    argv = ("apt-cache", *now.options, "show", "--all-versions", *(name for name, _ in pairs))
    answer = await asking.programs.ask(argv, SIMULATION_S)
    records = _by_version(package_records(answer.text))
    cached = tuple(pair for pair in pairs if _in_cache(asking.host, pair))
    rest = [pair for pair in pairs if pair not in cached]
    downloadable = tuple(p for p in rest if p in records and records[p].downloadable)
    remade = tuple(pair for pair in rest if pair not in downloadable)
    return Sources(cached, downloadable, remade, sum(_size(pair, records) for pair in pairs))


def _by_version(records: tuple[PackageRecord, ...]) -> dict[tuple[str, str], PackageRecord]:
    """The record of an index outranks that of dpkg, which knows of no file."""
    ordered = sorted(records, key=lambda record: record.downloadable)
    return {(one.name, one.version): one for one in ordered}


def _in_cache(host: Host, pair: tuple[str, str]) -> bool:
    name, version = pair
    start = f"{ARCHIVES}/{name}_{version.replace(':', '%3a')}"
    return any(host.is_file(f"{start}_{kind}.deb") for kind in ("amd64", "all"))


def _size(pair: tuple[str, str], records: dict[tuple[str, str], PackageRecord]) -> int:
    record = records.get(pair)
    if record is None:
        return 0
    return record.download_bytes if record.downloadable else record.installed_bytes
