"""Reads what ROCm the system holds: folders below ``/opt`` and installed packages."""

from __future__ import annotations

import re

from wizard.machine.facts import Fact, Package, RocmTree, Unknown
from wizard.machine.host import Host, Query
from wizard.machine.part import Found, Part

OPT = "/opt"
VERSION_FILES = (".info/version", ".info/version-dev", ".info/version-utils")
RELEASE = re.compile(r"\d+(?:\.\d+)+")
NAME = re.compile(
    r"(?:lib)?(?:rocm|rocminfo|roc(?:blas|fft|rand|solver|sparse|thrust|prim|alution|profiler|tracer"
    r"|wmma|decode|jpeg|al)|hip(?:blas|blaslt|cc|config|cub|fft|fort|ify|rand|solver|sparse|sparselt"
    r"|tensor|-runtime|-dev|-doc|-samples)|hsa-|hsakmt|hsa-?runtime|amdhip|amd-?comgr|comgr"
    r"|miopen|rccl|migraphx|mivisionx|composablekernel|half$|openmp-extras|amd-smi|amdgpu-install"
    r"|amdgpu-dkms|amdgpu-core|amdrocm|rpp$|rpp-|rocgdb|rdc$)",
    re.IGNORECASE,
)
AMD_VERSION = re.compile(r"\.[5-9]0[0-9]0[0-9]-\d+")
"""AMD writes the ROCm release into each version: ``2.20.0.50701-98~22.04``."""
DISTRIBUTORS = ("debian.org", "ubuntu.com", "fedoraproject.org", "linuxmint.com")
AMD = ("amd.com", "advanced micro devices")
REMOVED = ("n", "c")
"""Second letter of dpkg's state: not installed, or only configuration files left."""


def read_rocm_trees(host: Host) -> Found[tuple[RocmTree, ...]]:
    """``/opt/rocm`` and ``/opt/rocm-*``."""
    names = host.names(OPT)
    if isinstance(names, Unknown):
        return Found((), (names,) if host.exists(OPT) else ())
    paths = [f"{OPT}/{name}" for name in names if name == "rocm" or name.startswith("rocm-")]
    return Found(tuple(_tree(host, path) for path in paths))


def read_rocm_packages(host: Host) -> Found[Fact[tuple[Package, ...]]]:
    """ROCm packages that dpkg or rpm holds for installed."""
    listing = host.ask(Query.DPKG_PACKAGES)
    if isinstance(listing, str):
        return Found(_packages(listing))
    rpm = host.ask(Query.RPM_PACKAGES)
    if isinstance(rpm, str):
        return Found(_packages(rpm))
    return Found(Unknown(f"{listing.because}, and {rpm.because}"))


def _tree(host: Host, path: str) -> RocmTree:
    target = host.link(path)
    return RocmTree(
        path=path,
        version=_version(host, path),
        link_to=target if isinstance(target, str) else None,
    )


def _version(host: Host, path: str) -> Fact[str]:
    for name in VERSION_FILES:
        text = host.read(f"{path}/{name}")
        if isinstance(text, str) and (match := RELEASE.match(text.strip())):
            return match[0]
    return Unknown(f"{path} has no .info/version, so it may be a leftover")


def _packages(listing: str) -> tuple[Package, ...]:
    """Rows of name, version and, from dpkg, state and maintainer."""
    rows = (line.split("\t") for line in listing.splitlines())
    packages = (
        Package(row[0], row[1], _origin(row[1], row[3] if len(row) > 3 else ""))
        for row in rows
        if len(row) >= 2 and NAME.match(row[0]) and _is_installed(row)
    )
    return tuple(sorted(packages, key=lambda package: package.name))


def _is_installed(row: list[str]) -> bool:
    state = row[2].strip() if len(row) > 2 else "ii"
    return len(state) > 1 and state[1] not in REMOVED


def _origin(version: str, maintainer: str) -> str:
    """AMD's version pattern, unless the maintainer is a distribution; or AMD's own address."""
    who = maintainer.lower()
    if any(name in who for name in DISTRIBUTORS):
        return "distribution"
    is_amd = AMD_VERSION.search(version) or any(name in who for name in AMD)
    return "amd" if is_amd else "distribution"


def _tell_trees(trees: tuple[RocmTree, ...]) -> tuple[str, tuple[str, ...]]:
    real = [tree for tree in trees if tree.link_to is None]
    lines = tuple(_tree_line(tree) for tree in trees)
    return ", ".join(tree.path for tree in real) or "none", lines


def _tree_line(tree: RocmTree) -> str:
    if tree.link_to is not None:
        return f"{tree.path}: link to {tree.link_to}"
    version = tree.version
    return f"{tree.path}: {version.because if isinstance(version, Unknown) else version}"


def _tell_packages(packages: Fact[tuple[Package, ...]]) -> tuple[str, tuple[str, ...]]:
    if isinstance(packages, Unknown):
        return f"unknown, because {packages.because}", ()
    amd = sum(package.origin == "amd" for package in packages)
    lines = tuple(f"{one.name} {one.version} ({one.origin})" for one in packages)
    if not packages:
        return "none", lines
    return f"{amd} of AMD's, {len(packages) - amd} of the distribution's", lines


ROCM_TREES: Part[tuple[RocmTree, ...]] = Part(
    title="ROCm folders",
    source=f"{OPT}/rocm*",
    read=read_rocm_trees,
    without=lambda _: (),
    tell=_tell_trees,
)
"""ROCm below ``/opt``."""

ROCM_PACKAGES: Part[Fact[tuple[Package, ...]]] = Part(
    title="ROCm packages",
    source="dpkg-query or rpm",
    read=read_rocm_packages,
    without=lambda why: why,
    tell=_tell_packages,
)
"""ROCm packages of the system."""
