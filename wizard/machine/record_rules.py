"""The allow-list of a record: which paths it may hold, and what of each; all else stays out.

``~`` is the home folder, ``*`` any name, ``**`` any folders between.
"""

from __future__ import annotations

import re
from functools import cache

from wizard.machine import record_keep as keep
from wizard.machine.record_keep import Keep, KeepHead
from wizard.machine.record_settings import RULES as SETTING_RULES

CARD = "/sys/bus/pci/devices/*"
NODE = "/sys/class/kfd/kfd/topology/nodes/*"
RULES: tuple[tuple[str, Keep], ...] = (
    # The cards, as the kernel tells them.
    (f"{CARD}/class", keep.hex_number),
    (f"{CARD}/vendor", keep.hex_number),
    (f"{CARD}/device", keep.hex_number),
    (f"{CARD}/revision", keep.hex_number),
    (f"{CARD}/mem_info_vram_total", keep.number),
    (f"{CARD}/power/runtime_status", keep.only(r"[a-z]+")),
    (f"{CARD}/driver", keep.nothing),
    (f"{CARD}/drm/card*", keep.nothing),
    (f"{CARD}/drm/renderD*", keep.nothing),
    (f"{CARD}/drm/card*/card*-*/status", keep.only(r"[a-z]+")),
    (f"{NODE}/properties", keep.kfd_properties),
    (f"{NODE}/gpu_id", keep.number),
    ("/dev/kfd", keep.nothing),
    ("/dev/dri/*", keep.nothing),
    # The system.
    ("/etc/os-release", keep.os_release),
    ("/usr/lib/os-release", keep.os_release),
    ("/proc/sys/kernel/osrelease", keep.only(r"[\w.+~-]+")),
    ("/proc/cpuinfo", keep.cpu),
    # ROCm.
    ("/opt", keep.nothing),
    ("/opt/rocm", keep.nothing),
    ("/opt/rocm-*", keep.nothing),
    ("/opt/rocm*/.info/version*", keep.first(r"\A\s*\d+(?:\.\d+)+")),
    ("/etc/alternatives/rocm", keep.nothing),
    # Pythons.
    ("**/bin/python3", keep.nothing),
    ("**/bin/python3.*", keep.nothing),
    ("**/bin/uv", keep.nothing),
    ("**/lib/python3.*/os.py", keep.nothing),
    ("**/lib/python3.*/venv/__init__.py", keep.nothing),
    ("**/lib/python3.*/ensurepip/__init__.py", keep.nothing),
    ("**/lib64/python3.*/os.py", keep.nothing),
    ("**/lib64/python3.*/venv/__init__.py", keep.nothing),
    ("**/lib64/python3.*/ensurepip/__init__.py", keep.nothing),
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
    # Settings.
    ("/etc/environment", keep.shell),
    ("/etc/profile", keep.shell),
    ("/etc/bash.bashrc", keep.shell),
    ("/etc/profile.d/*.sh", keep.shell),
    ("/etc/environment.d/*.conf", keep.shell),
    ("~/.config/environment.d/*.conf", keep.shell),
    ("~/.bashrc", keep.shell),
    ("~/.bash_profile", keep.shell),
    ("~/.bash_login", keep.shell),
    ("~/.profile", keep.shell),
    ("~/.zshrc", keep.shell),
    ("~/.zshenv", keep.shell),
    ("~/.zprofile", keep.shell),
    ("~/.config/fish/config.fish", keep.fish),
    *SETTING_RULES,
)
HEAD_RULES: tuple[tuple[str, KeepHead], ...] = (
    ("**/*-packages/torch/lib/*.so*", keep.library_head),
)
"""For files of which detection takes the beginning alone."""
VARIABLE_NAMES = """
    HOME USER LANG PATH SHELL TMPDIR VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT UV_PYTHON_INSTALL_DIR
    XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_CONFIG_HOME
"""
VARIABLES = frozenset(VARIABLE_NAMES.split())
"""Beside those that ROCm, MIOpen and the loader read."""


def rule_for(path: str) -> Keep | None:
    """What may be kept of the text at a path; None when the path is not on the list."""
    named = next((keep for form, keep in _forms() if form.fullmatch(path)), None)
    return keep.nothing if named is None and head_rule_for(path) else named


def head_rule_for(path: str) -> KeepHead | None:
    """What may be kept of the beginning of a file; None when it is not on the list."""
    return next((keep for form, keep in _head_forms() if form.fullmatch(path)), None)


@cache
def _forms() -> tuple[tuple[re.Pattern[str], Keep], ...]:
    return tuple((re.compile(_regex(pattern)), keep) for pattern, keep in RULES)


@cache
def _head_forms() -> tuple[tuple[re.Pattern[str], KeepHead], ...]:
    return tuple((re.compile(_regex(pattern)), keep) for pattern, keep in HEAD_RULES)


def _regex(pattern: str) -> str:
    escaped = re.escape(pattern)
    return escaped.replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
