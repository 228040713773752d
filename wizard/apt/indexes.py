"""What package indexes say: AMD's as apt keeps them, and records as ``apt-cache show`` has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wizard.apt.sources import LISTS, Paragraph, is_amd_host, is_amd_release, paragraphs
from wizard.core.fact import Fact, Unknown
from wizard.host.host import Host

RELEASES = ("InRelease", "Release")
INDEX_BYTES = 4 * 1024 * 1024
"""AMD's are small: 351,040 bytes for ROCm 6.2.4."""
UNPACKED_BYTES = 16 * 1024 * 1024
LZMA_BYTES = 64 * 1024 * 1024
"""Memory that unpacking may take; ``xz -9`` asks for 65 MiB, ``xz -6`` for 9."""
KIBIBYTE = 1024
BEGINNING = re.compile(r"^Package:", re.MULTILINE)
"""Each begins with this; the reader of a program's output leaves blank lines out."""


def amd_versions(host: Host) -> tuple[frozenset[tuple[str, str]], tuple[Unknown, ...]]:
    """Every package and version in AMD's indexes, and the indexes that could not be read."""
    names = host.names(LISTS)
    if isinstance(names, Unknown):
        return frozenset(), ()
    versions: set[tuple[str, str]] = set()
    unread = []
    for name in _amd_indexes(host, names):
        text = _index(host, f"{LISTS}/{name}")
        if isinstance(text, Unknown):
            unread.append(text)
        else:
            versions.update(_versions(text))
    return frozenset(versions), tuple(unread)


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
    import lzma  # a Python can be built without these
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


@dataclass(frozen=True, slots=True)
class PackageRecord:
    """One version of a package as an index tells of it."""

    name: str
    """With its architecture where that is not the system's own."""
    version: str
    downloadable: bool
    """False for one that only dpkg knows of."""
    download_bytes: int
    installed_bytes: int


def package_records(text: str) -> tuple[PackageRecord, ...]:
    """Every version that was told, with or without blank lines between them."""
    apart = BEGINNING.sub(r"\n\g<0>", text)
    return tuple(_record(fields) for _, fields in paragraphs(apart) if "package" in fields)


def qualified(fields: Paragraph) -> str:
    """The name of a package, with its architecture where that is not the system's own."""
    name, architecture = (fields.get(key, "").strip() for key in ("package", "architecture"))
    return name if architecture in ("", "all", "amd64") else f"{name}:{architecture}"


def _record(fields: Paragraph) -> PackageRecord:
    return PackageRecord(
        name=qualified(fields),
        version=fields.get("version", "").strip(),
        downloadable="filename" in fields,
        download_bytes=_number(fields.get("size", "")),
        installed_bytes=_number(fields.get("installed-size", "")) * KIBIBYTE,
    )


def _number(text: str) -> int:
    return int(text) if text.strip().isdecimal() and len(text) < 20 else 0
