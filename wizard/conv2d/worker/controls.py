"""Controls: shapes known to be good, by which a failure is told from a broken environment.

A shape that failed is a suspect. The control before it is the smallest shape that came back right
earlier in this run, measured in the same way (setting, engine, kind of work). After the suspect it
is measured once more, in the process that goes on to measure: a new one, since what hung, died or
raised took its process along; after wrong numbers the one that gave them. If it is right again, the
suspect's failure is the suspect's own. If it is not, something has changed for all shapes: the rest
is not measured.

It costs one call and one comparison, and only after a failure. What is no fault of the
convolution (out of memory) has no control, nor has a failure before anything was right. With an
interpreter for each shape a control costs one more import of torch: a search pays that, for its
every step rests on the failure; a sweep does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wizard.conv2d.presets import Row
from wizard.conv2d.run_words import RESTART
from wizard.conv2d.sweep import StopReason
from wizard.conv2d.verdicts import RIGHT, Control, Result, Verdict

SUSPECT = (Verdict.HUNG, Verdict.CRASHED, Verdict.WRONG, Verdict.ERROR, Verdict.FLAKY)


def control_for(index: int, rows: Sequence[Row], results: Mapping[int, Result]) -> int | None:
    """The index of the row that is the control of this one; None where there is none."""
    suspect = rows[index]
    if results[index].verdict not in SUSPECT:
        return None
    right = [
        place
        for place, result in results.items()
        if result.verdict in RIGHT
        and rows[place].shape != suspect.shape
        and _way(rows[place]) == _way(suspect)
    ]
    return min(right, key=lambda place: (_products(rows[place]), place), default=None)


def control_words(result: Result) -> str:
    """What the control of a failure says; ``""`` without one."""
    control = result.control
    if control is None:
        return ""
    if control.verdict in RIGHT:
        return f"Control: {control.label} was right both before and after it"
    verdict = control.verdict.value
    return f"Control: {control.label} was right before it; afterwards, its verdict was {verdict}"


def environment_broken(suspect: Row, control: Control) -> StopReason:
    """A shape that was right before is so no more."""
    return StopReason(
        f"{control.label} gave the right result earlier in this run. After {suspect.label}, it "
        f"did not: {control.verdict.value}, {control.detail or 'without a message'}.",
        "Something changed that affects every shape, so no measurement can be trusted now.",
        RESTART,
    )


def _way(row: Row) -> tuple[object, ...]:
    return (row.setting, row.log, row.engine, row.work)


def _products(row: Row) -> int:
    return row.shape.out_bytes * row.shape.reduction
