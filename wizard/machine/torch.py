"""Which torch lies in a site-packages folder, and what became of its libraries.

To hold libraries against the hashes of their RECORD is no part of detection: it reads gigabytes.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from wizard.apt.packages import Package
from wizard.core.fact import Unknown, known
from wizard.host.elf import segments_of, stack_of
from wizard.host.files import why
from wizard.host.host import Host
from wizard.knowledge.cards import targets_of
from wizard.machine.facts import ChangedLibrary, Environment, Machine, TorchInstall
from wizard.machine.pythons import DISTRIBUTION, Site, survey
from wizard.machine.rocm import RELEASE

Sizes = list[tuple[str, int]]
"""Names of libraries and their sizes."""
FOLDER = "torch/lib"
LIBRARY = re.compile(
    r"lib(?:MIOpen|amdhip64|amd_comgr|hiprtc[\w-]*|hsa-runtime64|hsakmt|roc(?:blas|solver|sparse|fft"
    r"|rand|m_smi64|tracer64|tx64|m-core)|hip(?:blas|blaslt|fft|rand|solver|sparse|sparselt)|rccl"
    r"|magma|c10_hip|torch_hip)\.so[.\d]*"
)
"""Libraries of ROCm, and those of torch that are built for it."""
SAVED = re.compile(r"[._-](?:original|orig|bak|backup|old|save|saved)\b.*", re.IGNORECASE)
"""How people name the copy that they put aside."""
ROW = re.compile(r"\ntorch/lib/(lib[^,\n]*),([^,\n]*),([^,\s]*)(?=\s|\Z)")
SHA256 = "sha256="
HEAD_BYTES = 4096
SIZE_LIMIT = 64
"""A wheel has some thirty such libraries: a RECORD with more was not written by a wheel builder."""


class Records:
    """What RECORDs say of libraries; a megabyte each, so not read again for a wheel of the same."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._known: dict[tuple[str, int], Sizes] = {}

    def changed(self, site: str, dist_info: str) -> tuple[ChangedLibrary, ...]:
        """Libraries of a wheel whose size is not the one in its RECORD, and those that are gone."""
        names = self._host.names(f"{site}/{FOLDER}")
        path = f"{site}/{dist_info}/RECORD"
        size = self._host.size(path) if dist_info else Unknown("no dist-info")
        if isinstance(names, Unknown) or isinstance(size, Unknown):
            return ()
        wheel = (dist_info, size)
        alike = self._known.get(wheel)
        if alike is not None and not _changes(self._host, site, names, alike):
            return ()
        self._known[wheel] = recorded_sizes(known(self._host.read(path), ""))
        return _changes(self._host, site, names, self._known[wheel])


def recorded_sizes(record: str) -> Sizes:
    """Name and size of each ROCm library by the lines of a RECORD."""
    return [
        (name, int(size[:20]))
        for name, _, size in _rows(record)
        if size.isascii() and size.isdecimal()
    ]


def recorded_hashes(record: str) -> list[tuple[str, str]]:
    """Name and SHA-256 of each ROCm library, in the form that RECORD has it."""
    return [
        (name, digest.removeprefix(SHA256))
        for name, digest, _ in _rows(record)
        if digest.startswith(SHA256)
    ]


def _rows(record: str) -> list[tuple[str, str, str]]:
    """Name, hash and size of ROCm libraries, as they stand in a RECORD."""
    rows = ((row[1], row[2], row[3]) for row in ROW.finditer(f"\n{record}"))
    return [row for row in rows if LIBRARY.fullmatch(row[0])][:SIZE_LIMIT]


def executable_stacks(host: Host, site: str) -> tuple[str, ...]:
    """Names of libraries that ask for an executable stack, which glibc 2.41 and later refuse."""
    names = known(host.names(f"{site}/{FOLDER}"), ())
    wanted = [name for name in names if LIBRARY.fullmatch(name)][:SIZE_LIMIT]
    return tuple(name for name in wanted if _asks(host, f"{site}/{FOLDER}/{name}"))


def _changes(
    host: Host, site: str, names: tuple[str, ...], sizes: Sizes
) -> tuple[ChangedLibrary, ...]:
    changed = []
    for name, recorded in sizes:
        path = f"{site}/{FOLDER}/{name}"
        size = host.size(path)
        if isinstance(size, Unknown) and host.exists(path):
            continue  # there, and nobody told how large: nothing can be said of it
        if size == recorded:
            continue
        # Beside it there may be its name with a word for a copy.
        beside = (other for other in names if other.startswith(name))
        saved = next((other for other in beside if SAVED.fullmatch(other[len(name) :])), "")
        copy = f"{site}/{FOLDER}/{saved}" if saved else ""
        changed.append(ChangedLibrary(path, recorded, known(size, 0), copy))
    return tuple(changed)


def _asks(host: Host, path: str) -> bool:
    head = host.head(path, HEAD_BYTES)
    if isinstance(head, Unknown):
        return False
    try:
        segments = segments_of(head)
        return stack_of(head[segments.offset : segments.end], segments).executable
    except ValueError:
        return False  # no library, or none whose headers are at its beginning


DIST_INFO = re.compile(r"([A-Za-z0-9_.]+)-([^-/]+)(?:-py3\.\d+)?\.(?:dist|egg)-info")
DEVICE = re.compile(r"amd_torch_device_(gfx[0-9a-f]+).*\.dist-info", re.IGNORECASE)
STATED = re.compile(
    r"""^(__version__|hip|cuda|rocm)\b[^=\n]*=\s*['"]([^'"\n]*)['"]""", re.MULTILINE
)
METADATA_VERSION = re.compile(r"^Version:\s*(\S+)", re.MULTILINE)
BUILDS = (("rocm", "rocm"), ("cu", "cuda"), ("cpu", "cpu"))


def read_torch(
    host: Host, site: Site, records: Records, behind: tuple[str, ...] = ()
) -> TorchInstall | None:
    """The torch of a folder; None without one. numpy is also looked for in the folders behind."""
    entries = site.names
    installed = _installed(host, site.path, entries)
    if "torch" not in installed and "torch" not in entries:
        return None
    # What it assigns; None is left out.
    stated = dict(STATED.findall(known(host.read(f"{site.path}/torch/version.py"), "")))
    version = stated.get("__version__") or installed.get("torch", "")
    if not version:
        return None
    build = _build(version, stated)
    devices = (DEVICE.match(name) for name in entries if "torch_device" in name)
    own = build == "rocm"  # only these wheels carry libraries that people exchange
    return TorchInstall(
        version=version,
        build=build,
        rocm=_rocm(version, stated) if build == "rocm" else None,
        numpy=installed.get("numpy") or _numpy(host, behind),
        native_gfx=tuple(dict.fromkeys(match[1].lower() for match in devices if match)),
        changed=records.changed(site.path, dist_info(entries)) if own else (),
        executable_stack=executable_stacks(host, site.path) if own else (),
    )


def dist_info(names: tuple[str, ...]) -> str:
    """The folder with the RECORD of torch; ``""`` without one."""
    infos = (n for n in names if n.startswith(("torch-", "torch.")) and n.endswith(".dist-info"))
    return next(infos, "")


def _installed(host: Host, site: str, names: tuple[str, ...]) -> dict[str, str]:
    """Versions of torch and numpy by their dist-info folders."""
    versions = {}
    for name in names:
        if name.startswith(("torch-", "numpy-")) and (match := DIST_INFO.fullmatch(name)):
            versions[match[1]] = match[2]
        elif name in ("torch.dist-info", "numpy.dist-info"):
            stated = METADATA_VERSION.search(known(host.read(f"{site}/{name}/METADATA"), ""))
            versions[name.partition(".")[0]] = stated[1] if stated else ""
    return versions


def _build(version: str, stated: dict[str, str]) -> str:
    local = version.partition("+")[2]
    for prefix, build in BUILDS:
        if local.startswith(prefix):
            return build
    if stated.get("hip"):
        return "rocm"
    if stated.get("cuda"):
        return "cuda"
    return "cpu" if "__version__" in stated else "unknown"


def _rocm(version: str, stated: dict[str, str]) -> str | None:
    """The release by the version's own suffix, else the first two numbers of the HIP version."""
    suffix = RELEASE.search(version.partition("+rocm")[2])
    if suffix:
        return suffix[0]
    hip = RELEASE.search(stated.get("rocm") or stated.get("hip", ""))
    return ".".join(hip[0].split(".")[:2]) if hip else None


def _numpy(host: Host, behind: tuple[str, ...]) -> str | None:
    for site in behind:
        if version := _installed(host, site, known(host.names(site), ())).get("numpy"):
            return version
    return None


PACKAGE, PACKAGE_OF_LIBRARY = "python3-torch-rocm", "libtorch-rocm-"


class DistributionTorch(NamedTuple):
    """The package that a torch belongs to, and the chips that its library holds code for."""

    package: Package
    targets: tuple[str, ...]
    """Empty where this version was not read."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Where it comes from, and for which chips."""
        package = f"from the package {self.package.name} {self.package.version}"
        code = f"with code for {', '.join(self.targets)}" if self.targets else ""
        return (package, code or "it is not known for which chips this version has code")

    def without(self, gfx: str) -> tuple[str, str]:
        """That the card is none of these chips, as a title, and what it means."""
        card = f"your card ({gfx})" if gfx else "your card"
        return (
            "Your distribution's own torch has no code for this card",
            f"Your distribution's package {self.package.name} has code for "
            f"{', '.join(self.targets)}, but not for {card}. It can only use the card "
            "with HSA_OVERRIDE_GFX_VERSION=10.3.0, which runs code for another chip (gfx1030) on "
            "it. With that override, users report hangs and crashes from ROCm 5.3 on.",
        )


def distribution_torch(machine: Machine, environment: Environment) -> DistributionTorch | None:
    """What is known of an environment's torch; None where it is not the distribution's for ROCm."""
    torch, packages = environment.torch, machine.rocm_packages
    if environment.path != DISTRIBUTION or torch is None or torch.build != "rocm":
        return None
    installed = {} if isinstance(packages, Unknown) else {one.name: one for one in packages}
    if PACKAGE not in installed:
        return None
    libraries = (one for name, one in installed.items() if name.startswith(PACKAGE_OF_LIBRARY))
    read = (targets_of(one.name, one.version) for one in libraries)
    return DistributionTorch(installed[PACKAGE], next(filter(None, read), ()))


CHUNK = 4 * 1024 * 1024
OnProgress = Callable[[str, int, int], None]
"""Hears of the path, the bytes that were read and the bytes that it has."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A library of a wheel held against the wheel's RECORD."""

    path: str
    outcome: str
    """``as installed``, ``changed``, or why it could not be read."""


def verify(host: Host, on_progress: OnProgress) -> Iterator[Verified]:
    """Every ROCm library of every torch on this machine; seconds for each gigabyte."""
    for place in survey(host).places:
        for site in place.sites:
            record = host.read(f"{site.path}/{dist_info(site.names)}/RECORD")
            for name, recorded in recorded_hashes(record) if isinstance(record, str) else ():
                path = f"{site.path}/{FOLDER}/{name}"
                found = _hash(path, on_progress)
                yield Verified(path, _outcome(found, recorded))


def _outcome(found: str | Unknown, recorded: str) -> str:
    if isinstance(found, Unknown):
        return found.because
    return "as installed" if found == recorded else "changed"


def _hash(path: str, on_progress: OnProgress) -> str | Unknown:
    """SHA-256 in the form that RECORD has it."""
    digest, done = hashlib.sha256(), 0
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return Unknown(f"{path} is not a regular file")
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            total = os.fstat(descriptor).st_size
            while chunk := os.read(descriptor, CHUNK):
                digest.update(chunk)
                done += len(chunk)
                on_progress(path, done, total)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        return Unknown(why(path, error))
    return base64.urlsafe_b64encode(digest.digest()).decode().rstrip("=")
