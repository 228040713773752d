"""A text of any kind as clean lines that may tell something, each with what stands around it."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, compress, pairwise
from typing import Any, BinaryIO, NamedTuple

from wizard.knowledge.causes import (
    load_beginning,
    load_line_mentions,
    load_mentions,
    load_phrases,
    load_prefixes,
)

WIDTHS = range(60, 85)
"""Where lines are broken. In a text of these, no line with a blank is longer."""
TERMINAL = 80
"""Where terminals break lines, also in the middle of a word."""
HANGING = 6
"""How far what goes on a line is indented at most."""
PART = "\v"
"""Stands in place of a line that went to the one before it: the others keep their numbers."""
KEY = re.compile(r"\s{1,40}[\w -]{3,30} ?: ")
CELL = re.compile(r"(?:\S {2,}|\t)(?=\S)")
RULED = re.compile(r"\s*[=+*~_-]{3}")
NUMBER = re.compile(r"\d[0-9a-f]*")


def rejoined(text: str) -> str:
    """The text with its broken lines put together; as it is where nothing proves that they are."""
    lines = text.split("\n")
    width = max((len(line.rstrip()) for line in lines if len(line.split()) > 1), default=0)
    if width not in WIDTHS:
        return text
    broken = [n for n, two in enumerate(pairwise(lines), 1) if _is_broken(*two, width)]
    exact = [n for n in broken if len(lines[n - 1]) == TERMINAL == width]
    within = any((lines[n - 1][-1] + lines[n][0]).isalnum() for n in exact)
    anywhere = within and len(exact) > len(broken) / 2
    broken = exact if anywhere else broken
    begun = [load_beginning().match(lines[n - 1].lstrip()) for n in broken]
    proofs = [found for found in begun if not found or not found["command"]]
    if len(proofs) > (not anywhere) or any(proofs):
        for n in reversed(broken):
            line, rest = lines[n - 1 : n + 1]
            lines[n - 1] = line + rest if anywhere else f"{line.rstrip()} {rest.lstrip()}"
            lines[n] = PART
    return "\n".join(lines)


def _is_broken(line: str, rest: str, width: int) -> bool:
    """True where the next word had no place in the line, and begins nothing of its own."""
    words, further = line.split(), rest.split()
    if not words or not further or load_beginning().match(rest.lstrip()):
        return False
    room = width - len(line.rstrip()) - line.endswith(" ")  # format=flowed leaves that blank
    if room > len(further[0]) or RULED.match(line) or RULED.match(rest):
        return False
    before, after = (len(each) - len(each.lstrip()) for each in (line, rest))
    alike = NUMBER.sub("0", words[0]) == NUMBER.sub("0", further[0])
    keys = before == after and KEY.match(line) and KEY.match(rest)
    if alike or keys or after > HANGING or 0 < after < before:
        return False
    cells = {found.end() for found in CELL.finditer(line)}
    names = len(words) + len(further) == 2 and "/" in words[0]  # one a line
    return not names and cells.isdisjoint(found.end() for found in CELL.finditer(rest))


SERVICE_LINES = 3
"""A table does not say the same in its first cells."""
SERVICES_MOST = 20
SERVICE = re.compile(rb"^([\w.-]{1,60} +\| )", re.MULTILINE)
JSON_LOG = re.compile(r'\{"log":"(.*?)(?:\\r)?(?:\\n)?","(?:stream|attrs|time)"')
"""A line in Docker's own log file."""


def plain(line: str) -> str:
    """The line itself, in the English of the programs."""
    if line.startswith("{") and (inner := JSON_LOG.match(line)):
        line = inner[1].replace('\\"', '"')
    found = _prefix().match(line)
    bare = line[found.end() :] if found else line
    return _phrases().sub(lambda part: load_phrases()[part[0]], bare.replace("\u2019", "'"))


def undressed(text: bytes) -> bytes:
    """A short text without what stands before each of its lines, and not indented as a whole."""
    services = Counter(SERVICE.findall(text))
    for name, count in services.most_common(SERVICES_MOST):
        if count >= SERVICE_LINES:
            text = re.sub(rb"(?m)^" + re.escape(name), b"", text)
    text = re.sub(rb"(?m)^" + load_prefixes().encode(), b"", text)
    lines = [line for line in text.split(b"\n") if line.strip()]
    margins = [line[: len(line) - len(line.lstrip(b" \t"))] for line in lines]
    first, last = min(margins, default=b""), max(margins, default=b"")
    differing = (n for n, byte in enumerate(first) if byte != last[n])
    margin = first[: next(differing, len(first))]
    return re.sub(rb"(?m)^" + re.escape(margin), b"", text) if margin else text


@cache
def _prefix() -> re.Pattern[str]:
    return re.compile(load_prefixes())


@cache
def _phrases() -> re.Pattern[str]:
    longest_first = sorted(load_phrases(), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))


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


BEFORE, AFTER = 12, 8
"""How many lines around one count as near it."""
LONGEST = 4000
"""A longer line is looked at in parts."""
OVERLAP = 400
END = -1
NUMBERS = b"0123456789abcdef"
"""Decimal and hexadecimal digits. Words lose letters too: two that look alike then are as good as
never the same line."""
OF_A_KIND = 4
FLOOD = 500
"""More lines that hold the same say nothing new."""

GONE = PART.encode()


class Line(NamedTuple):
    """One line, with those around it."""

    number: int
    """1-based."""
    text: str
    """As the rules read it."""
    near: tuple[bytes, ...]
    """The lines around it, itself among them."""
    original: str
    """As it stands in the text."""

    @property
    def here(self) -> int:
        """Its place among the lines around it."""
        return min(self.number - 1, BEFORE)

    @property
    def around(self) -> str:
        """The lines near it as one text."""
        return "\n".join(plain(as_text(line[:LONGEST])) for line in self.near)


class Finder:
    """Finds the lines of a text that hold one of some fixed strings.

    In a long text, of lines that differ in numbers alone only the first few are looked at.
    """

    def __init__(self, anchors: re.Pattern[bytes], *, long: bool) -> None:
        self._anchors = anchors
        self._long = long
        self._seen: dict[int, int] = {}
        self._known: set[int] = set()
        self._flood = Counter[tuple[bytes, ...]]()
        self._read = 0
        self.gone: list[int] = []
        """Numbers of the lines that went to the one before them."""
        self._tail: list[bytes] = []

    def lines(self, chunk: bytes) -> Iterator[Line]:
        """The lines of this chunk that hold one."""
        parts = chunk.splitlines()
        self.gone += [n for n, line in enumerate(parts, self._read + 1) if line == GONE]
        fresh = [line for line in parts if line != GONE] if self.gone else parts
        every = self._tail + fresh
        start, first = len(self._tail), self._read - len(self._tail) + 1
        for index in self._hits(every, start):
            yield from self._pieces(every, index, first + index)
        self._read += len(fresh)
        self._tail = every[-BEFORE:]

    def _hits(self, every: list[bytes], start: int) -> Iterator[int]:
        chosen = self._first_of_a_kind(every, start) if self._long else range(start, len(every))
        for index in chosen:
            held = tuple(self._anchors.findall(every[index]))
            self._flood[held] += 1
            if held and self._flood[held] <= FLOOD:
                yield index

    def _first_of_a_kind(self, every: list[bytes], start: int) -> Iterator[int]:
        """The first lines of each kind: what differs in numbers alone is one kind."""
        bare = b"\n".join(every[start:]).translate(None, NUMBERS).split(b"\n")
        kinds = list(map(hash, bare))
        fresh = set(kinds) - self._known
        for index in compress(range(len(kinds)), map(fresh.__contains__, kinds)):
            kind = kinds[index]
            count = self._seen[kind] = self._seen.get(kind, 0) + 1
            if count <= OF_A_KIND:
                yield start + index
            if count == OF_A_KIND:
                self._known.add(kind)

    def _pieces(self, every: list[bytes], index: int, number: int) -> Iterator[Line]:
        """The line; of an endless one each part that holds an anchor."""
        text, near = every[index], tuple(every[max(0, index - BEFORE) : index + AFTER + 1])
        for at in range(0, max(len(text) - OVERLAP, 1), LONGEST - OVERLAP):
            part = text[at : at + LONGEST]
            if len(text) <= LONGEST or self._anchors.search(part):
                shown = as_text(part)
                yield Line(number, plain(shown), near, shown)


def alternatives(words: Iterable[bytes]) -> re.Pattern[bytes]:
    """One expression that finds any of these words: as a tree, which is searched much faster."""
    tree: dict[int, Any] = {}
    for word in words:
        branch = tree
        for byte in word:
            branch = branch.setdefault(byte, {})
        branch[END] = {}
    return re.compile(_branches(tree))


def _branches(tree: dict[int, Any]) -> bytes:
    if END in tree:
        return b""
    ways = [re.escape(bytes([byte])) + _branches(tree[byte]) for byte in sorted(tree)]
    return ways[0] if len(ways) == 1 else b"(?:" + b"|".join(ways) + b")"


SOON = 3
"""Lines after an error in which somebody may tell that it is over."""
LONGEST_BEFORE = 120
"""Characters before a setting that may propose it."""


def only_mentions(line: Line) -> bool:
    """True when this line speaks of a message and is none."""
    mention = any(form.search(line.text) for form in load_line_mentions())
    change = in_difference(line, "-", "+") or _of_message(line)
    return mention or change or _is_over(line)


def is_mention(text: str, *names: str) -> bool:
    """True when this text speaks of something in one of these ways."""
    return any(load_mentions()[name].search(text) for name in names)


def _is_over(line: Line) -> bool:
    """True where one of the next lines tells that the error is gone."""
    following = line.near[line.here + 1 : line.here + 1 + SOON]
    return any(is_mention(as_text(each[:LONGEST]), "over-since") for each in following)


def _of_message(line: Line) -> bool:
    """True for a line of the message of a change."""
    return line.text.startswith("    ") and any(
        is_mention(as_text(near[:LONGEST]), "change") for near in line.near
    )


def in_difference(line: Line, *marks: str) -> bool:
    """True for a line of a difference that begins with one of these marks."""
    return line.text.startswith(marks) and any(b"@@ -" in near for near in line.near)


def spoken_of(before: str, after: str) -> bool:
    """True where somebody proposes or explains the setting between these."""
    return is_mention(before[-LONGEST_BEFORE:], "proposed") or is_mention(after[:40], "explained")
