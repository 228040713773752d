"""Which packages are installed, in which state, and whose those of ROCm are; dpkg's locks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from assets.root.packages import DPKG_JOURNAL, DPKG_LOCKS, LIST_LOCKS
from wizard.apt.files import opt_folders
from wizard.core.fact import Fact, Unknown, known
from wizard.host.host import Host, Query
from wizard.host.mounts import MOUNTS, mounts_in

Versions = tuple[tuple[str, str], ...]
"""Names of packages with their exact versions."""
INSTALLED = "installed"
NATIVE = ":amd64"
"""The only architecture that ROCm is made for, beside libraries of i386."""
STATES = {
    "i": INSTALLED,
    "U": "unpacked",
    "F": "half-configured",
    "H": "half-installed",
    "W": "triggers awaited",
    "t": "triggers pending",
}
"""Second letter of dpkg's short state; ``n`` and ``c`` (only settings left) are not installed."""
CUT_OFF = (STATES["H"], "must be reinstalled")
"""States that dpkg cannot finish: what it unpacks is not there any more."""
LOCKS = (*DPKG_LOCKS, *LIST_LOCKS)
HELD = "/proc/locks"
AMD_VERSION = re.compile(r"\.[4-9][01]\d0\d-\d+|-\d{7}\b|-\d+~2\d\.04$")
"""AMD writes the ROCm release into each version, as in ``2.20.0.50701-98~22.04``, a build number of
seven digits, as in amdgpu-dkms ``1:6.8.5.60200-2009582.24.04``, or at least its build and the
Ubuntu that it is for, as in rocprofiler-sdk ``1.0.0-56~22.04``."""
AMD = ("amd.com", "advanced micro devices")
DISTRIBUTORS = ("debian.org", "ubuntu.com", "fedora", "linuxmint.com")

LIBRARIES = (
    "amd-?comgr amd-?smi amdhip comgr hipblas hipblaslt hipcub hipfft hiprand hiprtc hipsolver"
    " hipsparse hipsparselt hiptensor hsakmt hsa-runtime miopen migraphx mivisionx rccl rocal"
    " rocalution rocblas rocdecode rocfft rocjpeg rocm-core rocm-?smi rocprim rocprofiler rocrand"
    " rocshmem rocsolver rocsparse rocthrust roctracer roctx rocwmma"
)
"""Names that a distribution may write with ``lib`` before them."""
TOOLS = (
    "amdgpu amdrocm composablekernel hip-base hip-bin hip-dev hip-doc hip-runtime hip-samples"
    " hipcc hipconfig hipfort hipify hsa-amd hsa-ext hsa-rocr miopengemm miopenkernels"
    " openmp-extras rocgdb rock-dkms rocm rocminfo rocr-debug-agent rocr-runtime"
)
SHORT = "half rdc rdc-dev rpp rpp-dev"
"""Words so short that others begin with them too: nothing but a release may follow."""
TORCH = "(?:lib|python3-)torch-rocm"
"""A distribution's own torch for ROCm."""
RELEASE = r"[0-9][0-9a-z.+_-]*"
"""As in ``rocm-core5.2.0`` and ``libamdhip64-5``."""


def _any_of(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


ROCM_NAME = re.compile(
    rf"(?:(?:lib)?{_any_of(LIBRARIES)}|{_any_of(TOOLS)}|{TORCH})(?:-.+|{RELEASE})?"
    rf"|{_any_of(SHORT)}(?:{RELEASE})?"
)
"""No prefix match: ``rccl*`` would also take ``rcclient``, ``hip*`` takes ``hipercontracer``."""


GRAPHICS = re.compile(r"[a-z0-9][a-z0-9.+]*(?:-[a-z0-9.+]+)*-amdgpu(?:-.+)?")
"""As in ``libdrm2-amdgpu`` and ``mesa-amdgpu-va-drivers``, not ``libdrm-amdgpu1`` (Debian's)."""


@dataclass(frozen=True, slots=True)
class LocalDeb:
    """A package file that is handed to apt by its path; the helper copies it and checks the hash.

    What the user built lies in a folder of the user's; what the helper kept lies in its backup.
    """

    path: str
    sha256: str
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Row:
    """One package of the system, ROCm or not."""

    name: str
    """With its architecture where that is not the system's own: ``rocm-ocl-icd:i386``."""
    version: str
    maintainer: str
    """Or rpm's vendor."""
    state: str
    held: bool


class Package(NamedTuple):
    """An installed distribution package."""

    name: str
    version: str
    origin: str
    """``amd``, ``distribution``, or ``unclear`` where version and maintainer disagree."""
    grounds: str
    """Why it is AMD's or unclear: ``index`` (this very version is in AMD's package index),
    ``version and maintainer``, ``version alone`` or ``maintainer alone``; else ``""``."""
    state: str
    """dpkg's word: ``installed``, ``half-configured``, ``unpacked`` and so on."""
    held: bool
    """True when somebody told apt to keep this version."""
    missing: bool
    """True when its release folder below ``/opt`` is gone although dpkg holds it for installed."""


class PackageWork(NamedTuple):
    """What keeps the package system from working now."""

    lock_holder: Fact[str]
    """Name and process id of who holds a lock of dpkg's or apt's; ``""`` when nobody does."""
    unfinished: Fact[tuple[str, ...]]
    """``name (state)`` of each package of the whole system that is not fully installed."""
    interrupted: bool
    """True when dpkg left a journal: apt refuses to work until ``dpkg --configure -a`` has run.
    While somebody holds the lock, it is only at work."""


def installed_rows(host: Host) -> Fact[list[Row]]:
    """Every package that dpkg, or else rpm, holds for installed, at least in part."""
    listing = host.ask(Query.DPKG_PACKAGES)
    if isinstance(listing, str):
        return list(_rows(listing))
    rpm = host.ask(Query.RPM_PACKAGES)
    if isinstance(rpm, str):
        return list(_rows(rpm))
    return Unknown(f"{listing.because}, and {rpm.because}")


def _rows(listing: str) -> Iterator[Row]:
    for line in listing.splitlines():
        cells = line.split("\t")
        if len(cells) < 2 or not cells[0] or not cells[1]:
            continue
        short = cells[2] if len(cells) > 2 else "ii "  # rpm knows no half-installed packages
        if state := _state(short):
            maintainer = cells[3] if len(cells) > 3 else ""
            name = cells[0].removesuffix(NATIVE)
            yield Row(name, cells[1], maintainer, state, held=short.startswith("h"))


def _state(short: str) -> str:
    """The words for wanted, actual and broken, such as ``iFR``; ``""`` when not installed."""
    word = STATES.get(short[1:2], "")
    return f"{word}, must be reinstalled" if word and short[2:3] == "R" else word


def rocm_packages(
    host: Host, rows: list[Row], index: frozenset[tuple[str, str]]
) -> tuple[Package, ...]:
    """Those that are ROCm's by name, AMD's by index or both marks, sorted by name."""
    found = (row for row in rows if is_rocm(row.name) or _is_amds(row, index))
    packages = {_package(host, row, index) for row in found}
    return tuple(sorted(packages, key=lambda package: (package.name, package.version)))


def _is_amds(row: Row, index: frozenset[tuple[str, str]]) -> bool:
    """True for what is AMD's beside ROCm: its installer's graphics packages, above all."""
    if (without_architecture(row.name), row.version) in index:
        return True
    return may_be_amds_graphics(row.name) and _origin(row, index)[0] == "amd"


def _package(host: Host, row: Row, index: frozenset[tuple[str, str]]) -> Package:
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


def _origin(row: Row, index: frozenset[tuple[str, str]]) -> tuple[str, str]:
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


def is_rocm(name: str) -> bool:
    """True for the name of a package that is a part of ROCm, AMD's or a distribution's."""
    return ROCM_NAME.fullmatch(without_architecture(name)) is not None


def may_be_amds_graphics(name: str) -> bool:
    """True for a name such as AMD gives its builds of graphics packages; others do so too."""
    return GRAPHICS.fullmatch(without_architecture(name)) is not None


def without_architecture(name: str) -> str:
    """``rocm-ocl-icd`` of ``rocm-ocl-icd:i386``, as indexes have it."""
    return name.partition(":")[0]


def package_work(host: Host, rows: Fact[list[Row]]) -> PackageWork:
    """Who holds a lock, and which packages of the whole system are not fully installed."""
    journal = host.names(DPKG_JOURNAL)
    return PackageWork(
        lock_holder=_lock_holder(host),
        unfinished=rows if isinstance(rows, Unknown) else tuple(_unfinished(rows)),
        interrupted=not isinstance(journal, Unknown) and any(map(str.isdecimal, journal)),
    )


def cut_off(work: PackageWork) -> list[str]:
    """What of the unfinished packages dpkg cannot finish."""
    return [one for one in known(work.unfinished, ()) if any(state in one for state in CUT_OFF)]


def reinstallation(packages: Iterable[str]) -> str:
    """What the user can do about these, each given with its state."""
    names = " ".join(one.split(" ")[0] for one in packages)
    return (
        f"Run `sudo apt-get install --reinstall {names}`. If no archive has the package, run "
        f"`sudo dpkg --remove --force-remove-reinstreq {names}`."
    )


def no_work(why: Unknown) -> PackageWork:
    """What is known when nothing answered."""
    return PackageWork(why, why, interrupted=False)


def _unfinished(rows: list[Row]) -> Iterator[str]:
    return (f"{row.name} ({row.state})" for row in rows if row.state != INSTALLED)


def _lock_holder(host: Host) -> Fact[str]:
    files = [path for path in LOCKS if host.exists(path)]
    if not files:
        return ""
    held = host.read(HELD)
    mounts = host.read(MOUNTS)
    if isinstance(held, Unknown) or isinstance(mounts, Unknown):
        return held if isinstance(held, Unknown) else mounts
    holders = dict(_holders(held))
    unread: Unknown | None = None
    for path in files:
        number = host.inode(path)
        if isinstance(number, Unknown):
            unread = number
        elif process := holders.get(f"{_device(host.resolve(path), mounts)}:{number}"):
            return _named(host, process)
    return unread or ""


def _holders(locks: str) -> Iterator[tuple[str, str]]:
    """File, as ``fe:01:1234``, and process of each lock that is held; not of those who wait."""
    for line in locks.splitlines():
        cells = line.split()
        if len(cells) == 8 and cells[1] != "->" and cells[4].isdecimal():
            yield cells[5], cells[4]


def _device(path: str, mounts: str) -> str:
    """The device of a file as the kernel's locks name it, ``fe:01``.

    Not by ``stat``: on btrfs, which Timeshift's users have, that names the subvolume instead.
    """
    above = [one for one in mounts_in(mounts) if path.startswith(f"{one.path.rstrip('/')}/")]
    # the last of the longest, because a later mount on the same place hides the earlier one
    nearest = max(reversed(above), key=lambda one: len(one.path), default=None)
    major, _, minor = nearest.device.partition(":") if nearest else ("", "", "")
    if not (major.isdecimal() and minor.isdecimal()):
        return ""
    return f"{int(major):02x}:{int(minor):02x}"


def _named(host: Host, process: str) -> str:
    name = host.read(f"/proc/{process}/comm")
    return f"{known(name, 'a process').strip()} (process {process})"
