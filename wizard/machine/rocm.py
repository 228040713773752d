"""ROCm outside of packages: folders below /opt, files of the system, what MIOpen keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wizard.apt.files import INFO, opt_folders
from wizard.apt.sources import amd_keys, amd_pins
from wizard.core.fact import Fact, Unknown, known
from wizard.host.host import Host, read_line
from wizard.machine.facts import MiopenStore, RocmTree, SystemFile
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
    texts = (read_line(host, f"{path}/{name}") for name in VERSION_FILES)
    version: Fact[str] = next(
        (match[0] for match in map(RELEASE.match, texts) if match),
        Unknown(f"{path} has no .info/version, so it may be a leftover"),
    )
    if path.startswith(f"{OPT}/amdgpu"):
        version = Unknown(f"{path} reports no version")
    owner: Fact[str] = Unknown(f"there is no {INFO}")
    if host.is_folder(INFO):
        # Bare names, and those of one release: rocm-core5.2.0 has /opt/rocm-5.2.0.
        release = RELEASE.search(path)
        names = (*OWNERS, *(f"{name}{release[0]}" for name in OWNERS if release))
        owner = next((name for name in names if path in opt_folders(host, name)), "")
    return RocmTree(path, version, known(host.link(path), "") or None, owner)


def _tell_trees(trees: tuple[RocmTree, ...]) -> tuple[str, tuple[str, ...]]:
    real = [tree for tree in trees if tree.link_to is None]
    lines = tuple(_tree_line(tree) for tree in trees)
    return ", ".join(tree.path for tree in real) or "none", lines


def _tree_line(tree: RocmTree) -> str:
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
    tell=_tell_trees,
)
"""ROCm below ``/opt``."""


TEXT_LIMIT = 64 * 1024
DETAIL_LIMIT = 160
OPT_FOLDERS = ("/opt/rocm", "/opt/amdgpu")
ALTERNATIVES = "/etc/alternatives"
RECORDS = "/var/lib/dpkg/alternatives"
UDEV = ("/etc/udev/rules.d", "/usr/lib/udev/rules.d")
OF_DRIVERS = re.compile(r"\b(?:amdgpu|radeon)\b|\bvfio[-_]pci\b.*\b1002:")
AMD_RULES = ("70-kfd.rules", "70-amdgpu.rules")
"""Names that AMD's packages and instructions use; others by what they say."""


def read_system_files(host: Host) -> Found[tuple[SystemFile, ...]]:
    """Keys, pins, alternatives, loader paths, udev rules, OpenCL vendors and module options."""
    files = (
        *(SystemFile(path, "key", detail) for path, detail in amd_keys(host)),
        *(SystemFile(path, "pin", detail) for path, detail in amd_pins(host)),
        *_alternatives(host),
        *_with_lines(host, "/etc/ld.so.conf.d", "loader path", re.compile(r"rocm|amdgpu")),
        *_udev_rules(host),
        *_vendors(host),
        *_with_lines(host, "/etc/modprobe.d", "module option", OF_DRIVERS),
    )
    return Found(files)


def _alternatives(host: Host) -> Iterator[SystemFile]:
    """``rocm`` itself, and every name that leads into ROCm, such as ``rocminfo``."""
    for name in known(host.names(ALTERNATIVES), ()):
        if name.endswith(".gz"):
            continue  # most are those of manual pages, and each link costs a look
        target = host.link(f"{ALTERNATIVES}/{name}")
        into = known(target, "").startswith(OPT_FOLDERS)
        if not into and not name.startswith("rocm"):
            continue
        if isinstance(target, Unknown):
            leads = target.because
        else:
            lost = "" if host.exists(target) else ", which does not exist"
            leads = f"points to {target}{lost}"
        yield SystemFile(f"{ALTERNATIVES}/{name}", "alternative", leads)
        record = f"{RECORDS}/{name}"
        if host.is_file(record):
            # Its state and the link, then what there is to choose from.
            state, _, *choices = [*_text(host, record).splitlines(), "", ""]
            told = [state, *(line for line in choices if line.startswith(OPT_FOLDERS))]
            yield SystemFile(record, "alternative", _shortened(", ".join(filter(None, told))))


def _udev_rules(host: Host) -> Iterator[SystemFile]:
    for folder in UDEV:
        for name in known(host.names(folder), ()):
            # A distribution's own rules name these devices too; those are not a set-up's.
            if name in AMD_RULES or (folder == UDEV[0] and name.endswith(".rules")):
                lines = _lines(host, f"{folder}/{name}", re.compile("kfd|renderD"))
                if lines or name in AMD_RULES:
                    yield SystemFile(f"{folder}/{name}", "udev rule", _shortened("; ".join(lines)))


def _vendors(host: Host) -> Iterator[SystemFile]:
    folder = "/etc/OpenCL/vendors"
    for name in known(host.names(folder), ()):
        if name.startswith("amdocl") and name.endswith(".icd"):
            library = " ".join(_text(host, f"{folder}/{name}").split())
            yield SystemFile(f"{folder}/{name}", "opencl vendor", _shortened(library))


def _with_lines(host: Host, folder: str, kind: str, words: re.Pattern[str]) -> Iterator[SystemFile]:
    """Files that name ROCm or the driver in a line that is no comment."""
    for name in known(host.names(folder), ()):
        if name.endswith(".conf") and (lines := _lines(host, f"{folder}/{name}", words)):
            yield SystemFile(f"{folder}/{name}", kind, _shortened("; ".join(lines)))


def _lines(host: Host, path: str, words: re.Pattern[str]) -> list[str]:
    lines = (line.strip() for line in _text(host, path).splitlines())
    return [line for line in lines if words.search(line) and not line.startswith("#")]


def _text(host: Host, path: str) -> str:
    return known(host.read(path), "")[:TEXT_LIMIT]


def _shortened(text: str) -> str:
    return text if len(text) <= DETAIL_LIMIT else f"{text[:DETAIL_LIMIT]} ..."


def _tell_files(files: tuple[SystemFile, ...]) -> tuple[str, tuple[str, ...]]:
    kinds = [file.kind for file in files]
    numbers = {kind: kinds.count(kind) for kind in kinds}
    counted = (f"{count} {kind}{'s' * (count > 1)}" for kind, count in numbers.items())
    return ", ".join(counted) or "none", tuple(f"{f.path}: {f.kind}, {f.detail}" for f in files)


SYSTEM_FILES: Part[tuple[SystemFile, ...]] = Part(
    title="ROCm files",
    source=f"/etc/apt, {ALTERNATIVES}, /etc/ld.so.conf.d, udev, OpenCL, modprobe.d",
    read=read_system_files,
    tell=_tell_files,
)
"""What a ROCm set-up leaves in the system's own folders."""


KERNELS, CHOICES = ".cache/miopen", ".config/miopen"
CACHE_VARIABLE, DATABASE_VARIABLE = "MIOPEN_CUSTOM_CACHE_DIR", "MIOPEN_USER_DB_PATH"
VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9}){1,2}")
STATED_VERSION = re.compile(r"\.HIP\.(\d+_\d+_\d+)")
TARGET = re.compile(r"(gfx[0-9a-f]+(?:_\d+)?)(?:_\d+\.\d+\.\d+)?\.")
"""MIOpen writes target and work-group processors first, such as ``gfx1030_18.ukdb``."""
ENTRY_LIMIT = 300
"""Nobody has run this many targets: more databases in one folder are not counted."""
STORE_LIMIT = 50


def read_miopen(host: Host) -> Found[tuple[MiopenStore, ...]]:
    """Stores in their usual places, and in those that variables in force name."""
    stores = []
    for folder in (f"{host.home}/{KERNELS}", *_named(host, CACHE_VARIABLE)):
        # Below it there is one for each release of MIOpen.
        releases = map(VERSION.match, known(host.folders(folder), ()))
        below = ((f"{folder}/{match.string}", match[0]) for match in releases if match)
        stores += [_store(host, path, "kernels", of) for path, of in ((folder, ""), *below)]
    choices = (f"{host.home}/{CHOICES}", *_named(host, DATABASE_VARIABLE))
    stores += [_store(host, folder, "choices", "") for folder in choices]
    return Found(tuple(store for store in stores if store is not None)[:STORE_LIMIT])


def _named(host: Host, variable: str) -> Iterator[str]:
    """The folder that a variable names, where it is a place of its own."""
    value = host.environ.get(variable, "").rstrip("/")
    path = f"{host.home}{value[1:]}" if value == "~" or value.startswith("~/") else value
    if path.startswith("/") and path not in (f"{host.home}/{KERNELS}", f"{host.home}/{CHOICES}"):
        yield path


def _store(host: Host, folder: str, kind: str, version: str) -> MiopenStore | None:
    """The store in a folder; None where nothing is kept."""
    names = known(host.names(folder), ())
    own = [name for name in names if name.startswith("gfx") and TARGET.match(name)]
    files = [(name, host.size(f"{folder}/{name}")) for name in own[:ENTRY_LIMIT]]
    sizes = {name: size for name, size in files if isinstance(size, int)}
    if not sizes:
        return None
    matches = (TARGET.match(name) for name in sizes)
    stated = {
        match[1].replace("_", ".") for name in sizes if (match := STATED_VERSION.search(name))
    }
    return MiopenStore(
        path=folder,
        kind=kind,
        version=version or ", ".join(sorted(stated)),
        targets=tuple(dict.fromkeys(match[1] for match in matches if match)),
        bytes=sum(sizes.values()),
    )


def _tell_stores(stores: tuple[MiopenStore, ...]) -> tuple[str, tuple[str, ...]]:
    targets = dict.fromkeys(target for store in stores for target in store.targets)
    lines = tuple(_store_line(store) for store in stores)
    return (f"for {', '.join(targets) or 'no known target'}" if stores else "nothing"), lines


def _store_line(store: MiopenStore) -> str:
    version = f" of MIOpen {store.version}" if store.version else ""
    targets = ", ".join(store.targets) or "no known target"
    return f"{store.path}: {store.kind}{version} for {targets}, {store.bytes / 1e6:.1f} MB"


MIOPEN: Part[tuple[MiopenStore, ...]] = Part(
    title="MIOpen's cache",
    source=f"~/{KERNELS}, ~/{CHOICES}",
    read=read_miopen,
    tell=_tell_stores,
)
"""Compiled kernels and choices that MIOpen keeps."""
