"""The allow-list of a record: which paths it may hold, and what of each; all else stays out.

``~`` is the home folder, ``*`` any name, ``**`` any folders between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from wizard.apt.sources import KEY_FOLDERS, LISTS, OLD_RING
from wizard.knowledge.applications import load_traces
from wizard.machine.recording import excerpts
from wizard.machine.recording.excerpts import Excerpt, HeadExcerpt
from wizard.machine.rocm import OF_DRIVERS
from wizard.machine.settings import COMPOSE_FILES, HOME_FILES, PROJECT_SCRIPTS
from wizard.machine.surroundings import ATTRIBUTES, DMI_FILES, SECURE_BOOT

CARD = "/sys/bus/pci/devices/*"
PORT = "/sys/devices/**/*:*:*.*"
"""Where the folder of a card, and of each bridge before it, really is."""
NODE = "/sys/class/kfd/kfd/topology/nodes/*"
MINORS = 30
DISTRIBUTIONS = (
    *("InvokeAI", "invokeai", "ultralytics", "timm", "diffusers", "transformers"),
    *("jupyterlab", "notebook"),
)
"""As their wheels spell the names of the packages in ``assets/applications.toml``."""
NAMES = """
    /sys/bus/pci/devices /dev/kfd /dev/dri/* /dev/dxg /sys/module/amdgpu /var/lib/dkms/amdgpu/*
    /proc /sys/firmware /sys/firmware/* /.dockerenv /run/.containerenv /.flatpak-info
    /etc/snapper/configs/* /opt /opt/rocm /opt/rocm-* /opt/amdgpu /opt/amdgpu-* /opt/rocm*/**/*
    /opt/amdgpu*/**/* /etc/alternatives/rocm /var/lib/dpkg/info /var/lib/dpkg/updates/*
    /var/lib/dpkg/lock* /var/cache/apt/archives/lock ~ **/bin/python3 **/bin/uv **/conda-meta
    **/conda-meta/python-3*.json **/lib/python3.*/site-packages **/lib/python3.*/dist-packages
    /usr/lib/python3/dist-packages **/*-packages/torch **/*-packages/torch-*.*-info
    **/*-packages/numpy-*.*-info **/*-packages/amd_torch_device_*.dist-info
"""
"""Of these a record holds the name alone: that they are there says all."""
ALWAYS: tuple[tuple[str, Excerpt], ...] = (
    # The cards and their driver, as the kernel tells them.
    (f"{NODE}/properties", excerpts.kfd_properties),
    (f"{NODE}/gpu_id", excerpts.number),
    (f"{NODE}/io_links/*/properties", excerpts.kfd_properties),
    (PORT, excerpts.nothing),
    *(
        (f"{PORT}/{end}_link_{what}", form)
        for end in ("current", "max")
        for what, form in (("width", excerpts.number), ("speed", excerpts.link_speed))
    ),
    (f"{PORT}/vendor", excerpts.hex_number),
    ("/sys/module/amdgpu/version", excerpts.only(r"\d[\w.+~:-]{0,60}")),
    # The system and what it runs inside of.
    ("/etc/os-release", excerpts.os_release),
    ("/usr/lib/os-release", excerpts.os_release),
    ("/proc/sys/kernel/osrelease", excerpts.only(r"[\w.+~-]+")),
    ("/proc/cpuinfo", excerpts.cpu),
    ("/run/systemd/container", excerpts.only("[a-z][a-z0-9-]{1,30}")),
    ("/run/systemd/seats/seat0", excerpts.lines(r"(?:ACTIVE|SESSIONS)=[\w ]{0,200}")),
    ("/run/systemd/sessions/*", excerpts.lines(r"CLASS=[a-z-]{1,30}")),
    ("/etc/timeshift/timeshift.json", excerpts.timeshift),
    ("/etc/timeshift.json", excerpts.timeshift),
    # ROCm and packages.
    ("/opt/rocm*/.info/version*", excerpts.first(r"\A\s*\d+(?:\.\d+)+")),
    (f"{LISTS}/lock", excerpts.nothing),
    ("/proc/*/comm", excerpts.only(r"[^\n]{1,64}")),
    # Pythons.
    *((f"**/bin/python3.{minor}", excerpts.nothing) for minor in range(MINORS)),
    *(
        (f"**/{library}/python3.*/{name}", excerpts.nothing)
        for library in ("lib", "lib64")
        for name in ("os.py", "venv/__init__.py")
    ),
    ("**/include/python3.*/patchlevel.h", excerpts.first(r'^#define\s+PY_VERSION\s+"3\.[\w.+]+"')),
    # Environments, and the torch in each.
    ("**/pyvenv.cfg", excerpts.venv_config),
    ("**/*-packages/torch.dist-info/METADATA", excerpts.first(r"^Version:\s*[\w.+!-]+$")),
    ("**/*-packages/numpy.dist-info/METADATA", excerpts.first(r"^Version:\s*[\w.+!-]+$")),
    ("**/*-packages/torch/version.py", excerpts.torch_version),
    *((f"**/*-packages/{name}-*.dist-info", excerpts.nothing) for name in DISTRIBUTIONS),
    (
        "**/*-packages/torch-*.dist-info/RECORD",
        excerpts.lines(r"torch/lib/lib[\w+-]+\.so[\w.]*,sha256=[\w-]*,\d{1,19}"),
    ),
    ("**/rdna1-setup/runs/*/journal.jsonl", excerpts.journal),
    *((name, excerpts.nothing) for name in NAMES.split()),
)
"""Kept wherever detection looked at them."""
WITH_WORDS: tuple[tuple[str, Excerpt], ...] = (
    ("/etc/apt/sources.list", excerpts.source_lines),
    ("/etc/apt/sources.list.d/*.list", excerpts.source_lines),
    ("/etc/apt/sources.list.d/*.sources", excerpts.source_paragraphs),
    *((f"/sys/class/dmi/id/{name}", excerpts.maker) for name in DMI_FILES),
)
"""Kept where something of their text is."""
TOLD_NAMES = """
    /etc/alternatives/* /proc/* /proc/*/stat /proc/*/fd /proc/*/fd/* /proc/locks
    /proc/self/mountinfo /sys/class/kfd/kfd/proc/*
"""
"""Of these the name alone, where a fact has it."""
TOLD: tuple[tuple[str, Excerpt], ...] = (
    (f"{CARD}/class", excerpts.hex_number),
    (f"{CARD}/vendor", excerpts.hex_number),
    (f"{CARD}/device", excerpts.hex_number),
    (f"{CARD}/revision", excerpts.hex_number),
    (f"{CARD}/mem_info_vram_total", excerpts.number),
    (f"{CARD}/fw_version/mec_fw_version", excerpts.only(r"0x[0-9A-Fa-f]{1,8}|\d{1,10}")),
    (f"{CARD}/power/runtime_status", excerpts.only(r"[a-z]+")),
    (f"{CARD}/driver", excerpts.nothing),
    (f"{CARD}/drm/card*", excerpts.nothing),
    (f"{CARD}/drm/renderD*", excerpts.nothing),
    (f"{CARD}/drm/card*/card*-*/status", excerpts.only(r"[a-z]+")),
    (CARD, excerpts.nothing),
    # Settings.
    ("/etc/environment", excerpts.shell),
    ("/etc/profile", excerpts.shell),
    ("/etc/bash.bashrc", excerpts.shell),
    ("/etc/profile.d/*.sh", excerpts.shell),
    ("/etc/environment.d/*.conf", excerpts.shell),
    ("~/.config/environment.d/*.conf", excerpts.shell),
    *((f"~/{name}", excerpts.shell) for name in HOME_FILES if not name.endswith(".fish")),
    ("~/.config/fish/config.fish", excerpts.fish),
    ("~/.config/fish/conf.d/*.fish", excerpts.fish),
    ("~/.config/fish/fish_variables", excerpts.fish_universal_file),
    ("/etc/systemd/*/*.service", excerpts.unit_file),
    ("/etc/systemd/*/*.service.d/*.conf", excerpts.unit_file),
    ("~/.config/systemd/user/*.service", excerpts.unit_file),
    ("~/.config/systemd/user/*.service.d/*.conf", excerpts.unit_file),
    ("/etc/default/*", excerpts.shell),
    ("**/bin/activate", excerpts.shell),
    ("**/bin/activate.fish", excerpts.fish),
    ("**/conda-meta/state", excerpts.json_file("env_vars")),
    ("**/etc/conda/activate.d/*.sh", excerpts.shell),
    ("**/etc/conda/activate.d/*.fish", excerpts.fish),
    ("**/jupyter/kernels/*/kernel.json", excerpts.json_file("env")),
    ("**/*-packages/*.pth", excerpts.pth_file),
    ("**/*-packages/*.py", excerpts.python_file),
    *((f"**/{name}", excerpts.shell) for name in PROJECT_SCRIPTS),
    *((f"**/{name}", excerpts.compose_file) for name in COMPOSE_FILES),
    *((f"**/{name}", excerpts.nothing) for trace in load_traces() for name in trace.files),
    *((f"**/{trace.root}", excerpts.nothing) for trace in load_traces() if trace.root),
    *((f"**/bin/{trace.program}", excerpts.nothing) for trace in load_traces() if trace.program),
    # What a set-up leaves in the system's own folders.
    ("/etc/apt/preferences", excerpts.pins),
    ("/etc/apt/preferences.d/*", excerpts.pins),
    ("/var/lib/dpkg/alternatives/*", excerpts.alternative),
    ("/etc/ld.so.conf.d/*.conf", excerpts.plain_lines("rocm|amdgpu")),
    ("/etc/modprobe.d/*.conf", excerpts.plain_lines(OF_DRIVERS.pattern)),
    ("/etc/udev/rules.d/*.rules", excerpts.plain_lines("kfd|renderD")),
    ("/usr/lib/udev/rules.d/*.rules", excerpts.plain_lines("kfd|renderD")),
    ("/etc/OpenCL/vendors/*.icd", excerpts.first(r"\A\s*[\w./+-]{1,160}")),
    # Told by facts alone.
    (f"{LISTS}/*Packages*", excerpts.nothing),
    *((name, excerpts.nothing) for name in TOLD_NAMES.split()),
)
"""Kept where a fact names them, or written from facts."""
HEADS: tuple[tuple[str, HeadExcerpt], ...] = (
    ("**/*-packages/torch/lib/*.so*", excerpts.library_head),
    (SECURE_BOOT, lambda head: head[: ATTRIBUTES + 1]),
)
"""For files of which detection takes the beginning alone."""
HEADS_WITH_WORDS: tuple[tuple[str, HeadExcerpt], ...] = (
    ("/var/lib/dpkg/info/*.list", excerpts.opt_folders),
    (f"{LISTS}/*Release", excerpts.release_head),
)
TOLD_HEADS: tuple[tuple[str, HeadExcerpt], ...] = tuple(
    (place, excerpts.key) for place in (*(f"{folder}/*" for folder in KEY_FOLDERS), OLD_RING)
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
    keep: Excerpt = excerpts.nothing
    head: HeadExcerpt | None = None
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
