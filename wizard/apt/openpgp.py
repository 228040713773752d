"""Reads OpenPGP keys far enough to know whose they are: fingerprints of version 4, and validity.

https://www.rfc-editor.org/rfc/rfc4880: 4.2 packets, 5.2.3 signatures, 5.5.2 keys, 12.2 fingerprints
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

ARMOR = b"-----BEGIN PGP PUBLIC KEY BLOCK-----"
BODY = re.compile(rb"-----BEGIN PGP PUBLIC KEY BLOCK-----(.*?)-----END PGP", re.DOTALL)
HEADERS_END = re.compile(rb"\r?\n[ \t]*\r?\n")
SIGNATURE, KEY = 2, 6
DIRECT = 0x1F
OF_THE_KEY_ITSELF = frozenset({0x10, 0x11, 0x12, 0x13, DIRECT})
"""Kinds of signatures that say how long a key is valid."""
CREATED, VALID_FOR, ISSUER = 2, 9, 16
"""Kinds of subpackets."""
LINE = 64
CRC_START, CRC_STEP = 0xB704CE, 0x1864CFB


class NotAKey(ValueError):
    """The bytes are no OpenPGP key that we can read."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key of version 4."""

    fingerprint: str
    """40 hexadecimal digits, upper case."""
    created: int
    """Seconds since 1970."""
    expires: int | None
    """By its newest signature of its own; None for never."""


def public_keys(content: bytes) -> tuple[PublicKey, ...]:
    """Every primary key of a file, binary or in letters; raises NotAKey."""
    found: list[_Found] = []
    for tag, body in _packets(_binary(content)):
        if tag == KEY:
            found.append(_key(body))
        elif tag == SIGNATURE and found:
            found[-1].read(body)
    if not found:
        raise NotAKey("it contains no public key")
    return tuple(PublicKey(key.fingerprint, key.created, key.expires()) for key in found)


def in_letters(content: bytes) -> str:
    """The key file in letters, as ``signed-by`` takes it from a name in ``.asc``."""
    raw = _binary(content)
    letters = base64.b64encode(raw).decode()
    rows = (letters[start : start + LINE] for start in range(0, len(letters), LINE))
    check = base64.b64encode(_crc24(raw).to_bytes(3, "big")).decode()
    end = "-----END PGP PUBLIC KEY BLOCK-----"
    return "\n".join((ARMOR.decode(), "", *rows, f"={check}", end, ""))


def _binary(content: bytes) -> bytes:
    if ARMOR not in content:
        return content
    found = BODY.search(content)
    if found is None:
        raise NotAKey("its text block is cut off")
    body = HEADERS_END.split(found[1], maxsplit=1)[-1]
    letters = b"".join(row for row in body.split() if not row.startswith(b"="))
    try:
        return base64.b64decode(letters, validate=True)
    except binascii.Error:
        raise NotAKey("its text is damaged") from None


def _packets(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Tag and body of each packet."""
    place = 0
    while place < len(raw):
        head = raw[place]
        if not head & 0x80:
            raise NotAKey("it is not OpenPGP data")
        try:
            tag, start, length = _new(raw, place) if head & 0x40 else _old(raw, place)
        except (IndexError, struct.error):
            raise NotAKey("it is cut off") from None
        if start + length > len(raw):
            raise NotAKey("it is cut off")
        yield tag, raw[start : start + length]
        place = start + length


def _new(raw: bytes, place: int) -> tuple[int, int, int]:
    start, length = _length(raw, place + 1)
    return raw[place] & 0x3F, start, length


def _length(raw: bytes, place: int) -> tuple[int, int]:
    """Where a body starts, and how long it is; subpackets count alike."""
    first = raw[place]
    if first < 192:
        return place + 1, first
    if first < 224:
        return place + 2, ((first - 192) << 8) + raw[place + 1] + 192
    if first == 255:
        return place + 5, int(struct.unpack_from(">I", raw, place + 1)[0])
    raise NotAKey("it is split into parts, which keys never are")


def _old(raw: bytes, place: int) -> tuple[int, int, int]:
    tag, kind = (raw[place] >> 2) & 0x0F, raw[place] & 0x03
    if kind == 3:
        raise NotAKey("one of its packets has no end")
    width = 1 << kind
    length = int.from_bytes(raw[place + 1 : place + 1 + width], "big")
    return tag, place + 1 + width, length


class _Found:
    """A key while its signatures are read."""

    def __init__(self, fingerprint: str, created: int) -> None:
        self.fingerprint = fingerprint
        self.created = created
        self._newest: dict[bool, tuple[int, int]] = {}

    def read(self, body: bytes) -> None:
        """Take what a signature of the key's own says of its validity."""
        if len(body) < 6 or body[0] != 4 or body[1] not in OF_THE_KEY_ITSELF:
            return
        told = _told(body)
        issuer = told.get(ISSUER)
        if issuer is not None and issuer.hex().upper() != self.fingerprint[-16:]:
            return  # somebody else's
        when, valid_for = (
            int.from_bytes(told.get(kind, b""), "big") for kind in (CREATED, VALID_FOR)
        )
        direct = body[1] == DIRECT
        self._newest[direct] = max(self._newest.get(direct, (0, 0)), (when, valid_for))

    def expires(self) -> int | None:
        """What is said of the key itself counts before what is said with a name."""
        said = (self._newest.get(direct, (0, 0))[1] for direct in (True, False))
        valid_for = next(filter(None, said), 0)
        return self.created + valid_for if valid_for else None


def _key(body: bytes) -> _Found:
    if len(body) < 6 or body[0] != 4:
        raise NotAKey("it is not a version 4 key, the only version this program can check")
    # SHA-1 is what a fingerprint of version 4 is made of; apt checks the signatures themselves.
    digest = hashlib.sha1(b"\x99" + struct.pack(">H", len(body)) + body, usedforsecurity=False)
    return _Found(digest.hexdigest().upper(), int.from_bytes(body[1:5], "big"))


def _told(body: bytes) -> dict[int, bytes]:
    """Subpackets of a signature by kind; those that are signed themselves count more."""
    size = int.from_bytes(body[4:6], "big")
    loose = int.from_bytes(body[6 + size : 8 + size], "big")
    return {
        **dict(_subpackets(body[8 + size : 8 + size + loose])),
        **dict(_subpackets(body[6 : 6 + size])),
    }


def _subpackets(area: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while place < len(area):
        try:
            start, length = _length(area, place)
            kind = area[start] & 0x7F
        except IndexError:
            raise NotAKey("a signature in it is cut off") from None
        if not length:
            raise NotAKey("a signature in it is damaged")
        yield kind, area[start + 1 : start + length]
        place = start + length


def _crc24(raw: bytes) -> int:
    check = CRC_START
    for byte in raw:
        check ^= byte << 16
        for _ in range(8):
            check <<= 1
            if check & 0x1000000:
                check ^= CRC_STEP
    return check
