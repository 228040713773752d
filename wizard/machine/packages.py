"""Reads which ROCm packages the system holds, and whose each of them really is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wizard.core.fact import Fact, Unknown
from wizard.host.host import Host
from wizard.machine.apt.indexes import Versions, amd_versions
from wizard.machine.dpkg_files import opt_folders
from wizard.machine.facts import Package, PackageWork
from wizard.machine.package_states import INSTALLED, Row, installed_rows
from wizard.machine.package_work import no_work, package_work
from wizard.machine.part import Found, Part
from wizard.machine.rocm_names import is_rocm, may_be_amds_graphics, without_architecture

AMD_VERSION = re.compile(r"\.[4-9][01]\d0\d-\d+|-\d{7}\b|-\d+~2\d\.04$")
"""AMD writes the ROCm release into each version, as in ``2.20.0.50701-98~22.04``, a build number of
seven digits, as in amdgpu-dkms ``1:6.8.5.60200-2009582.24.04``, or at least its build and the
Ubuntu that it is for, as in rocprofiler-sdk ``1.0.0-56~22.04``."""
AMD = ("amd.com", "advanced micro devices")
DISTRIBUTORS = ("debian.org", "ubuntu.com", "fedora", "linuxmint.com")


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
    index = amd_versions(host)
    return Found(PackageFacts(rocm_packages(host, rows, index.value), work), index.unread)


def rocm_packages(host: Host, rows: list[Row], index: Versions) -> tuple[Package, ...]:
    """Those that are ROCm's by name, AMD's by index or both marks, sorted by name."""
    found = (row for row in rows if is_rocm(row.name) or _is_amds(row, index))
    packages = {_package(host, row, index) for row in found}
    return tuple(sorted(packages, key=lambda package: (package.name, package.version)))


def _is_amds(row: Row, index: Versions) -> bool:
    """True for what is AMD's beside ROCm: its installer's graphics packages, above all."""
    if (without_architecture(row.name), row.version) in index:
        return True
    return may_be_amds_graphics(row.name) and _origin(row, index)[0] == "amd"


def _package(host: Host, row: Row, index: Versions) -> Package:
    origin, grounds = _origin(row, index)
    return Package(
        name=row.name,
        version=row.version,
        origin=origin,
        grounds=grounds,
        state=row.state,
        held=row.held,
        missing=origin != "distribution" and _is_missing(host, row.name),
    )


def _origin(row: Row, index: Versions) -> tuple[str, str]:
    """A package is AMD's only if its installed version is; with the source gone, two marks tell."""
    if (without_architecture(row.name), row.version) in index:
        return "amd", "index"
    who = row.maintainer.lower()
    version = AMD_VERSION.search(row.version) is not None
    maintainer = any(name in who for name in AMD)
    if version and maintainer:
        return "amd", "version and maintainer"
    if any(name in who for name in DISTRIBUTORS) or not (version or maintainer):
        return "distribution", ""
    return "unclear", "version alone" if version else "maintainer alone"


def _is_missing(host: Host, name: str) -> bool:
    """True after somebody's ``rm -rf /opt/rocm*``, of which dpkg knows nothing."""
    folders = opt_folders(host, name)
    return bool(folders) and not any(host.is_folder(folder) for folder in folders)


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
    unfinished = () if isinstance(work.unfinished, Unknown) else work.unfinished
    lines = [f"not fully installed: {name}" for name in unfinished]
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
