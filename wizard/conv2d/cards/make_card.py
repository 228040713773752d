"""The result card of a run that was measured here: nothing that could name somebody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from wizard import __version__
from wizard.conv2d.cards.result_card import COUNTS, FIGURES, OWN_WORDS, Chip, ResultCard, Stack
from wizard.conv2d.verdicts import Loaded, Result
from wizard.core.fact import Fact
from wizard.host.host import Host
from wizard.machine.facts import Driver, Gpu, System
from wizard.machine.part import PATIENCE_S
from wizard.machine.stack_facts import parts_below
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


def public_setting(variables: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The known variables; a value that is no word of the programs' own is not told."""
    return tuple((name, _value(name, value)) for name, value in variables if is_known(name))


def _value(name: str, value: str) -> str:
    return value if name not in PATHS and SWITCH.fullmatch(value) else HIDDEN


def public_kernel(release: str) -> str | None:
    """The release of a kernel with what its distribution appends, without what a person did."""
    found = RELEASE.match(release)
    if found is None:
        return None
    words = re.findall(r"[-._+]?([A-Za-z]+[0-9]*(?:_[0-9]+)?)", release[found.end() :])
    kept = [word for word in words if word.rstrip("0123456789") in FLAVOURS or word in FLAVOURS]
    return "-".join([found[0], *kept])[:LONGEST]


def public_version(version: str | None) -> str | None:
    """A version without what a builder appends of his own."""
    found = None if version is None else VERSION.match(version)
    if found is None or version is None:
        return None
    local = LOCAL.match(version, found.end())
    return found[0] + (local[0] if local else "")


def public_gfx(gfx: str | None) -> str | None:
    """The target alone, without its features."""
    found = None if gfx is None else GFX.match(gfx)
    return found[0] if found else None


def public_name(device: str | None) -> str | None:
    """The name of a card or ``cpu``; None for what does not read like one."""
    if device == "cpu":
        return device
    found = None if device is None else NAMES.search(device)
    return found[0].strip() if found else None


def public_distribution(name: str | None, release: str | None) -> str | None:
    """A distribution that is everybody's, with its release."""
    if name not in DISTRIBUTIONS:
        return None
    return f"{name} {release}" if release and VERSION.fullmatch(release) else name


def public_phrases(text: str | None) -> str:
    """What may be told of a free text: names of faults, functions, solvers and kernels."""
    found = PHRASES.findall(text or "")
    return "; ".join(dict.fromkeys(found))[:LONGEST]


def public_library(path: str) -> str:
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


@dataclass(frozen=True, slots=True)
class Here:
    """What a card tells of the machine on which it was measured."""

    gpus: tuple[Gpu, ...]
    driver: Driver
    system: System

    @property
    def gfx(self) -> str | None:
        """The target of its one card of amdgpu; None for none and for several."""
        amd = _cards_of(self)
        return public_gfx(_known(amd[0].gfx)) if len(amd) == 1 else None


def look_here(host: Host) -> Here:
    """Card, driver and system of a machine, each with its own patience."""
    return Here(*parts_below(host, PATIENCE_S))


def make_card(
    results: Sequence[Result],
    when: datetime,
    here: Here,
    *,
    finished: bool,
) -> ResultCard:
    """The card of a run that was measured here."""
    loaded = next((r.loaded for r in reversed(results) if r.loaded.device), Loaded())
    return ResultCard(
        time=when.astimezone(timezone.utc).isoformat(timespec="minutes"),
        version=__version__,
        finished=finished,
        chip=_chip(here, loaded),
        stack=_stack(here, loaded),
        results=tuple(map(public_result, results)),
    )


def public_result(result: Result) -> Result:
    """A result without any text that could name somebody: made of what is listed here alone."""
    loaded = result.loaded
    return Result(
        shape=result.shape,
        engine=result.engine,
        verdict=result.verdict,
        detail=public_phrases(result.detail),
        runs=result.runs,
        loaded=Loaded(
            torch=public_version(loaded.torch),
            hip=public_version(loaded.hip),
            device=public_name(loaded.device),
            gfx=public_gfx(loaded.gfx),
            setting=public_setting(loaded.setting),
        ),
        because=None if result.because is None else public_phrases(result.because),
        asked=public_setting(result.asked),
        work=result.work,
        **{name: getattr(result, name) for name in (*FIGURES, *COUNTS, *OWN_WORDS)},
    )


def _cards_of(here: Here) -> tuple[Gpu, ...]:
    return tuple(gpu for gpu in here.gpus if gpu.driver == "amdgpu" and not gpu.integrated)


def _chip(here: Here, loaded: Loaded) -> Chip:
    """The card of amdgpu; where there are several, only what torch said."""
    name, amd = public_name(loaded.device), _cards_of(here)
    if loaded.device == "cpu" or loaded.hip is None or len(amd) != 1:
        return Chip(name)
    gpu = amd[0]
    return Chip(
        public_name(gpu.name) or name,
        public_gfx(_known(gpu.gfx)),
        gpu.pci_id,
        gpu.vram_bytes if isinstance(gpu.vram_bytes, int) else None,
    )


def _stack(here: Here, loaded: Loaded) -> Stack:
    system, driver = here.system, here.driver
    origin = _known(driver.origin) or "amdgpu" if driver.loaded else None
    return Stack(
        torch=public_version(loaded.torch),
        hip=public_version(loaded.hip),
        libraries=tuple(map(public_library, loaded.libraries)),
        driver=" ".join(filter(None, (origin, public_version(driver.version)))) if origin else None,
        kernel=public_kernel(_known(system.kernel) or ""),
        distribution=public_distribution(_known(system.distribution), _known(system.release)),
        glibc=public_version(_known(system.glibc)),
    )


def _known(fact: Fact[str]) -> str | None:
    return fact if isinstance(fact, str) else None
