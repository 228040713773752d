"""All that the law of undo compares: each thing of a root under its name, in words."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from pathlib import Path

from tests.e2e.system.roots import Root
from tests.root.everything import COMPARED

State = dict[str, str]
"""What stands under each absolute path; each package and alternative under its name."""
Known = dict[tuple[int, ...], str]
"""What files hold, by number, time of the last change of anything of theirs, and size."""

PLACES = (*COMPARED, "/usr/local", "/var/lib/dpkg/alternatives", "/var/lib/dpkg/info")


def state(root: Root, known: Known) -> State:
    """Files with all that belongs to them; packages with dpkg's and apt's notes; alternatives."""
    return {**_files(root, known), **_packages(root), **_alternatives(root)}


def differences(before: State, after: State, *allowed: str) -> dict[str, tuple[str, str]]:
    """What is otherwise, but for names that begin with one of these."""
    names = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    return {
        name: (before.get(name, "nothing"), after.get(name, "nothing"))
        for name in sorted(names)
        if not name.startswith(allowed)
    }


def seen(path: Path, known: Known) -> str:
    """Type, mode, owner, content or target, attributes and ACLs of one file."""
    now = path.lstat()
    key = (now.st_dev, now.st_ino, now.st_ctime_ns, now.st_size)  # nobody can set that time
    if key not in known:
        content = ""
        if stat.S_ISLNK(now.st_mode):
            content = str(path.readlink())
        elif stat.S_ISREG(now.st_mode):
            content = sha256(path.read_bytes()).hexdigest()
        names = sorted(os.listxattr(path, follow_symlinks=False))
        more = [f"{n}={os.getxattr(path, n, follow_symlinks=False).hex()}" for n in names]
        form = f"{stat.filemode(now.st_mode)} {now.st_uid}:{now.st_gid}"
        known[key] = " ".join((form, content, *more))
    return known[key]


def _files(root: Root, known: Known) -> State:
    found: State = {}
    links: dict[tuple[int, int], list[str]] = {}
    for top in (root.folder / place.lstrip("/") for place in PLACES):
        paths = (Path(place) / each for place, a, b in os.walk(top) for each in (*a, *b))
        for path in (top, *paths):
            name = f"/{path.relative_to(root.folder)}"
            found[name] = seen(path, known)
            now = path.lstat()
            if now.st_nlink > 1 and stat.S_ISREG(now.st_mode):
                links.setdefault((now.st_dev, now.st_ino), []).append(name)
    for names in links.values():
        for name in names if len(names) > 1 else ():  # the backup may have the other name
            found[name] += f" = {sorted(names)}"
    return found


def _packages(root: Root) -> State:
    form = "${binary:Package}\t${Version} ${db:Status-Abbrev} ${Conffiles}\n;"
    listed = root.run("dpkg-query", "-W", "-f", form).stdout.split(";")
    rows = (line.strip("\n").split("\t", 1) for line in listed if "\t" in line)
    found = {f"package {name}": told for name, told in rows}
    for name in root.run("apt-mark", "showauto").stdout.split():
        found[f"package {name}"] = f"{found.get(f'package {name}', '')} auto"
    return found


def _alternatives(root: Root) -> State:
    chosen = root.run("update-alternatives", "--get-selections").stdout.splitlines()
    return {f"alternative {line.split()[0]}": " ".join(line.split()[1:]) for line in chosen}
