"""Reads OpenPGP keys far enough to know whose they are: fingerprints of version 4, and validity.

https://www.rfc-editor.org/rfc/rfc4880: 4.2 packets, 5.2.3 signatures, 5.5.2 keys, 12.2 fingerprints
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from assets.root.keys import PUBLIC_KEY, fingerprint, length_at, packets

ARMOR = b"-----BEGIN PGP PUBLIC KEY BLOCK-----"
BODY = re.compile(rb"-----BEGIN PGP PUBLIC KEY BLOCK-----(.*?)-----END PGP", re.DOTALL)
HEADERS_END = re.compile(rb"\r?\n[ \t]*\r?\n")
SIGNATURE = 2
DIRECT = 0x1F
OF_THE_KEY_ITSELF = frozenset({0x10, 0x11, 0x12, 0x13, DIRECT})
"""Kinds of signatures that say how long a key is valid."""
CREATED, VALID_FOR, ISSUER = 2, 9, 16
"""Kinds of subpackets."""
LINE = 64


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
    try:
        for tag, body in packets(binary(content)):
            if tag == PUBLIC_KEY:
                found.append(_key(body))
            elif tag == SIGNATURE and found:
                found[-1].read(body)
    except (IndexError, struct.error):
        raise NotAKey("it is cut off") from None
    except ValueError as error:
        raise NotAKey(str(error)) from None
    if not found:
        raise NotAKey("it contains no public key")
    return tuple(PublicKey(key.fingerprint, key.created, key.expires()) for key in found)


def in_letters(content: bytes) -> str:
    """The key file in letters, as ``signed-by`` takes it from a name in ``.asc``.

    Without the checksum at its end, which RFC 9580 (6.1) has made optional.
    """
    raw = binary(content)
    letters = base64.b64encode(raw).decode()
    rows = (letters[start : start + LINE] for start in range(0, len(letters), LINE))
    end = "-----END PGP PUBLIC KEY BLOCK-----"
    return "\n".join((ARMOR.decode(), "", *rows, end, ""))


def binary(content: bytes) -> bytes:
    """The key itself, also of a file in letters; raises NotAKey for damaged letters."""
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
        values = _subpacket_values(body)
        issuer = values.get(ISSUER)
        if issuer is not None and issuer.hex().upper() != self.fingerprint[-16:]:
            return  # somebody else's
        when, valid_for = (
            int.from_bytes(values.get(kind, b""), "big") for kind in (CREATED, VALID_FOR)
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
    return _Found(fingerprint(body), int.from_bytes(body[1:5], "big"))


def _subpacket_values(body: bytes) -> dict[int, bytes]:
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
            start, length = length_at(area, place)
            kind = area[start] & 0x7F
        except IndexError:
            raise NotAKey("a signature in it is cut off") from None
        if not length:
            raise NotAKey("a signature in it is damaged")
        yield kind, area[start + 1 : start + length]
        place = start + length
