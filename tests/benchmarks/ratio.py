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


def print_pairs(
    name: str, goal: float, pairs: Sequence[tuple[float, float]], unit: str = "ms"
) -> bool:
    """Print medians and ratio of figures taken in turn, ours first; True within the goal.

    Times are given in seconds; figures of another unit are printed as they are.
    """
    scale = 1000 if unit == "ms" else 1
    mine, theirs = (scale * statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    verdict = "within" if ratio <= goal else "OVER"
    print(
        f"{name}: {mine:.1f} {unit} against {theirs:.1f} {unit}, median ratio "
        f"{ratio:.2f} ({verdict} the goal of {goal}; {len(pairs)} pairs)",
        flush=True,
    )
    return ratio <= goal
