"""Durations as texts, in one unit each."""

from __future__ import annotations

from math import ceil

from wizard.core.sizes import counted

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
