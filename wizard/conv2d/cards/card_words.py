"""The only texts of a machine that a result card may hold; all others stay at home.

Free texts name people: an error tells a path below the home, a kernel is called after its builder,
a variable holds a folder. So nothing is taken out of them but what is named here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from wizard.redaction.rules import HIDDEN, SWITCH, is_known

LONGEST = 200
"""Characters of one text of a card."""
PATHS = (
    "MIOPEN_CUSTOM_CACHE_DIR",
    "MIOPEN_USER_DB_PATH",
    "MIOPEN_SYSTEM_DB_PATH",
    "ROCM_PATH",
    "HIP_PATH",
    "LD_LIBRARY_PATH",
    "AMD_LOG_LEVEL_FILE",
)
"""Variables whose values are folders and files."""
RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+){1,3}(?:-[0-9]+(?:\.[0-9]+)*)?")
KERNEL_WORDS = """
    amd64 arch arch1 azure aws bpo cachyos cloud fc gcp generic hardened kvm liquorix lowlatency lts
    manjaro microsoft oem pve raspi rt standard tkg wsl2 x86_64 xanmod xanmod1 zen zen1
"""
FLAVOURS = frozenset(KERNEL_WORDS.split())
"""What distributions append to the release of their kernels."""
VERSION = re.compile(r"[0-9]+(?:\.[0-9]+){0,3}(?:(?:a|b|rc|\.dev|\.post)[0-9]{1,10})*")
LOCAL = re.compile(r"\+(?:rocm|cu|cpu|xpu)[0-9.]{0,12}(?![\w.])")
GFX = re.compile(r"gfx[0-9a-f]{3,5}")
PHRASES = re.compile(
    r"[A-Z][A-Za-z]{2,30}(?:Error|Exception)\b"
    r"|\bmiopenStatus[A-Z][A-Za-z]{2,40}\b"
    r"|\bHSA_STATUS_[A-Z_]{3,60}\b|\bhipError[A-Z][A-Za-z]{2,50}\b|\bhipblasStatus[A-Za-z]{0,40}\b"
    r"|\bSIG[A-Z]{2,6}\b"
    r"|\b(?i:out of memory|illegal instruction|invalid device function|memory access fault"
    r"|no suitable algorithm was found|incorrect params|no kernel image is available"
    r"|still there long after SIGKILL|disk-sleep|segmentation fault|unspecified launch failure)\b"
    r"|\bthe card was [0-9]{1,3} % busy\b|\bcache grew\b"
    r"|\bamdgpu_[a-z_]{3,40}\b|\bring [a-z]{2,12}_[0-9.]{1,12} timeout\b"
    r"|\bGPU reset\b|\bpage fault\b"
    r"|\[[A-Z][a-z]+[A-Z][A-Za-z0-9]*\]"
    r"|\b(?:Conv|Gemm|miopen|naive_conv|gridwise|Cijk)_?[A-Za-z0-9_:]{1,80}"
)
"""What is taken out of an error or a proof: names of faults, functions, solvers and kernels."""
NAMES = re.compile(
    r"\b(?:AMD|NVIDIA|Intel|ATI|Radeon|Navi|GeForce|Tesla|Quadro|RX|Instinct)\b"
    r"[A-Za-z0-9 ()/.-]{0,60}"
)
DISTRIBUTION_IDS = """
    almalinux arch bazzite cachyos centos debian elementary endeavouros fedora garuda gentoo kali
    linuxmint manjaro neon nixos nobara opensuse-leap opensuse-tumbleweed pop rhel rocky solus
    steamos tuxedo ubuntu void zorin
"""
DISTRIBUTIONS = frozenset(DISTRIBUTION_IDS.split())


def told_setting(variables: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The known variables; a value that is no word of the programs' own is not told."""
    return tuple((name, _value(name, value)) for name, value in variables if is_known(name))


def _value(name: str, value: str) -> str:
    return value if name not in PATHS and SWITCH.fullmatch(value) else HIDDEN


def told_kernel(release: str) -> str | None:
    """The release of a kernel with what its distribution appends, without what a person did."""
    found = RELEASE.match(release)
    if found is None:
        return None
    words = re.findall(r"[-._+]?([A-Za-z]+[0-9]*(?:_[0-9]+)?)", release[found.end() :])
    kept = [word for word in words if word.rstrip("0123456789") in FLAVOURS or word in FLAVOURS]
    return "-".join([found[0], *kept])[:LONGEST]


def told_version(version: str | None) -> str | None:
    """A version without what a builder appends of his own."""
    found = None if version is None else VERSION.match(version)
    if found is None or version is None:
        return None
    local = LOCAL.match(version, found.end())
    return found[0] + (local[0] if local else "")


def told_gfx(gfx: str | None) -> str | None:
    """The target alone, without its features."""
    found = None if gfx is None else GFX.match(gfx)
    return found[0] if found else None


def told_name(device: str | None) -> str | None:
    """The name of a card or ``cpu``; None for what does not read like one."""
    if device == "cpu":
        return device
    found = None if device is None else NAMES.search(device)
    return found[0].strip() if found else None


def told_distribution(name: str | None, release: str | None) -> str | None:
    """A distribution that is everybody's, with its release."""
    if name not in DISTRIBUTIONS:
        return None
    return f"{name} {release}" if release and VERSION.fullmatch(release) else name


def told_phrases(text: str | None) -> str:
    """What may be told of a free text: names of faults, functions, solvers and kernels."""
    found = PHRASES.findall(text or "")
    return "; ".join(dict.fromkeys(found))[:LONGEST]


def told_library(path: str) -> str:
    """The name of a library, and whose it is: torch's own, the system's, or another's."""
    folder, _, name = path.rpartition("/")
    if not re.fullmatch(r"lib(?:amdhip64|MIOpen|hsa-runtime64|rocblas|cudart|cudnn)[\w.+-]*", name):
        return HIDDEN
    short = re.match(r"lib[A-Za-z0-9-]+(?:\.so(?:\.[0-9]+)*)?", name)
    whose = "another's"
    if folder.endswith(("/torch/lib", "/lib")) and "site-packages" in folder:
        whose = "torch's own"
    elif folder.startswith(("/opt/rocm", "/usr/lib")):
        whose = "the system's"
    return f"{short[0] if short else HIDDEN} ({whose})"
