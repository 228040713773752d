"""Numbers in words. Of bytes: files and disks in decimal units, memory in binary ones.

Download pages and disks count in thousands; an "8 GB" card or module holds 8 GiB.
"""

from __future__ import annotations

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


def memory_size_text(count: int) -> str:
    """A size of memory, of the machine or of a card."""
    return f"{count / 2**30:.1f}".removesuffix(".0") + " GiB"


def counted(number: int, what: str) -> str:
    """A number of things in words."""
    return f"{number} {what}{'s' * (number != 1)}"
