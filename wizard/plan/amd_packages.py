"""Which packages go when AMD's ROCm goes: an exact list, of which every name was seen installed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wizard.apt.packages import Package, is_rocm, without_architecture
from wizard.core.fact import Unknown, known
from wizard.knowledge.stacks import load_catalogue
from wizard.machine.facts import Machine
from wizard.plan.impossible import PlanImpossible

AMD, DISTRIBUTION, DRIVER = "amd", "distribution", "driver"
SCOPES = (AMD, DISTRIBUTION, DRIVER)
"""What may be removed: AMD's ROCm, the distribution's ROCm, AMD's kernel driver package."""
DRIVERS = frozenset(
    {
        "amdgpu-dkms",
        "amdgpu-dkms-firmware",
        "amdgpu-dkms-headers",
        "rock-dkms",
        "rock-dkms-firmware",
    }
)
INSTALLER = "amdgpu-install"
"""Owns the files of AMD's apt sources."""
GRAPHICS = re.compile(r"amdgpu(?:-(?!dkms|install).*)?")
"""AMD's builds of mesa, libdrm and X drivers, and what they need: not ROCm, and never removed."""
RELEASE = re.compile(r"\.([4-9])([01]\d)0(\d)-\d+")
"""In ``2.20.0.50701-98~22.04``, the release 5.7.1."""
OWN_RELEASE = re.compile(r"\d+\.\d+\.\d+$")
"""At the end of ``rocm-core5.2.0``, which lives beside ``rocm-core``."""
UNASKED = (
    "AMD's kernel driver package ({}) will also be removed. It is half installed, and apt will "
    "fail until it is removed. The kernel's own driver is kept."
)
BROKEN = ("half-configured", "half-installed", "unpacked", "must be reinstalled")


@dataclass(frozen=True, slots=True)
class Going:
    """What would be removed, and what would stay although it looks like ROCm."""

    packages: tuple[Package, ...]
    stays: tuple[Package, ...]
    """Of AMD's, still installed afterwards."""
    notes: tuple[str, ...]
    amd: bool
    """True when AMD's ROCm is to go, or is to be exchanged for another release of it."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the packages that go."""
        return tuple(package.name for package in self.packages)

    @property
    def rocm_stays(self) -> bool:
        """True when some of AMD's ROCm is still installed afterwards."""
        return any(not _is_other(one) and one.name != INSTALLER for one in self.stays)

    @property
    def driver_stays(self) -> bool:
        """True when AMD's kernel driver or graphics packages are still installed afterwards."""
        return any(map(_is_other, self.stays))


def going(machine: Machine, scopes: tuple[str, ...], kept_release: str = "") -> Going:
    """What goes by these scopes; raises PlanImpossible where nobody could tell what is installed.

    Packages of ``kept_release`` stay, because a plan is about to complete them.
    """
    packages = machine.rocm_packages
    if isinstance(packages, Unknown):
        raise PlanImpossible(
            f"The list of installed packages cannot be read: {packages.because}. Removing "
            "packages requires an exact list, so no plan was "
            "made."
        )
    asked = DRIVER in scopes
    if AMD in scopes and broken_driver(machine):
        scopes = (*scopes, DRIVER)
    out = [one for one in packages if _goes(one, scopes, kept_release)]
    if any(_is_other(one) for one in packages if one.origin == "amd" and one not in out):
        out = [one for one in out if one.name != INSTALLER]  # it has the sources of what stays
    stays = tuple(one for one in packages if one.origin == "amd" and one not in out)
    return Going(
        tuple(out), stays, tuple(_notes(packages, out, scopes, asked=asked)), AMD in scopes
    )


def scopes_of(*, distribution: bool, driver: bool) -> tuple[str, ...]:
    """AMD's ROCm, and what was asked for beside it."""
    more = ((DISTRIBUTION, distribution), (DRIVER, driver))
    return (AMD, *(scope for scope, wanted in more if wanted))


def drivers_of(machine: Machine) -> tuple[str, ...]:
    """AMD's kernel driver packages that are installed, by name."""
    packages = known(machine.rocm_packages, ())
    return tuple(one.name for one in packages if one.name in DRIVERS and one.origin == "amd")


def broken_driver(machine: Machine) -> tuple[str, ...]:
    """The same where one of them is half installed: they go with ROCm, or apt would fail."""
    packages = known(machine.rocm_packages, ())
    broken = any(one.name in DRIVERS and is_broken(one) for one in packages)
    return drivers_of(machine) if broken else ()


def release_of(package: Package) -> str:
    """The ROCm release that a version of AMD's names, such as ``5.7.1``; ``""`` for none."""
    found = RELEASE.search(package.version)
    return f"{found[1]}.{int(found[2])}.{found[3]}" if found else ""


def is_broken(package: Package) -> bool:
    """True for a package at which dpkg stopped half-way: every later call of apt fails on it."""
    return any(word in package.state for word in BROKEN)


def _goes(package: Package, scopes: tuple[str, ...], kept_release: str) -> bool:
    if package.origin == "distribution":
        return DISTRIBUTION in scopes and not _is_graphics(package)
    if package.origin != "amd" or AMD not in scopes or _is_graphics(package):
        return False
    if package.name in DRIVERS:
        return DRIVER in scopes
    kept = kept_release and release_of(package) == kept_release
    own = OWN_RELEASE.search(without_architecture(package.name))
    return not (kept and not own and not is_broken(package))


def _is_other(package: Package) -> bool:
    return package.name in DRIVERS or _is_graphics(package)


def _is_graphics(package: Package) -> bool:
    name = without_architecture(package.name)
    return not is_rocm(name) or GRAPHICS.fullmatch(name) is not None


def _notes(
    packages: tuple[Package, ...], out: list[Package], scopes: tuple[str, ...], *, asked: bool
) -> list[str]:
    unasked = [] if asked else [one.name for one in out if one.name in DRIVERS]
    unclear = [f"{one.name} {one.version} ({one.grounds})" for one in packages if _unclear(one)]
    left = [one for one in packages if one.origin == "amd" and one not in out]
    drivers = [one.name for one in left if one.name in DRIVERS]
    graphics = [one.name for one in left if _is_graphics(one)]
    theirs = [one.name for one in packages if one.origin == "distribution" and one not in out]
    told = (
        (unasked, UNASKED),
        (unclear, "These packages are kept, because their origin is not clear: {}."),
        (drivers if AMD in scopes else [], "AMD's kernel driver ({}) works and is kept."),
        (
            graphics if AMD in scopes else [],
            ("AMD's graphics packages are kept, because they are not part of ROCm: {}."),
        ),
        (theirs, "The distribution's own ROCm packages are kept: {}."),
    )
    return [text.format(_few(names)) for names, text in told if names]


def _unclear(package: Package) -> bool:
    return package.origin == "unclear"


def _few(names: list[str], shown: int = 6) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return f"{', '.join(names[:shown])}{more}"


def uses_apt(machine: Machine) -> bool:
    """False on a system that is known to install its packages otherwise."""
    name = machine.system.distribution
    return not isinstance(name, str) or name in load_catalogue().distributions


def require_apt(machine: Machine) -> None:
    """Raise PlanImpossible on such a system."""
    if not uses_apt(machine):
        raise PlanImpossible(
            f"As far as this program knows, {machine.system.distribution} does not use apt. "
            "System packages can be installed and removed only on Debian, Ubuntu and systems "
            "based on them. --footprint venv needs no system packages."
        )
