"""What is known of settings and sizes before a launch, because MIOpen was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import combinations

from wizard.conv2d.candidates import Candidates
from wizard.conv2d.presets import Row
from wizard.conv2d.search.experiment import Experiment
from wizard.conv2d.search.setting_request import SettingRequest
from wizard.conv2d.search.settings_search import Changes, Foresight
from wizard.knowledge.solvers import FIND_MODE, SEARCHES_MORE, family_of, load_families

NORMAL = (FIND_MODE, "NORMAL")
IMPLICIT_GEMM_OFF = ("MIOPEN_DEBUG_CONV_IMPLICIT_GEMM", "0")
WIDER = frozenset((FIND_MODE, mode) for mode in SEARCHES_MORE)
"""With these a search also times solvers that MIOpen does not list."""
OVERRIDDEN = "gfx1030"
"""What an override to 10.3.0 makes of these chips."""


async def foresight_of(
    request: SettingRequest, experiment: Experiment, passed: Sequence[Row]
) -> Foresight | None:
    """What MIOpen would choose from under the switches of a request, asked before anything is
    launched; None where it does not say, or does not know all candidates.

    ``passed`` are rows that passed elsewhere.
    """
    (unchanged,) = await experiment.candidates([request.row_under(frozenset())])
    if unchanged is None or not unchanged.is_complete:
        return None
    present = {family_of(name) for name in unchanged.names}
    # A switch of an absent family takes nothing away.
    taking = [each.off for each in load_families() if each in present]
    sizes = range(1, min(len(taking), request.largest) + 1)
    sets = [frozenset(each) for size in sizes for each in combinations(taking, size)]
    answers = await experiment.candidates([request.row_under(each) for each in sets])
    known = {each: answer.names for each, answer in zip(sets, answers, strict=True) if answer}
    # Where a database answered, a switch may bring in solvers that it did not hold.
    if len(known) < len(sets) or not all(names <= unchanged.names for names in known.values()):
        return None
    elsewhere = [each.names for each in await experiment.candidates(passed) if each]
    seen = frozenset().union(*elsewhere)
    beyond: Changes = frozenset()
    if _has_implicit_gemm(request.row, unchanged):
        # ROCm 5.2 and 5.5 have one of its solvers by default: its own switch would leave none.
        beyond = frozenset({NORMAL, *taking}) - {IMPLICIT_GEMM_OFF}
    return Foresight(
        {frozenset(): unchanged.names, **known},
        frozenset(each.off for each in load_families()),
        WIDER,
        beyond,
        frozenset() if unchanged.names <= seen else seen,
    )


def _has_implicit_gemm(row: Row, unchanged: Candidates) -> bool:
    """True where a search that is not in its default mode also times implicit GEMM.

    For these chips it exists under an override to 10.3.0 alone (asked of MIOpen 2.17 to 3.5).
    """
    overridden = unchanged.library.device.startswith(OVERRIDDEN)
    return overridden and row.shape.dtype == "float32"


async def changes_along(
    experiment: Experiment, row_at: Callable[[int], Row], values: Iterable[int]
) -> tuple[int, ...]:
    """The values at which MIOpen would choose from others than at the value before."""
    rows = {}
    for value in values:
        with suppress(ValueError):  # there is no such shape
            rows[value] = row_at(value)
    answers = await experiment.candidates(tuple(rows.values()))
    names = [None if each is None else each.names for each in answers]
    pairs = zip(tuple(rows)[1:], names, names[1:], strict=False)
    return tuple(value for value, before, after in pairs if before and after and before != after)
