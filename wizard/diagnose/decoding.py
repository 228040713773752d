"""Bytes of any kind as clean lines: encodings, colour codes, carriage returns, quoting."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO

from wizard.diagnose.line_breaks import rejoined
from wizard.diagnose.plain import undressed

LIMIT = 256 * 1024 * 1024
"""More than this is no log that somebody pastes."""
CHUNK = 4 * 1024 * 1024
ESCAPE = re.compile(
    rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])"
)
CARET_ESCAPE = re.compile(rb"\^\[\[[0-9;]{0,12}m")
QUOTE = re.compile(rb"^[ \t]{0,3}(?:[>|][ \t]?){1,9}", re.MULTILINE)
CONTROL = bytes(set(range(32)) - {9, 10, 13, 27}) + b"\x7f"
"""Terminal escapes keep their 27 until they are taken out whole."""
ALIKE = (
    (b"\xc2\xa0", b" "),
    (b"\xe2\x80\xaf", b" "),
    (b"\xe2\x80\x8b", b""),
    (b"\xef\xbb\xbf", b""),
)
ESCAPED = re.compile(rb"&(?:gt|lt|quot|nbsp|amp|#39|#x27|#34);")
"""What browsers, editors and mail make of plain characters."""
QUOTED_MOST = 1024 * 1024
SAMPLE = 64 * 1024
BINARY_SHARE = 0.1
PACKED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"\xfd7zXZ": "xz",
    b"(\xb5/\xfd": "zstd",
    b"BZh": "bzip2",
}


class NotText(ValueError):
    """What was given is no text; the message says what it is."""


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file as they come; raises ``NotText`` past the limit."""
    read = 0
    while block := file.read(CHUNK):
        read += len(block)
        if read > LIMIT:
            limit = LIMIT // 1024 // 1024
            raise NotText(f"larger than {limit} MB. Use only the part around the error")
        yield block


def chunks(start: bytes, later: Iterable[bytes]) -> Iterator[bytes]:
    """The text as UTF-8 (or what was not valid in it as it was), clean, whole lines at a time."""
    wide = wide_encoding(start)
    if not wide:
        refuse_binary(start[:SAMPLE])
    rest = b""
    for block in chain((start,), later):
        whole, rest = _split(rest + block, wide) if len(block) == CHUNK else (rest + block, b"")
        if whole:
            yield clean(_narrow(whole, wide))
    if rest:
        yield clean(_narrow(rest, wide))


def wide_encoding(start: bytes) -> str:
    """The encoding of a text of two bytes a character; ``""`` for all others."""
    if start.startswith(b"\xff\xfe"):
        return "utf-16-le"
    if start.startswith(b"\xfe\xff"):
        return "utf-16-be"
    head = start[:400]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if len(head) < 8 or (even and odd) or even + odd <= len(head) * 0.4:
        return ""
    return "utf-16-be" if even else "utf-16-le"


def refuse_binary(sample: bytes) -> None:
    """Raise ``NotText`` for archives, programs and the like."""
    for magic, kind in PACKED.items():
        if sample.startswith(magic):
            raise NotText(f"compressed with {kind}. Decompress it first")
    if sample.startswith(b"\x7fELF"):
        raise NotText("a program or library, not a text")
    odd = len(sample) - len(sample.translate(None, CONTROL.replace(b"\0", b"")))
    # A log of a machine that lost power holds blocks of NUL: these alone make no binary.
    bare = len(sample.replace(b"\0", b""))
    if sample and (odd > BINARY_SHARE * len(sample) or not bare):
        raise NotText("binary data, not a text")


def clean(text: bytes) -> bytes:
    """Without colours, carriage returns, control characters and quote marks at the line starts."""
    if b"\x1b" in text:
        text = ESCAPE.sub(b"", text)
    if b"^[[" in text:
        text = CARET_ESCAPE.sub(b"", text)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = text.translate(None, CONTROL)
    # Nobody quotes megabytes in a mail, and to look costs as much as all the rest.
    return text if len(text) > QUOTED_MOST else _unquoted(text)


def _unquoted(text: bytes) -> bytes:
    """Without what mail, browsers and editors make of plain characters."""
    if not text.isascii():
        text = b"\n".join(as_text(line).encode() for line in text.split(b"\n"))
    text = ESCAPED.sub(lambda found: html.unescape(found[0].decode()).encode(), text)
    for odd, plain in ALIKE:
        text = text.replace(odd, plain)
    return undressed(rejoined(QUOTE.sub(b"", text).decode()).encode())


def _split(block: bytes, wide: str) -> tuple[bytes, bytes]:
    """Whole lines and what is left; a line longer than a chunk is cut."""
    newline = "\n".encode(wide) if wide else b"\n"
    cut = block.rfind(newline)
    while wide and cut > 0 and cut % 2:
        cut = block.rfind(newline, 0, cut + 1)
    if cut < 0:
        cut = len(block) // 2 * 2 if len(block) >= CHUNK else -len(newline)
        return (block[:cut], block[cut:]) if cut > 0 else (b"", block)
    cut += len(newline)
    return block[:cut], block[cut:]


def _narrow(text: bytes, wide: str) -> bytes:
    return text.decode(wide, "replace").encode() if wide else text


def as_text(line: bytes) -> str:
    """One line as text: UTF-8, or Latin-1 where it is not that."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")
