"""Numbers of bytes in words: one unit everywhere, decimal, as download pages and shops use it."""

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
