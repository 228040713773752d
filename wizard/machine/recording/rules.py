"""The allow-list of a record: which paths it may hold, and what of each; all else stays out.

``~`` is the home folder, ``*`` any name, ``**`` any folders between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from wizard.apt.sources import KEY_FOLDERS as KEY_FOLDERS
from wizard.apt.sources import OLD_RING
from wizard.machine.recording import apt, keep
from wizard.machine.recording.keep import Keep, KeepHead
from wizard.machine.recording.settings import RULES as SETTING_RULES
from wizard.machine.recording.settings import TOLD_RULES as TOLD_SETTING_RULES
from wizard.machine.setting_files import HOME_FILES
from wizard.machine.surroundings import ATTRIBUTES, SECURE_BOOT
from wizard.machine.system_files import OF_DRIVERS
from wizard.machine.virtual import DMI_FILES

CARD = "/sys/bus/pci/devices/*"
PORT = "/sys/devices/**/*:*:*.*"
"""Where the folder of a card, and of each bridge before it, really is."""
NODE = "/sys/class/kfd/kfd/topology/nodes/*"
MINORS = 30
LISTS = "/var/lib/apt/lists"
ALWAYS: tuple[tuple[str, Keep], ...] = (
    # The cards and their driver, as the kernel tells them.
    ("/sys/bus/pci/devices", keep.nothing),
    (f"{NODE}/properties", keep.kfd_properties),
    (f"{NODE}/gpu_id", keep.number),
    (f"{NODE}/io_links/*/properties", keep.kfd_properties),
    (PORT, keep.nothing),
    *(
        (f"{PORT}/{end}_link_{what}", form)
        for end in ("current", "max")
        for what, form in (("width", keep.number), ("speed", keep.link_speed))
    ),
    (f"{PORT}/vendor", keep.hex_number),
    ("/dev/kfd", keep.nothing),
    ("/dev/dri/*", keep.nothing),
    ("/dev/dxg", keep.nothing),
    ("/sys/module/amdgpu", keep.nothing),
    ("/sys/module/amdgpu/version", keep.only(r"\d[\w.+~:-]{0,60}")),
    ("/var/lib/dkms/amdgpu/*", keep.nothing),
    # The system and what it runs inside of.
    ("/proc", keep.nothing),
    ("/etc/os-release", keep.os_release),
    ("/usr/lib/os-release", keep.os_release),
    ("/proc/sys/kernel/osrelease", keep.only(r"[\w.+~-]+")),
    ("/proc/cpuinfo", keep.cpu),
    ("/sys/firmware", keep.nothing),
    ("/sys/firmware/*", keep.nothing),
    ("/run/systemd/container", keep.only("[a-z][a-z0-9-]{1,30}")),
    ("/.dockerenv", keep.nothing),
    ("/run/.containerenv", keep.nothing),
    ("/.flatpak-info", keep.nothing),
    ("/run/systemd/seats/seat0", keep.lines(r"(?:ACTIVE|SESSIONS)=[\w ]{0,200}")),
    ("/run/systemd/sessions/*", keep.lines(r"CLASS=[a-z-]{1,30}")),
    ("/etc/timeshift/timeshift.json", keep.timeshift),
    ("/etc/timeshift.json", keep.timeshift),
    ("/etc/snapper/configs/*", keep.nothing),
    # ROCm and packages.
    ("/opt", keep.nothing),
    ("/opt/rocm", keep.nothing),
    ("/opt/rocm-*", keep.nothing),
    ("/opt/amdgpu", keep.nothing),
    ("/opt/amdgpu-*", keep.nothing),
    ("/opt/rocm*/.info/version*", keep.first(r"\A\s*\d+(?:\.\d+)+")),
    ("/opt/rocm*/**/*", keep.nothing),
    ("/opt/amdgpu*/**/*", keep.nothing),
    ("/etc/alternatives/rocm", keep.nothing),
    ("/var/lib/dpkg/info", keep.nothing),
    ("/var/lib/dpkg/updates/*", keep.nothing),
    ("/var/lib/dpkg/lock*", keep.nothing),
    (f"{LISTS}/lock", keep.nothing),
    ("/var/cache/apt/archives/lock", keep.nothing),
    ("/proc/*/comm", keep.only(r"[^\n]{1,64}")),
    # Pythons.
    ("~", keep.nothing),
    ("**/bin/python3", keep.nothing),
    *((f"**/bin/python3.{minor}", keep.nothing) for minor in range(MINORS)),
    ("**/bin/uv", keep.nothing),
    *(
        (f"**/{library}/python3.*/{name}", keep.nothing)
        for library in ("lib", "lib64")
        for name in ("os.py", "venv/__init__.py")
    ),
    ("**/include/python3.*/patchlevel.h", keep.first(r'^#define\s+PY_VERSION\s+"3\.[\w.+]+"')),
    # Environments, and the torch in each.
    ("**/pyvenv.cfg", keep.venv_config),
    ("**/conda-meta", keep.nothing),
    ("**/conda-meta/python-3*.json", keep.nothing),
    ("**/lib/python3.*/site-packages", keep.nothing),
    ("**/lib/python3.*/dist-packages", keep.nothing),
    ("/usr/lib/python3/dist-packages", keep.nothing),
    ("**/*-packages/torch", keep.nothing),
    ("**/*-packages/torch-*.*-info", keep.nothing),
    ("**/*-packages/numpy-*.*-info", keep.nothing),
    ("**/*-packages/amd_torch_device_*.dist-info", keep.nothing),
    ("**/*-packages/torch.dist-info/METADATA", keep.first(r"^Version:\s*[\w.+!-]+$")),
    ("**/*-packages/numpy.dist-info/METADATA", keep.first(r"^Version:\s*[\w.+!-]+$")),
    ("**/*-packages/torch/version.py", keep.torch_version),
    *SETTING_RULES,
)
"""Kept wherever detection looked at them."""
WITH_WORDS: tuple[tuple[str, Keep], ...] = (
    ("/etc/apt/sources.list", apt.source_lines),
    ("/etc/apt/sources.list.d/*.list", apt.source_lines),
    ("/etc/apt/sources.list.d/*.sources", apt.source_paragraphs),
    *((f"/sys/class/dmi/id/{name}", keep.maker) for name in DMI_FILES),
)
"""Kept where something of their text is."""
TOLD: tuple[tuple[str, Keep], ...] = (
    (f"{CARD}/class", keep.hex_number),
    (f"{CARD}/vendor", keep.hex_number),
    (f"{CARD}/device", keep.hex_number),
    (f"{CARD}/revision", keep.hex_number),
    (f"{CARD}/mem_info_vram_total", keep.number),
    (f"{CARD}/fw_version/mec_fw_version", keep.only(r"0x[0-9A-Fa-f]{1,8}|\d{1,10}")),
    (f"{CARD}/power/runtime_status", keep.only(r"[a-z]+")),
    (f"{CARD}/driver", keep.nothing),
    (f"{CARD}/drm/card*", keep.nothing),
    (f"{CARD}/drm/renderD*", keep.nothing),
    (f"{CARD}/drm/card*/card*-*/status", keep.only(r"[a-z]+")),
    (CARD, keep.nothing),
    # Settings.
    ("/etc/environment", keep.shell),
    ("/etc/profile", keep.shell),
    ("/etc/bash.bashrc", keep.shell),
    ("/etc/profile.d/*.sh", keep.shell),
    ("/etc/environment.d/*.conf", keep.shell),
    ("~/.config/environment.d/*.conf", keep.shell),
    *((f"~/{name}", keep.shell) for name in HOME_FILES if not name.endswith(".fish")),
    ("~/.config/fish/config.fish", keep.fish),
    *TOLD_SETTING_RULES,
    # What a set-up leaves in the system's own folders.
    ("/etc/apt/preferences", apt.pins),
    ("/etc/apt/preferences.d/*", apt.pins),
    ("/etc/alternatives/*", keep.nothing),
    ("/var/lib/dpkg/alternatives/*", keep.alternative),
    ("/etc/ld.so.conf.d/*.conf", keep.plain_lines("rocm|amdgpu")),
    ("/etc/modprobe.d/*.conf", keep.plain_lines(OF_DRIVERS.pattern)),
    ("/etc/udev/rules.d/*.rules", keep.plain_lines("kfd|renderD")),
    ("/usr/lib/udev/rules.d/*.rules", keep.plain_lines("kfd|renderD")),
    ("/etc/OpenCL/vendors/*.icd", keep.first(r"\A\s*[\w./+-]{1,160}")),
    # Told by facts alone.
    ("/proc/*", keep.nothing),
    ("/proc/*/stat", keep.nothing),
    ("/proc/*/fd", keep.nothing),
    ("/proc/*/fd/*", keep.nothing),
    ("/proc/locks", keep.nothing),
    ("/proc/self/mountinfo", keep.nothing),
    ("/sys/class/kfd/kfd/proc/*", keep.nothing),
    (f"{LISTS}/*Packages*", keep.nothing),
)
"""Kept where a fact names them, or written from facts."""
HEADS: tuple[tuple[str, KeepHead], ...] = (
    ("**/*-packages/torch/lib/*.so*", keep.library_head),
    (SECURE_BOOT, lambda head: head[: ATTRIBUTES + 1]),
)
"""For files of which detection takes the beginning alone."""
HEADS_WITH_WORDS: tuple[tuple[str, KeepHead], ...] = (
    ("/var/lib/dpkg/info/*.list", keep.opt_folders),
    (f"{LISTS}/*Release", apt.release_head),
)
TOLD_HEADS: tuple[tuple[str, KeepHead], ...] = tuple(
    (place, apt.key) for place in (*(f"{folder}/*" for folder in KEY_FOLDERS), OLD_RING)
)
VARIABLE_NAMES = """
    HOME USER LANG PATH SHELL TMPDIR VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT UV_PYTHON_INSTALL_DIR
    XDG_DATA_HOME SNAP FLATPAK_ID container XDG_STATE_HOME XDG_CACHE_HOME XDG_CONFIG_HOME
"""
VARIABLES = frozenset(VARIABLE_NAMES.split())
"""Beside those that ROCm, MIOpen and the loader read."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a record may hold of the files at paths of one form."""

    form: re.Pattern[str]
    keep: Keep = keep.nothing
    head: KeepHead | None = None
    with_words: bool = False
    """True when the file stays out where nothing of its text is kept."""
    told: bool = False
    """True when the file stays out unless a fact names it."""


def rule_for(path: str) -> Rule | None:
    """The rule for a path, the home folder written as ``~``; None when it is on no list."""
    return next((rule for rule in _rules() if rule.form.fullmatch(path)), None)


@cache
def _rules() -> tuple[Rule, ...]:
    return (
        *(Rule(_form(path), head=head) for path, head in HEADS),
        *(Rule(_form(path), head=head, with_words=True) for path, head in HEADS_WITH_WORDS),
        *(Rule(_form(path), head=head, told=True) for path, head in TOLD_HEADS),
        *(Rule(_form(path), keep) for path, keep in ALWAYS),
        *(Rule(_form(path), keep, with_words=True) for path, keep in WITH_WORDS),
        *(Rule(_form(path), keep, told=True) for path, keep in TOLD),
    )


def _form(pattern: str) -> re.Pattern[str]:
    escaped = re.escape(pattern).replace(r"\*\*/", "(?:.*/)?")
    return re.compile(escaped.replace(r"\*", "[^/]*"))
