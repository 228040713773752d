"""An environment's layout and the Python that wheels are chosen for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packaging.tags import Tag, compatible_tags, cpython_tags

from wizard.host.files import Print, listing

_VENV_LAYOUT = re.compile(
    r"pyvenv\.cfg|\.gitignore|CACHEDIR\.TAG|lib64|bin/(python[\d.]*t?|𝜋thon|activate(\.\w+)?|"
    r"Activate\.ps1|activate_this\.py|deactivate\.bat|pydoc\.bat)|"
    r"lib/python[\d.]+t?/site-packages/_virtualenv\.(py|pth)"
)
"""What ``uv venv`` and ``python -m venv`` write, on Python 3.8 to 3.14, without any package."""

LAYOUT = ("bin", "include", "lib", "share")
"""Where a venv's own folders lie: only there are emptied folders removed."""


def made_with_venv(root: Path, before: Iterable[str]) -> dict[str, Print]:
    """Files that making the venv left in a folder that held ``before``."""
    known = frozenset(before)
    found = listing(root).files
    return {p: s for p, s in found.items() if p not in known and _VENV_LAYOUT.fullmatch(p)}


def site_packages(root: Path, site: str = "") -> tuple[Path, ...]:
    """The site folder that a step names, else those of a venv (one, unless its Python was
    changed)."""
    if site:
        return (Path(site),)
    return tuple(sorted((root / "lib").glob("python3.*/site-packages")))


_QUESTION = """
import json, os, platform, sys, sysconfig
try:
    libc = os.confstr("CS_GNU_LIBC_VERSION") or ""
except (ValueError, OSError):
    libc = ""
print(json.dumps([
    ".".join(map(str, sys.version_info[:3])), bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    platform.machine(), libc,
]))
"""
_OLDER_NAMES = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
"""What wheels for these versions of the C library are called as well."""
_NEWEST_GLIBC = 99


@dataclass(frozen=True, slots=True)
class Target:
    """One Python on one machine, as far as wheels ask for it."""

    python: str
    """The whole version, for example ``3.10.13``."""
    glibc: str = ""
    """For example ``2.39``; one that is not known counts as new."""
    machine: str = "x86_64"
    free_threaded: bool = False


def question(python: str) -> tuple[str, ...]:
    """The call by which an interpreter tells what it is."""
    return (python, "-I", "-c", _QUESTION)


def answered(text: str) -> Target:
    """What it told; raises ValueError for anything else."""
    version, free, machine, libc = json.loads(text)
    return Target(str(version), str(libc).removeprefix("glibc "), str(machine), bool(free))


@cache
def tags(target: Target) -> tuple[Tag, ...]:
    """The tags of the wheels that it takes, the best first."""
    major, minor = map(int, target.python.split(".")[:2])
    interpreter = f"cp{major}{minor}"
    platforms = tuple(_platforms(target))
    abi = f"{interpreter}t" if target.free_threaded else interpreter
    own = cpython_tags((major, minor), [abi], platforms)
    return (*own, *compatible_tags((major, minor), interpreter, platforms))


def _platforms(target: Target) -> list[str]:
    here = re.match(r"2\.(\d+)", target.glibc)
    found = []
    for minor in range(int(here[1]) if here else _NEWEST_GLIBC, 4, -1):
        found.append(f"manylinux_2_{minor}_{target.machine}")
        if older := _OLDER_NAMES.get(minor):
            found.append(f"{older}_{target.machine}")
    return [*found, f"linux_{target.machine}"]
