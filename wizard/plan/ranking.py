"""Which road comes first for the applications asked for.

The rule: roads that this machine rules out come last. Among the others the verdicts are added up,
one number an application (``WORTH``). A road that leaves the card unused counts at most as very
slow beside one that uses it. Equals stay in the order of the data, best attested first.
"""

from __future__ import annotations

from collections.abc import Collection

from wizard.knowledge.stacks import Stack
from wizard.plan.fit import Fit
from wizard.plan.verdict import Verdict

WORTH = {
    Verdict.WORKS: 7,
    Verdict.LIKELY: 6,
    Verdict.POSSIBLE: 5,
    Verdict.UNKNOWN: 4,
    Verdict.DISPUTED: 3,
    Verdict.SLOW: 2,
    Verdict.HANGS: 1,
    Verdict.NO: 0,
}


def ranked(
    fits: tuple[Fit, ...], stacks: dict[str, Stack], counting: Collection[str]
) -> tuple[Fit, ...]:
    """The fits, best first, for the applications that count."""
    return tuple(sorted(fits, key=lambda f: (not f.possible, -worth(f, stacks[f.stack], counting))))


def worth(fit: Fit, stack: Stack, counting: Collection[str]) -> int:
    """The sum of a road's verdicts on the applications that count."""
    most = WORTH[Verdict.WORKS] if stack.gfx else WORTH[Verdict.SLOW]
    cells = (cell for cell in fit.cells if cell.application in counting)
    return sum(min(WORTH[cell.verdict], most) for cell in cells)
