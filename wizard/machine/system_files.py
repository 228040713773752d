"""Reads the files of the system that belong to a ROCm set-up, whoever put them there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wizard.apt.sources import amd_keys, amd_pins
from wizard.host.host import Host
from wizard.machine.facts import SystemFile, Unknown
from wizard.machine.part import Found, Part

TEXT_LIMIT = 64 * 1024
DETAIL_LIMIT = 160
OPT = ("/opt/rocm", "/opt/amdgpu")
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
    # Most names are those of manual pages, and each link costs a look.
    for name in (name for name in _names(host, ALTERNATIVES) if not name.endswith(".gz")):
        target = host.link(f"{ALTERNATIVES}/{name}")
        into = isinstance(target, str) and target.startswith(OPT)
        if into or name.startswith("rocm"):
            yield SystemFile(f"{ALTERNATIVES}/{name}", "alternative", _leads_to(host, target))
            record = f"{RECORDS}/{name}"
            if host.is_file(record):
                yield SystemFile(record, "alternative", _shortened(_record(host, record)))


def _leads_to(host: Host, target: str | Unknown) -> str:
    if isinstance(target, Unknown):
        return target.because
    return f"points to {target}{'' if host.exists(target) else ', which does not exist'}"


def _record(host: Host, path: str) -> str:
    """``auto`` or ``manual``, and what there is to choose from."""
    lines = _text(host, path).splitlines()
    # The first two lines are the state and the link; the choices are the other absolute paths.
    return ", ".join([*lines[:1], *(line for line in lines[2:] if line.startswith(OPT))])


def _udev_rules(host: Host) -> Iterator[SystemFile]:
    for folder in UDEV:
        for name in _names(host, folder):
            # A distribution's own rules name these devices too; those are not a set-up's.
            if name in AMD_RULES or (folder == UDEV[0] and name.endswith(".rules")):
                lines = _lines(host, f"{folder}/{name}", re.compile("kfd|renderD"))
                if lines or name in AMD_RULES:
                    yield SystemFile(f"{folder}/{name}", "udev rule", _shortened("; ".join(lines)))


def _vendors(host: Host) -> Iterator[SystemFile]:
    folder = "/etc/OpenCL/vendors"
    for name in _names(host, folder):
        if name.startswith("amdocl") and name.endswith(".icd"):
            library = " ".join(_text(host, f"{folder}/{name}").split())
            yield SystemFile(f"{folder}/{name}", "opencl vendor", _shortened(library))


def _with_lines(host: Host, folder: str, kind: str, words: re.Pattern[str]) -> Iterator[SystemFile]:
    """Files that name ROCm or the driver in a line that is no comment."""
    for name in _names(host, folder):
        if name.endswith(".conf") and (lines := _lines(host, f"{folder}/{name}", words)):
            yield SystemFile(f"{folder}/{name}", kind, _shortened("; ".join(lines)))


def _lines(host: Host, path: str, words: re.Pattern[str]) -> list[str]:
    lines = (line.strip() for line in _text(host, path).splitlines())
    return [line for line in lines if words.search(line) and not line.startswith("#")]


def _text(host: Host, path: str) -> str:
    text = host.read(path)
    return "" if isinstance(text, Unknown) else text[:TEXT_LIMIT]


def _names(host: Host, folder: str) -> tuple[str, ...]:
    names = host.names(folder)
    return () if isinstance(names, Unknown) else names


def _shortened(text: str) -> str:
    return text if len(text) <= DETAIL_LIMIT else f"{text[:DETAIL_LIMIT]} ..."


def _tell(files: tuple[SystemFile, ...]) -> tuple[str, tuple[str, ...]]:
    kinds = [file.kind for file in files]
    numbers = {kind: kinds.count(kind) for kind in kinds}
    counted = (f"{count} {kind}{'s' * (count > 1)}" for kind, count in numbers.items())
    return ", ".join(counted) or "none", tuple(f"{f.path}: {f.kind}, {f.detail}" for f in files)


SYSTEM_FILES: Part[tuple[SystemFile, ...]] = Part(
    title="ROCm files",
    source=f"/etc/apt, {ALTERNATIVES}, /etc/ld.so.conf.d, udev, OpenCL, modprobe.d",
    read=read_system_files,
    without=lambda _: (),
    tell=_tell,
)
"""What a ROCm set-up leaves in the system's own folders."""
