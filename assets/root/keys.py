"""Public keys as OpenPGP has them: packets, and the fingerprints of armoured ones.

RFC 9580, 4.2 (packets) and 5.5.4 (fingerprints).
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from typing import Iterator

KEY_BLOCK = (
    r"-----BEGIN PGP PUBLIC KEY BLOCK-----\n(?:[A-Za-z]+: [ -~]*\n)*\n?"
    r"((?:[A-Za-z0-9+/]{1,76}\n)*[A-Za-z0-9+/]{1,76}={0,2}\n)(?:=[A-Za-z0-9+/]{4}\n)?"
    r"-----END PGP PUBLIC KEY BLOCK-----"
)
KEY = re.compile(r"\s*(?:" + KEY_BLOCK + r"\s*)+")
PUBLIC_KEY = 6
"""The tag of the packet that a primary key is."""
OF_A_KEY = (2, 6, 13, 14, 17)
"""Signatures, keys, names, subkeys, pictures. Some readers take other packets for keys too."""


def fingerprints(armoured: str) -> list[str]:
    """The fingerprints of all primary keys in a file; none where it cannot be read to its end."""
    found = []
    try:
        for letters in re.findall(KEY_BLOCK, armoured):
            for tag, body in packets(base64.b64decode(letters.replace("\n", ""), validate=True)):
                if tag not in OF_A_KEY:
                    raise ValueError("this packet does not belong to a public key")
                if tag == PUBLIC_KEY:
                    found.append(fingerprint(body))
    except (ValueError, IndexError, struct.error):
        return []
    return found


def packets(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Tag and body of each packet; raises ValueError, or IndexError where one is cut off."""
    at = 0
    while at < len(raw):
        head = raw[at]
        if not head & 0x80:
            raise ValueError("it is not OpenPGP data")
        tag = head & 0x3F if head & 0x40 else head >> 2 & 0x0F
        at, length = length_at(raw, at + 1) if head & 0x40 else _old_length(raw, at + 1, head & 3)
        if at + length > len(raw):
            raise ValueError("it is cut off")
        yield tag, raw[at : at + length]
        at += length


def length_at(raw: bytes, at: int) -> tuple[int, int]:
    """Where the body of a packet, or of a subpacket, begins, and how long it is."""
    first = raw[at]
    if first < 192:
        return at + 1, first
    if first < 224:
        return at + 2, (first - 192 << 8) + raw[at + 1] + 192
    if first < 255:
        raise ValueError("it is split into parts, which keys never are")
    return at + 5, int.from_bytes(raw[at + 1 : at + 5], "big")


def _old_length(raw: bytes, at: int, kind: int) -> tuple[int, int]:
    if kind == 3:
        raise ValueError("one of its packets has no end")
    width = 1 << kind
    return at + width, int.from_bytes(raw[at : at + width], "big")


def fingerprint(key: bytes) -> str:
    """Of a key's body; raises ValueError for another version, struct.error for one too long."""
    if key[0] == 4:
        whole = b"\x99" + struct.pack(">H", len(key)) + key
        return hashlib.sha1(whole).hexdigest().upper()  # noqa: S324 - as its form has it
    if key[0] == 6:
        whole = b"\x9b" + struct.pack(">I", len(key)) + key
        return hashlib.sha256(whole).hexdigest().upper()
    raise ValueError("the key has another version")
