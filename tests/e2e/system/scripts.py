"""Maintainer scripts of the stand-in packages: what AMD's do to a system, in our own words.

Each function gives the scripts of one package, which lies below ``prefix``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Scripts = Mapping[str, str]
TOOLS = "rocminfo rocm_agent_enumerator rocm-smi hipcc hipconfig amdclang rocgdb"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a package lies and of which release it is."""

    prefix: str
    release: str
    number: str
    build: str
    upstream: str
    """The version without epoch, as dkms and ``/usr/src`` name it."""


def rocm_core(place: Place) -> Scripts:
    """The alternative ``/opt/rocm``.

    Its priority holds the minutes since 2020-09-13, as AMD's does: installing the same package
    again later gives another priority, so that its record never comes back byte for byte.
    """
    configure = f'update-alternatives --install /opt/rocm rocm {place.prefix} "$score"'
    remove = f"update-alternatives --remove rocm {place.prefix}"
    return {"postinst": _on("configure", _score(place), configure), "prerm": _prerm(remove)}


def programs(place: Place) -> Scripts:
    """Alternatives below ``/usr/bin`` for programs that are there, as AMD's metapackages do it."""
    source = f'"{place.prefix}/bin/$name"'
    configure = (
        f"for name in {TOOLS}; do",
        f"    [ -e {source} ] || continue",
        f'    update-alternatives --install "/usr/bin/$name" "$name" {source} "$score"',
        "done",
    )
    remove = (
        f"for name in {TOOLS}; do",
        f'    update-alternatives --remove "$name" {source} || true',
        "done",
    )
    return {"postinst": _on("configure", _score(place), *configure), "prerm": _prerm(*remove)}


def rocm_llvm(place: Place) -> Scripts:
    """Links to the compilers, of which dpkg knows nothing."""
    names = "amdclang amdclang++ amdlld amdflang"
    configure = (
        f"mkdir -p {place.prefix}/bin",
        f'for name in {names}; do ln -sf "../llvm/bin/$name" {place.prefix}/bin/; done',
    )
    remove = f'for name in {names}; do rm -f "{place.prefix}/bin/$name"; done'
    return {"postinst": _on("configure", *configure), "prerm": _prerm(remove)}


def rocm_opencl(place: Place) -> Scripts:
    """The vendor file and the loader's path, of which dpkg knows nothing."""
    vendor = f"/etc/OpenCL/vendors/amdocl64_{place.number}_{place.build}.icd"
    loader = "/etc/ld.so.conf.d/10-rocm-opencl.conf"
    configure = (
        "mkdir -p /etc/OpenCL/vendors",
        f"echo libamdocl64.so >{vendor}",
        f"echo {place.prefix}/lib >{loader}",
        "ldconfig",
    )
    remove = f"rm -f {vendor} {loader}"
    return {"postinst": _on("configure", *configure), "prerm": _prerm(remove, "ldconfig")}


def rocm_smi_lib(place: Place) -> Scripts:
    """A log that everybody may write, which stays when the package goes; so do the real one's."""
    folder = "/var/log/rocm_smi_lib"
    configure = (
        f"mkdir -p {folder}",
        f"touch {folder}/ROCm-SMI-lib.log",
        f"chmod -R a+rw {folder}",
    )
    remove = f"rm -rf {place.prefix}/libexec/rocm_smi/__pycache__"
    return {"postinst": _on("configure", *configure), "prerm": _prerm(remove)}


def amdgpu_dkms(place: Place) -> Scripts:
    """A module that does not build on the running kernel."""
    module = f"amdgpu/{place.upstream}"
    configure = (
        f'echo "Loading new {module} DKMS files..."',
        'echo "Error! Bad return status for module build on kernel: $(uname -r) (x86_64)"',
        f'echo "Consult /var/lib/dkms/{module}/build/make.log for more information."',
        "exit 10",
    )
    return {"postinst": _on("configure", *configure)}


SCRIPTS: Mapping[str, Callable[[Place], Scripts]] = {
    "rocm_core": rocm_core,
    "programs": programs,
    "rocm_llvm": rocm_llvm,
    "rocm_opencl": rocm_opencl,
    "rocm_smi_lib": rocm_smi_lib,
    "amdgpu_dkms": amdgpu_dkms,
}


def _score(place: Place) -> str:
    """Three digits of the release in a number of base 14, then the minutes."""
    major, minor, patch = map(int, place.release.split("."))
    rank = ((major - 3) * 14 + minor) * 14 + patch
    return f"score=$(({rank} * 1000000 + ($(date +%s) - 1600000000) / 60))"


def _on(action: str, *lines: str) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f'#!/bin/sh\nset -e\nif [ "$1" = {action} ]; then\n{body}\nfi\n'


def _prerm(*lines: str) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f'#!/bin/sh\nset -e\ncase "$1" in remove|upgrade)\n{body}\n;; esac\n'
