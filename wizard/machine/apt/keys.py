"""Reads which key files on the machine vouch for AMD's packages."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator

from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.machine.apt.sources import read_apt_sources
from wizard.machine.facts import SystemFile

FOLDERS = ("/etc/apt/keyrings", "/etc/apt/trusted.gpg.d", "/usr/share/keyrings")
OLD_RING = "/etc/apt/trusted.gpg"
"""Where ``apt-key add`` put keys."""
NAME = re.compile(r"(?:^|[._-])(?:rocm|amdgpu|radeon)", re.IGNORECASE)
KEY_ID = bytes.fromhex("9386B48A1A693C5C")
"""End of the fingerprint of AMD's ROCm release key, CA8BB4727A47B4D09B4EE8969386B48A1A693C5C.

A key names itself in its own signature, so the bytes stand in the file.
"""
KEY_BYTES = 256 * 1024
ARMOR = b"-----BEGIN PGP"


def amd_keys(host: Host) -> tuple[SystemFile, ...]:
    """Keys that are AMD's by content, by name, or because a source of AMD's names them."""
    named = _named_by_sources(host)
    files = (_key(host, path, named) for path in dict.fromkeys((*_paths(host), *named)))
    return tuple(file for file in files if file is not None)


def _paths(host: Host) -> Iterator[str]:
    if host.is_file(OLD_RING):
        yield OLD_RING
    for folder in FOLDERS:
        names = host.names(folder)
        yield from () if isinstance(names, Unknown) else (f"{folder}/{name}" for name in names)


def _named_by_sources(host: Host) -> tuple[str, ...]:
    """Files after ``signed-by`` in AMD's sources; a fingerprint there is no file."""
    values = (source.signed_by for source in read_apt_sources(host).value if source.amd)
    words = (word for value in values for word in re.split(r"[\s,]+", value))
    return tuple(word for word in words if word.startswith("/"))


def _key(host: Host, path: str, named: tuple[str, ...]) -> SystemFile | None:
    head = host.head(path, KEY_BYTES)
    if isinstance(head, Unknown):
        wanted = path in named or NAME.search(path.rpartition("/")[2])
        return SystemFile(path, "key", head.because) if wanted else None
    if holds_amds_key(head):
        return SystemFile(path, "key", "contains AMD's ROCm release key" + _reach(path))
    if path in named:
        return SystemFile(path, "key", "used by an AMD source, but not ROCm's key")
    if NAME.search(path.rpartition("/")[2]):
        return SystemFile(path, "key", "named like AMD's, but not ROCm's key" + _reach(path))
    return None


def holds_amds_key(head: bytes) -> bool:
    """True when the key file, binary or in letters, has AMD's ROCm release key in it."""
    return KEY_ID in _binary(head)


def _reach(path: str) -> str:
    everywhere = path == OLD_RING or path.startswith(FOLDERS[1])
    return ", trusted for every source" if everywhere else ""


def _binary(head: bytes) -> bytes:
    """The key itself, also of a file in letters."""
    start = head.find(ARMOR)
    if start < 0:
        return head
    body = re.split(rb"\r?\n[ \t]*\r?\n", head[start:], maxsplit=1)[-1]
    letters = body.partition(b"\n=")[0].partition(b"-----END")[0]
    try:
        return binascii.a2b_base64(letters + b"==")
    except binascii.Error:
        return head
