"""The executable-stack flag in the headers of a 64-bit little-endian ELF library."""

from __future__ import annotations

import struct
from typing import NamedTuple

HEADER = struct.Struct("<4sBB10xHHIQQQIHHH")
"""Beginning of the ELF header: magic, class, byte order, ..., place and shape of the segments."""
SEGMENT = struct.Struct("<II")
"""Beginning of a program header: its type and its flags."""
MAGIC = b"\x7fELF"
CLASS_64, LITTLE_ENDIAN = 2, 1
GNU_STACK = 0x6474E551
EXECUTABLE = 1
"""PF_X of program headers."""
TABLE_LIMIT = 65_536
"""Real libraries have some twenty headers of 56 bytes."""
OFFSET_LIMIT = 1 << 62


class Segments(NamedTuple):
    """Where the program headers of a library lie in its file."""

    offset: int
    size: int
    """Of one header, in bytes."""
    number: int

    @property
    def bytes(self) -> int:
        """Size of all of them."""
        return self.size * self.number

    @property
    def end(self) -> int:
        """How much of the file holds all of them."""
        return self.offset + self.bytes


class Stack(NamedTuple):
    """What a library asks of the stack."""

    offset: int | None
    """Where its flags lie in the file; None without a PT_GNU_STACK segment."""
    flags: int

    @property
    def executable(self) -> bool:
        """True when it asks for an executable stack, as every library without the segment does."""
        return bool(self.flags & EXECUTABLE)


def segments_of(head: bytes) -> Segments:
    """Where the program headers lie; ValueError when the file is no library of our kind."""
    if not head.startswith(MAGIC):
        raise ValueError("it is not an ELF library")
    if len(head) < HEADER.size:
        raise ValueError("it is cut off within its ELF header")
    values = HEADER.unpack_from(head)
    if values[1:3] != (CLASS_64, LITTLE_ENDIAN):
        raise ValueError("it is not a 64-bit little-endian library")
    segments = Segments(offset=values[7], size=values[11], number=values[12])
    if segments.size < SEGMENT.size or not 0 < segments.bytes <= TABLE_LIMIT:
        raise ValueError("it is an ELF library without usable program headers")
    if segments.offset > OFFSET_LIMIT:
        raise ValueError("its program headers lie beyond its end")
    return segments


def stack_of(table: bytes, segments: Segments) -> Stack:
    """What a library asks of the stack, by its program headers; ValueError when one is cut off."""
    if len(table) < segments.bytes:
        raise ValueError("it is cut off within its program headers")
    for start in range(0, segments.bytes, segments.size):
        kind, flags = SEGMENT.unpack_from(table, start)
        if kind == GNU_STACK:
            return Stack(segments.offset + start + 4, flags)
    return Stack(None, EXECUTABLE)
