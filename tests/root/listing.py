"""What lies in a root, file by file, so that two moments can be compared."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from pathlib import Path

from tests.e2e.system.roots import Root

Listing = dict[str, str]
"""Kind, owner, permissions and content or target, by absolute path."""


def listing(root: Root, *folders: str) -> Listing:
    """Everything at and below these folders, links not followed."""
    found: Listing = {}
    for name in folders:
        top = root.folder / name.lstrip("/")
        if not top.exists():
            continue
        paths = [top, *(Path(place) / each for place, a, b in os.walk(top) for each in (*a, *b))]
        for path in paths:
            found[f"/{path.relative_to(root.folder)}"] = _seen(path)
    return found


def _seen(path: Path) -> str:
    state = path.lstat()
    content = ""
    if stat.S_ISLNK(state.st_mode):
        content = str(path.readlink())
    elif stat.S_ISREG(state.st_mode):
        content = sha256(path.read_bytes()).hexdigest()[:16]
    return f"{stat.filemode(state.st_mode)} {state.st_uid}:{state.st_gid} {content}"


def changed(before: Listing, after: Listing, *allowed: str) -> dict[str, tuple[str, str]]:
    """What differs, but for paths that begin with one of these."""
    paths = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    return {
        path: (before.get(path, "nothing"), after.get(path, "nothing"))
        for path in sorted(paths)
        if not path.startswith(allowed)
    }


def dpkg_state(root: Root) -> str:
    """Every package with its version and state, and which are mere dependencies."""
    form = "${binary:Package} ${Version} ${db:Status-Abbrev}\n"
    listed = root.run("dpkg-query", "-W", "-f", form).stdout
    return listed + root.run("apt-mark", "showauto").stdout
