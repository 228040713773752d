"""Finds what MIOpen keeps between runs: compiled kernels, and which solver it chose for a shape."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wizard.host.host import Host
from wizard.machine.facts import MiopenStore, Unknown
from wizard.machine.part import Found, Part

KERNELS, CHOICES = ".cache/miopen", ".config/miopen"
CACHE_VARIABLE, DATABASE_VARIABLE = "MIOPEN_CUSTOM_CACHE_DIR", "MIOPEN_USER_DB_PATH"
VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9}){1,2}")
STATED_VERSION = re.compile(r"\.HIP\.(\d+_\d+_\d+)")
TARGET = re.compile(r"(gfx[0-9a-f]+(?:_\d+)?)(?:_\d+\.\d+\.\d+)?\.")
"""MIOpen writes target and work-group processors first, such as ``gfx1030_18.ukdb``."""
ENTRY_LIMIT = 300
"""Nobody has run this many targets: more databases in one folder are not counted."""
STORE_LIMIT = 50


def read_miopen(host: Host) -> Found[tuple[MiopenStore, ...]]:
    """Stores in their usual places, and in those that variables in force name."""
    stores = [store for folder in _kernel_folders(host) for store in _kernels(host, folder)]
    choices = (_store(host, folder, "choices", "") for folder in _choice_folders(host))
    stores += [store for store in choices if store is not None]
    return Found(tuple(stores[:STORE_LIMIT]))


def _kernel_folders(host: Host) -> Iterator[str]:
    yield f"{host.home}/{KERNELS}"
    yield from _named(host, CACHE_VARIABLE)


def _choice_folders(host: Host) -> Iterator[str]:
    yield f"{host.home}/{CHOICES}"
    yield from _named(host, DATABASE_VARIABLE)


def _named(host: Host, variable: str) -> Iterator[str]:
    """The folder that a variable names, where it is a place of its own."""
    value = host.environ.get(variable, "").rstrip("/")
    path = f"{host.home}{value[1:]}" if value == "~" or value.startswith("~/") else value
    if path.startswith("/") and path not in (f"{host.home}/{KERNELS}", f"{host.home}/{CHOICES}"):
        yield path


def _kernels(host: Host, folder: str) -> Iterator[MiopenStore]:
    """The folder itself, and one for each MIOpen release below it."""
    names = host.folders(folder)
    releases = [name for name in names if VERSION.match(name)] if isinstance(names, tuple) else []
    for path, version in [(folder, ""), *((f"{folder}/{name}", name) for name in releases)]:
        match = VERSION.match(version)
        if (store := _store(host, path, "kernels", match[0] if match else "")) is not None:
            yield store


def _store(host: Host, folder: str, kind: str, version: str) -> MiopenStore | None:
    """The store in a folder; None where nothing is kept."""
    names = host.names(folder)
    if isinstance(names, Unknown):
        return None
    own = [name for name in names if name.startswith("gfx") and TARGET.match(name)]
    files = [(name, host.size(f"{folder}/{name}")) for name in own[:ENTRY_LIMIT]]
    sizes = {name: size for name, size in files if isinstance(size, int)}
    if not sizes:
        return None
    matches = (TARGET.match(name) for name in sizes)
    stated = {
        match[1].replace("_", ".") for name in sizes if (match := STATED_VERSION.search(name))
    }
    return MiopenStore(
        path=folder,
        kind=kind,
        version=version or ", ".join(sorted(stated)),
        targets=tuple(dict.fromkeys(match[1] for match in matches if match)),
        bytes=sum(sizes.values()),
    )


def _tell(stores: tuple[MiopenStore, ...]) -> tuple[str, tuple[str, ...]]:
    targets = dict.fromkeys(target for store in stores for target in store.targets)
    lines = tuple(_line(store) for store in stores)
    return (f"for {', '.join(targets) or 'no known target'}" if stores else "nothing"), lines


def _line(store: MiopenStore) -> str:
    version = f" of MIOpen {store.version}" if store.version else ""
    targets = ", ".join(store.targets) or "no known target"
    return f"{store.path}: {store.kind}{version} for {targets}, {store.bytes / 1e6:.1f} MB"


MIOPEN: Part[tuple[MiopenStore, ...]] = Part(
    title="MIOpen's cache",
    source=f"~/{KERNELS}, ~/{CHOICES}",
    read=read_miopen,
    without=lambda _: (),
    tell=_tell,
)
"""Compiled kernels and choices that MIOpen keeps."""
