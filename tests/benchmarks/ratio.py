"""Two commands timed in turn, so that a drifting machine hits both alike."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence


def seconds(command: tuple[str, ...], environment: Mapping[str, str] | None = None) -> float:
    """Wall time of one whole process."""
    began = time.perf_counter()
    subprocess.run(
        command, env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True
    )
    return time.perf_counter() - began


def print_ratio(
    name: str,
    goal: float,
    ours: tuple[str, ...],
    floor: tuple[str, ...],
    *,
    environment: Mapping[str, str] | None = None,
    rounds: int = 15,
) -> bool:
    """Time both in turn after one warm-up and print medians and ratio; True within the goal."""
    for command in (ours, floor):
        seconds(command, environment)
    pairs = [(seconds(ours, environment), seconds(floor, environment)) for _ in range(rounds)]
    return print_pairs(name, goal, pairs)


def print_pairs(name: str, goal: float, pairs: Sequence[tuple[float, float]]) -> bool:
    """Print medians and ratio of times taken in turn, ours first; True within the goal."""
    mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    verdict = "within" if ratio <= goal else "OVER"
    print(
        f"{name}: {mine * 1000:.0f} ms against {theirs * 1000:.0f} ms, median ratio {ratio:.2f} "
        f"({verdict} the goal of {goal}; {len(pairs)} rounds)"
    )
    return ratio <= goal
