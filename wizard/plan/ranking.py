"""Which road comes first for the applications asked for.

The rule: roads that this machine rules out come last. Among the others the verdicts are added up,
one number an application (``WORTH``). A road that leaves the card unused counts at most as very
slow beside one that uses it. Among equals the one goes first that takes newer releases of the
applications; then one whose libraries need no repair on this system; then one that is there
already; then one for which more is said by people who ran just that; then the newer torch; then the
order of the data. So no two roads ever stand level.
"""

from __future__ import annotations

from collections.abc import Collection

from packaging.version import Version

from wizard.knowledge.stacks import Stack
from wizard.plan.fit import Fit
from wizard.plan.verdict import Cell, Verdict

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
    newest_first = sorted(stacks.values(), key=torch_version, reverse=True)
    by_torch = [stack.id for stack in newest_first]
    places = list(stacks)

    def key(held: Fit) -> tuple[bool, int, int, bool, bool, int, int]:
        place = places.index(held.stack)
        if not held.possible:
            return (True, 0, 0, False, False, 0, place)
        return (
            False,
            -worth(held, stacks[held.stack], counting),
            steps_back(held, counting),
            held.repaired,
            not held.there,
            -said_for(held, counting),
            by_torch.index(held.stack),
        )

    return tuple(sorted(fits, key=key))


def torch_version(stack: Stack) -> Version:
    """Which torch it is, whatever it was built for."""
    return Version(Version(stack.torch).public)


def worth(fit: Fit, stack: Stack, counting: Collection[str]) -> int:
    """The sum of a road's verdicts on the applications that count."""
    most = WORTH[Verdict.WORKS] if stack.gfx else WORTH[Verdict.SLOW]
    return sum(min(WORTH[cell.verdict], most) for cell in _counted(fit, counting))


def steps_back(fit: Fit, counting: Collection[str]) -> int:
    """How far behind their newest releases the applications that count would have to be."""
    return sum(cell.back for cell in _counted(fit, counting))


def said_for(fit: Fit, counting: Collection[str]) -> int:
    """How many more claims speak for a road than against it, of those that are about just that."""
    return sum(cell.said for cell in _counted(fit, counting))


def _counted(fit: Fit, counting: Collection[str]) -> list[Cell]:
    return [cell for cell in fit.cells if cell.application in counting]
