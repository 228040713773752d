"""Reads AMD's package indexes as apt keeps them: which versions are really AMD's."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.core.fact import Fact, Unknown
from wizard.host.host import Host
from wizard.machine.part import Found

LISTS = "/var/lib/apt/lists"
ORIGIN = "repo.radeon.com"
"""What the Release files of both of AMD's repositories say as Origin and as Label.

https://github.com/ROCm/ROCm/issues/4022 quotes those of ROCm 6.2.4.
"""
RELEASES = ("InRelease", "Release")
RELEASE_HEAD = 4096
"""Origin and Label stand at the top; the hashes below them can be long."""
INDEX_BYTES = 4 * 1024 * 1024
"""AMD's are small: 351,040 bytes for ROCm 6.2.4."""
UNPACKED_BYTES = 16 * 1024 * 1024
LZMA_BYTES = 64 * 1024 * 1024
"""Memory that unpacking may take; ``xz -9`` asks for 65 MiB, ``xz -6`` for 9."""

Versions = frozenset[tuple[str, str]]
"""Names and versions of packages."""


def amd_versions(host: Host) -> Found[Versions]:
    """Every package and version in AMD's indexes, and the indexes that could not be read."""
    names = host.names(LISTS)
    if isinstance(names, Unknown):
        return Found(frozenset())
    versions: set[tuple[str, str]] = set()
    unread = []
    for name in _amd_indexes(host, names):
        text = _index(host, f"{LISTS}/{name}")
        if isinstance(text, Unknown):
            unread.append(text)
        else:
            versions.update(_versions(text))
    return Found(frozenset(versions), tuple(unread))


def is_amd_host(name: str) -> bool:
    """True for a server of AMD's, also with a port."""
    host = name.partition(":")[0].lower()
    return host == ORIGIN or host.endswith(".amd.com")


def is_amd_release(host: Host, path: str) -> bool:
    """True for a Release file of AMD's, also when a mirror hands it out."""
    head = host.head(path, RELEASE_HEAD)
    if isinstance(head, Unknown):
        return False
    for line in head.decode("utf-8", "replace").splitlines():
        field, _, value = line.partition(":")
        if field in ("Origin", "Label") and value.strip() == ORIGIN:
            return True
    return False


def _amd_indexes(host: Host, names: tuple[str, ...]) -> list[str]:
    """Names of the package indexes of lists that are AMD's by server or by Release file."""
    amd = tuple(prefix for prefix, name in _lists(names) if _is_amd(host, name))
    indexes = [name for name in names if "Packages" in name.rpartition("_")[2]]
    return [name for name in indexes if name.startswith(amd) or is_amd_host(_server(name))]


def _lists(names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What the names of all files of one repository begin with, and its Release file."""
    for name in names:
        prefix, _, last = name.rpartition("_")
        if last in RELEASES:
            yield f"{prefix}_", name


def _is_amd(host: Host, name: str) -> bool:
    return is_amd_host(_server(name)) or is_amd_release(host, f"{LISTS}/{name}")


def _server(name: str) -> str:
    return name.partition("_")[0]


def _index(host: Host, path: str) -> Fact[str]:
    kind = path.rpartition("Packages")[2]
    if kind == "":
        return host.read(path)
    if kind not in (".gz", ".xz"):
        return Unknown(f"{path} is compressed in a way that Python cannot read")
    packed = host.head(path, INDEX_BYTES)
    return packed if isinstance(packed, Unknown) else _unpacked(packed, kind, path)


def _unpacked(packed: bytes, kind: str, path: str) -> Fact[str]:
    """The text, up to a limit: a few bytes can unpack to gigabytes."""
    import lzma  # here and not above: most machines keep no index of AMD's packed
    import zlib

    try:
        if kind == ".gz":
            raw = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(packed, UNPACKED_BYTES)
        else:
            raw = lzma.LZMADecompressor(memlimit=LZMA_BYTES).decompress(packed, UNPACKED_BYTES)
    except (zlib.error, lzma.LZMAError, MemoryError, EOFError) as error:
        return Unknown(f"{path} could not be unpacked: {error}")
    return raw.decode("utf-8", "replace")


def _versions(text: str) -> Iterator[tuple[str, str]]:
    """Name and version of each paragraph of an index."""
    name = ""
    for line in text.splitlines():
        if line.startswith("Package:"):
            name = line[8:].strip()
        elif line.startswith("Version:") and name:
            yield name, line[8:].strip()
        elif not line:
            name = ""
