"""Amounts in words: bytes, durations, numbers of things; and today's date.

Download pages and disks count in thousands; an "8 GB" card or module holds 8 GiB.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from math import ceil

KB, MB, GB = 10**3, 10**6, 10**9


def size_text(count: int | None) -> str:
    """A number of bytes for people; None where nobody knows it."""
    if count is None:
        return "not known"
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
    """The texts, of which there is one at least, as one; of more than ``most``, where that is
    given, the rest is counted."""
    *start, last = texts
    if most and len(texts) > most:
        start, last = list(texts[: most - 1]), f"{len(texts) - most + 1} more"
    return f"{', '.join(start)} and {last}" if start else last


MINUTE_S, HOUR_S = 60, 3600


def time_text(seconds: float) -> str:
    """A duration for people: seconds below a minute, else minutes, else hours."""
    if seconds < MINUTE_S:
        return f"{max(0, round(seconds))} s"
    if seconds < HOUR_S:
        return f"{round(seconds / MINUTE_S)} min"
    return f"{seconds / HOUR_S:.1f} h"


def left_text(seconds: float) -> str:
    """How long something still takes, no more exactly than anybody can know."""
    if seconds < MINUTE_S:
        return "less than a minute left"
    if seconds < HOUR_S:
        return f"about {counted(ceil(seconds / MINUTE_S), 'minute')} left"
    return f"about {seconds / HOUR_S:.1f} hours left"


def measured_text(seconds: float) -> str:
    """A measured duration, to a hundredth: milliseconds below a second."""
    return f"{seconds * 1000:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def today() -> date:
    """The local date."""
    return datetime.now().astimezone().date()
