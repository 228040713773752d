"""Reads what ROCm lies below ``/opt``, and which package put it there."""

from __future__ import annotations

import re

from wizard.apt.files import INFO, opt_folders
from wizard.host.host import Host
from wizard.machine.facts import Fact, RocmTree, Unknown
from wizard.machine.part import Found, Part

OPT = "/opt"
TREE = re.compile(r"(?:rocm|amdgpu)(?:-.+)?")
VERSION_FILES = (".info/version", ".info/version-dev", ".info/version-utils")
RELEASE = re.compile(r"\d{1,9}(?:\.\d{1,9})+")
OWNERS = (
    *("rocm-core", "hsa-rocr", "comgr", "rocm-llvm", "hip-runtime-amd", "rocminfo"),
    *("rocm-smi-lib", "rocm-device-libs", "amdrocm-core", "amdrocm-base"),
    *("amdgpu-core", "libdrm-amdgpu-common", "libdrm2-amdgpu"),
)
"""Packages that nearly every installation has. All lists of dpkg would be thousands of files."""


def read_rocm_trees(host: Host) -> Found[tuple[RocmTree, ...]]:
    """``/opt/rocm``, ``/opt/rocm-*`` and ``/opt/amdgpu*``."""
    names = host.names(OPT)
    if isinstance(names, Unknown):
        return Found((), (names,) if host.exists(OPT) else ())
    return Found(tuple(_tree(host, f"{OPT}/{name}") for name in names if TREE.fullmatch(name)))


def _tree(host: Host, path: str) -> RocmTree:
    target = host.link(path)
    return RocmTree(
        path=path,
        version=_version(host, path),
        link_to=target if isinstance(target, str) else None,
        owner=_owner(host, path),
    )


def _version(host: Host, path: str) -> Fact[str]:
    if path.startswith(f"{OPT}/amdgpu"):
        return Unknown(f"{path} reports no version")
    for name in VERSION_FILES:
        text = host.read(f"{path}/{name}")
        if isinstance(text, str) and (match := RELEASE.match(text.strip())):
            return match[0]
    return Unknown(f"{path} has no .info/version, so it may be a leftover")


def _owner(host: Host, path: str) -> Fact[str]:
    """Bare names, and those of one release: ``rocm-core5.2.0`` has ``/opt/rocm-5.2.0``."""
    if not host.is_folder(INFO):
        return Unknown(f"there is no {INFO}")
    release = RELEASE.search(path)
    names = (*OWNERS, *(f"{name}{release[0]}" for name in OWNERS if release))
    return next((name for name in names if path in opt_folders(host, name)), "")


def _tell(trees: tuple[RocmTree, ...]) -> tuple[str, tuple[str, ...]]:
    real = [tree for tree in trees if tree.link_to is None]
    lines = tuple(_line(tree) for tree in trees)
    return ", ".join(tree.path for tree in real) or "none", lines


def _line(tree: RocmTree) -> str:
    if tree.link_to is not None:
        return f"{tree.path}: link to {tree.link_to}"
    version = tree.version
    words = version.because if isinstance(version, Unknown) else version
    if isinstance(tree.owner, Unknown):
        return f"{tree.path}: {words}"
    owner = f"from package {tree.owner}" if tree.owner else "not from a package that dpkg knows"
    return f"{tree.path}: {words}, {owner}"


ROCM_TREES: Part[tuple[RocmTree, ...]] = Part(
    title="ROCm folders",
    source=f"{OPT}/rocm*, {OPT}/amdgpu*, {INFO}",
    read=read_rocm_trees,
    without=lambda _: (),
    tell=_tell,
)
"""ROCm below ``/opt``."""
