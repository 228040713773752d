"""A Python that a folder brings: a stand-in of the archive that uv fetches, packed from one here.

The real archive lies on GitHub. The stand-in has its shape and place; uv is told of it by a list of
its own, and installs it from the folder as it would the real one.
"""

from __future__ import annotations

import json
import tarfile
from hashlib import sha256
from pathlib import Path

from tests.e2e.homes import python_310

DAY = "20260101"
ARCHIVE = f"cpython-3.10.99+{DAY}-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz"
AT = "https://github.com/astral-sh/python-build-standalone/releases/download"
"""What uv replaces by a mirror."""
URL = f"{AT}/{DAY}/{ARCHIVE.replace('+', '%2B')}"
LIST = "UV_PYTHON_DOWNLOADS_JSON_URL"
LEFT_OUT = frozenset(("test", "tests", "idlelib", "tkinter", "site-packages", "share", "include"))


def make_archive(folder: Path) -> Path:
    """The archive below a mirror, without what no venv needs."""
    path = folder / DAY / ARCHIVE
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        archive.add(python_310().resolve().parents[1], "python", filter=_needed)
    return path


def _needed(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    parts = Path(member.name).parts
    left_out = LEFT_OUT & set(parts) or parts[-1].startswith("config-") or parts[-1] == "_tkinter"
    member.uid = member.gid = 0
    return None if left_out else member


def make_list(path: Path, archive: Path, url: str = URL) -> Path:
    """uv's list of Pythons: this one alone, to be had from there."""
    entry = {
        "name": "cpython",
        "arch": {"family": "x86_64", "variant": None},
        "os": "linux",
        "libc": "gnu",
        "major": 3,
        "minor": 10,
        "patch": 99,
        "prerelease": "",
        "url": url,
        "sha256": sha256(archive.read_bytes()).hexdigest(),
        "variant": None,
        "build": DAY,
    }
    path.write_text(json.dumps({"cpython-3.10.99-linux-x86_64-gnu": entry}))
    path.chmod(0o644)
    return path
