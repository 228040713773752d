"""Numbers in words. Of bytes: files and disks in decimal units, memory in binary ones.

Download pages and disks count in thousands; an "8 GB" card or module holds 8 GiB.
"""

from __future__ import annotations

from collections.abc import Sequence

KB, MB, GB = 10**3, 10**6, 10**9


def size_text(count: int) -> str:
    """A number of bytes for people."""
    if count == 0:
        return "0"
    if count < MB:
        return f"{max(1, round(count / KB))} kB"
    if count < 100 * MB:
        return f"{count / MB:.0f} MB"
    return f"{count / GB:.1f} GB"


def amount_text(count: int) -> str:
    """A number of bytes that grows while it is read: in MB up to a whole gigabyte."""
    return f"{count / MB:.0f} MB" if MB <= count < GB else size_text(count)


def memory_size_text(count: int) -> str:
    """A size of memory, of the machine or of a card."""
    return f"{count / 2**30:.1f}".removesuffix(".0") + " GiB"


def counted(number: int, what: str) -> str:
    """A number of things in words."""
    return f"{number} {what}{'s' * (number != 1)}"


def capitalized(text: str) -> str:
    """The text with a capital first letter, for the start of a sentence or line."""
    return text[:1].upper() + text[1:]


def listed(texts: Sequence[str], most: int = 0) -> str:
    """The texts as one; of more than ``most``, where that is given, the rest is counted."""
    *start, last = texts
    if most and len(texts) > most:
        start, last = list(texts[: most - 1]), f"{len(texts) - most + 1} more"
    return f"{', '.join(start)} and {last}" if start else last
