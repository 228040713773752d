"""Which ROCm packages the system holds and where apt takes packages from, as parts of a machine."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.apt.indexes import amd_versions
from wizard.apt.packages import (
    INSTALLED,
    Package,
    PackageWork,
    installed_rows,
    no_work,
    package_work,
    rocm_packages,
)
from wizard.apt.sources import APT, LISTS, PARTS, AptSource, apt_sources
from wizard.core.fact import Fact, Unknown, known
from wizard.host.host import Host
from wizard.machine.part import Found, Part


@dataclass(frozen=True, slots=True)
class PackageFacts:
    """What one listing of all packages tells."""

    rocm: Fact[tuple[Package, ...]]
    work: PackageWork


def read_packages(host: Host) -> Found[PackageFacts]:
    """ROCm packages that dpkg or rpm holds for installed, and the state of all packages."""
    rows = installed_rows(host)
    work = package_work(host, rows)
    if isinstance(rows, Unknown):
        return Found(PackageFacts(rows, work))
    index, unread = amd_versions(host)
    return Found(PackageFacts(rocm_packages(host, rows, index), work), unread)


def _tell(facts: PackageFacts) -> tuple[str, tuple[str, ...]]:
    packages = facts.rocm
    lines = tuple(_work_lines(facts.work))
    if isinstance(packages, Unknown):
        return f"unknown, because {packages.because}", lines
    lines += tuple(_line(package) for package in packages)
    if not packages:
        return "none", lines
    amd = sum(package.origin == "amd" for package in packages)
    unclear = sum(package.origin == "unclear" for package in packages)
    rest = f", {unclear} of unclear origin" if unclear else ""
    return f"{amd} from AMD, {len(packages) - amd - unclear} from the distribution{rest}", lines


def _line(package: Package) -> str:
    grounds = f", judging by {package.grounds}" if package.grounds else ""
    notes = [
        *([package.state] if package.state != INSTALLED else []),
        *(["held"] if package.held else []),
        *(["its folder is gone"] if package.missing else []),
    ]
    return "; ".join([f"{package.name} {package.version} ({package.origin}{grounds})", *notes])


def _work_lines(work: PackageWork) -> list[str]:
    lines = [f"not fully installed: {name}" for name in known(work.unfinished, ())]
    if isinstance(work.lock_holder, Unknown):
        why = work.lock_holder.because
        lines.append(f"it is unknown whether packages are being installed, because {why}")
    elif work.lock_holder:
        lines.append(f"{work.lock_holder} is installing or removing packages now")
    elif work.interrupted:
        lines.append("dpkg was interrupted: run dpkg --configure -a to finish its work")
    return lines


PACKAGES: Part[PackageFacts] = Part(
    title="ROCm packages",
    source="dpkg-query or rpm, /var/lib/apt/lists, /proc/locks",
    read=read_packages,
    without=lambda why: PackageFacts(why, no_work(why)),
    tell=_tell,
)
"""ROCm packages of the system, and the state of the package system."""


def _tell_sources(sources: tuple[AptSource, ...]) -> tuple[str, tuple[str, ...]]:
    amd = [source for source in sources if source.amd]
    off = sum(not source.enabled for source in amd)
    entries = "1 entry" if len(sources) == 1 else f"{len(sources)} entries"
    summary = f"{entries}, {len(amd)} from AMD" + (f" ({off} disabled)" if off else "")
    return summary if sources else "none", tuple(_source_line(source) for source in amd)


def _source_line(source: AptSource) -> str:
    words = " ".join((*source.uris, *source.suites, *source.components))
    key = f"signed by {source.signed_by}" if source.signed_by else "signed by any key apt trusts"
    return f"{source.file}:{source.line}: {words}; {key}{'' if source.enabled else '; disabled'}"


APT_SOURCES: Part[tuple[AptSource, ...]] = Part(
    title="Package sources",
    source=f"{APT}/sources.list, {PARTS}, {LISTS}",
    read=lambda host: Found(*apt_sources(host)),
    tell=_tell_sources,
)
"""Where apt takes packages from."""
