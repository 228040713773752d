"""Reads which torch lies in a site-packages folder, from names and texts alone."""

from __future__ import annotations

import re

from wizard.host.host import Host
from wizard.machine.facts import TorchInstall, Unknown
from wizard.machine.sites import Site
from wizard.machine.wheel_files import Records, executable_stacks

DIST_INFO = re.compile(r"([A-Za-z0-9_.]+)-([^-/]+)(?:-py3\.\d+)?\.(?:dist|egg)-info")
DEVICE = re.compile(r"amd_torch_device_(gfx[0-9a-f]+).*\.dist-info", re.IGNORECASE)
STATED = re.compile(
    r"""^(__version__|hip|cuda|rocm)\b[^=\n]*=\s*['"]([^'"\n]*)['"]""", re.MULTILINE
)
RELEASE = re.compile(r"\d{1,9}(?:\.\d{1,9})+")
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
    stated = _stated(host, site.path)
    version = stated.get("__version__") or installed.get("torch", "")
    if not version:
        return None
    build = _build(version, stated)
    own = build == "rocm"  # only these wheels carry libraries that people exchange
    return TorchInstall(
        version=version,
        build=build,
        rocm=_rocm(version, stated),
        numpy=installed.get("numpy") or _numpy(host, behind),
        native_gfx=_native(entries),
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
            versions[name.partition(".")[0]] = _metadata_version(host, f"{site}/{name}")
    return versions


def _metadata_version(host: Host, folder: str) -> str:
    text = host.read(f"{folder}/METADATA")
    match = METADATA_VERSION.search(text) if isinstance(text, str) else None
    return match[1] if match else ""


def _stated(host: Host, site: str) -> dict[str, str]:
    """What ``torch/version.py`` assigns; its ``None`` values are left out."""
    text = host.read(f"{site}/torch/version.py")
    return dict(STATED.findall(text)) if isinstance(text, str) else {}


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
    if _build(version, stated) != "rocm":
        return None
    suffix = RELEASE.search(version.partition("+rocm")[2])
    if suffix:
        return suffix[0]
    hip = RELEASE.search(stated.get("rocm") or stated.get("hip", ""))
    return ".".join(hip[0].split(".")[:2]) if hip else None


def _numpy(host: Host, behind: tuple[str, ...]) -> str | None:
    for site in behind:
        names = host.names(site)
        version = _installed(host, site, () if isinstance(names, Unknown) else names).get("numpy")
        if version:
            return version
    return None


def _native(names: tuple[str, ...]) -> tuple[str, ...]:
    matches = (DEVICE.match(name) for name in names if "torch_device" in name)
    return tuple(dict.fromkeys(match[1].lower() for match in matches if match))
