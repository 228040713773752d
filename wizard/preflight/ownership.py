"""Reads what dpkg says belongs to ROCm packages, so that a plan knows what goes with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.machine.dpkg_files import info_files
from wizard.machine.facts import Machine, Package
from wizard.plan.prepared import Belongings, TreeContent

LIST_LIMIT = 4 * 1024 * 1024
"""No more of a file is read: a list of that length may be cut off."""
ENTRY_LIMIT = 10_000
"""No more names of one folder are told."""

Lists = dict[str, frozenset[str]]
"""Paths by package."""


def belongings(host: Host, machine: Machine) -> Belongings | None:
    """Which packages own what; None where that cannot be told for all of them."""
    packages = machine.rocm_packages
    lists = {} if isinstance(packages, Unknown) else _lists(host, packages)
    if lists is None or isinstance(packages, Unknown):
        return None
    owners = {path: name for name, paths in lists.items() for path in paths if _is_setting(path)}
    trees = (
        _content(host, tree.path, lists) for tree in machine.rocm_trees if tree.link_to is None
    )
    return Belongings(owners, {tree.path: tree for tree in trees if tree is not None})


def _lists(host: Host, packages: Iterable[Package]) -> Lists | None:
    found: Lists = {}
    for package in packages:
        if package.origin != "distribution":
            paths = _list(host, package.name)
            if paths is None:
                return None
            found[package.name] = paths
    return found


def _list(host: Host, name: str) -> frozenset[str] | None:
    for file in info_files(name, "list"):
        text = host.read(file)
        if isinstance(text, str):
            return frozenset(text.splitlines()) if len(text) < LIST_LIMIT else None
    return None


def _is_setting(path: str) -> bool:
    return path.startswith("/etc/")


def _content(host: Host, tree: str, lists: Lists) -> TreeContent | None:
    """Whose a folder is; None where it cannot be looked through."""
    below = f"{tree}/"
    owned = {path for paths in lists.values() for path in paths if path.startswith(below)}
    owners = frozenset(
        name for name, paths in lists.items() if any(path.startswith(below) for path in paths)
    )
    try:
        stray = next((path for path in _files(host, tree) if path not in owned), None)
    except _Hidden:
        return None
    return TreeContent(tree, owners, stray is not None)


class _Hidden(Exception):
    """A folder cannot be looked into, or not wholly."""


def _files(host: Host, folder: str) -> Iterator[str]:
    """Everything below a folder that is no folder itself."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        names, folders = host.names(here), host.folders(here)
        if isinstance(names, Unknown) or isinstance(folders, Unknown) or len(names) >= ENTRY_LIMIT:
            raise _Hidden
        waiting += [f"{here}/{name}" for name in folders]
        inside = set(folders)
        yield from (f"{here}/{name}" for name in names if name not in inside)
