"""What a venv is made of: its own folders and files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from wizard.host.prints import Print, listing

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
