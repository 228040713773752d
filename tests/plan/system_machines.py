"""Machines with system packages, and what preflight would have found out about them."""

from __future__ import annotations

from dataclasses import replace

from tests.handmade import clean_jammy
from tests.machine.records import machine
from tests.preflight.asked import VALID
from wizard.apt.packages import LocalDeb, Package
from wizard.apt.sources import AptSource
from wizard.machine.detect import detect
from wizard.machine.facts import Machine, RocmTree, SystemFile
from wizard.plan.leftover_files import FilesNow, files_now
from wizard.plan.system import Offer, Prepared

KEY = VALID.decode()
RELEASES = {"5.7.1": "50701-98~22.04", "5.2.0": "50200-65", "7.0.2": "70002-56~24.04"}


def recorded(name: str) -> tuple[Machine, FilesNow]:
    """A recorded machine, and the files on it that plans edit."""
    host = machine(name)
    found = detect(host)
    return found, files_now(host, found)


def amd(name: str, release: str = "5.7.1", **facts: str | bool) -> Package:
    """A package of AMD's, installed as it should be."""
    version = f"1.0.0.{RELEASES[release]}"
    package = Package(name, version, "amd", "index", "installed", held=False, missing=False)
    return package._replace(**facts)  # type: ignore[arg-type]


def distribution(name: str, version: str = "5.7.1-3build1") -> Package:
    """A ROCm package of the distribution's own."""
    return Package(name, version, "distribution", "", "installed", held=False, missing=False)


def source(file: str, uri: str, *, line: int = 1, whose: str = "amd") -> AptSource:
    """An entry of apt's sources."""
    suites, key = ("jammy",), "/etc/apt/keyrings/rocm.gpg" if whose == "amd" else ""
    return AptSource(file, line, ("deb",), (uri,), suites, ("main",), key, True, whose == "amd")


ROCM_LIST = "/etc/apt/sources.list.d/rocm.list"
ROCM = "https://repo.radeon.com/rocm/apt/5.7.1"
AMDGPU = "https://repo.radeon.com/amdgpu/5.7.1/ubuntu"


def with_packages(*packages: Package, release: str = "5.7.1") -> Machine:
    """A machine set up as AMD's guide says, with these packages."""
    return replace(
        clean_jammy(),
        rocm_packages=packages,
        rocm_trees=(
            RocmTree("/opt/rocm", release, "/etc/alternatives/rocm", ""),
            RocmTree(f"/opt/rocm-{release}", release, None, "rocm-core"),
        ),
        apt_sources=(source(ROCM_LIST, ROCM),),
        system_files=(
            SystemFile("/etc/apt/keyrings/rocm.gpg", "key", "contains AMD's ROCm release key"),
            SystemFile("/etc/apt/preferences.d/rocm-pin-600", "pin", "priority 600 for *"),
        ),
    )


def offer(*debs: LocalDeb) -> Offer:
    """What a repository might have."""
    install = (("rocm-core", "5.2.0.50200-65"), ("rocminfo", "1.0.0.50200-65"))
    brought = (*install, *((deb.name, deb.version) for deb in debs), ("pciutils", "1:3.9.0-4"))
    return Offer("ubuntu", KEY, install, debs, brought, 4_000_000, 9_000_000)


def prepared(*debs: LocalDeb, files: FilesNow | None = None) -> Prepared:
    """All that a plan needs to be settled."""
    return Prepared(files or FilesNow(), offer(*debs))
