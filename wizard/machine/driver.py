"""Reads which amdgpu is in use: the kernel's own, or one that DKMS built from AMD's package."""

from __future__ import annotations

import re

from wizard.host.host import Host
from wizard.machine.facts import Driver, Fact, Unknown
from wizard.machine.part import Found, Part

MODULE = "/sys/module/amdgpu"
VERSION_FILE = f"{MODULE}/version"
"""Only AMD's package states a version here; the module of the kernel has none (ollama#3425)."""
DKMS = "/var/lib/dkms/amdgpu"
VERSION = re.compile(r"\d[\w.+~:-]{0,60}")


def read_driver(host: Host) -> Found[Driver]:
    """The driver in use, and what DKMS holds of it."""
    loaded = host.is_folder(MODULE)
    version = _version(host) if loaded else Unknown("amdgpu is not loaded")
    return Found(
        Driver(
            loaded=loaded,
            origin=_origin(version),
            version=version if isinstance(version, str) else "",
            dkms=_dkms(host),
        )
    )


def _version(host: Host) -> Fact[str]:
    """What the driver states; ``""`` for the kernel's own."""
    if not host.exists(VERSION_FILE):
        return ""
    text = host.read(VERSION_FILE)
    if isinstance(text, Unknown):
        return text
    match = VERSION.fullmatch(text.strip())
    return match[0] if match else Unknown(f"{VERSION_FILE} has no version")


def _origin(version: Fact[str]) -> Fact[str]:
    if isinstance(version, Unknown):
        return version
    return "dkms" if version else "in-tree"


def _dkms(host: Host) -> tuple[str, ...]:
    """Folders only: the links beside them name the kernel that a version was built for."""
    names = host.folders(DKMS)
    if isinstance(names, Unknown):
        return ()
    return tuple(name for name in names if VERSION.fullmatch(name))


def _tell(driver: Driver) -> tuple[str, tuple[str, ...]]:
    held = f"DKMS has amdgpu {', '.join(driver.dkms)}" if driver.dkms else ""
    if not driver.loaded:
        return "amdgpu is not loaded", (held,) if held else ()
    if isinstance(driver.origin, Unknown):
        return "amdgpu, origin unknown", (f"unknown, because {driver.origin.because}",)
    if driver.origin == "dkms":
        return f"AMD's amdgpu {driver.version} (DKMS)", (held,) if held else ()
    unused = (f"{held}, which is not used",) if held else ()
    return "the kernel's own amdgpu", ("This driver came with the kernel (in-tree).", *unused)


DRIVER: Part[Driver] = Part(
    title="Graphics driver",
    source=f"{MODULE}, {DKMS}",
    read=read_driver,
    without=lambda why: Driver(loaded=False, origin=why, version="", dkms=()),
    tell=_tell,
)
"""The kernel's driver amdgpu."""
