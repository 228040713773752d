"""What is said before a card is measured, at the terminal and in the panel alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.conv2d.words.caution import Circumstances

if TYPE_CHECKING:
    from wizard.conv2d.asked import Request
    from wizard.conv2d.presets import Row
    from wizard.conv2d.sweep import Deadlines

WARNING = (
    "This runs {0} on the GPU. A hang may freeze the desktop or reset the screen, and you may "
    "have to restart. Save your work first. Each verdict is saved before the next launch."
)
IN_USE = (
    "Someone is logged in at the screen that this card drives, and a hang may freeze that "
    "desktop. Log out there, then start the measurement over SSH or on a text console. Or save "
    "and close everything, and then {0}."
)
OTHER = "change this with --hangs N"
NAMED = 3
"""So many operations are named; of more, their number is told."""


def caution_texts(
    request: Request, around: Circumstances, hangs: int, other: str = OTHER
) -> tuple[str, ...]:
    """What is run, whom a hang would hit, how many are allowed and what each costs.

    ``other`` says how another number of hangs is allowed.
    """
    return (WARNING.format(what_runs(request)), *budget_texts(request, around, hangs, other))


def budget_texts(
    request: Request, around: Circumstances, hangs: int, other: str = OTHER
) -> tuple[str, ...]:
    """What a hang would disturb, how many are allowed, and what each costs."""
    from wizard.conv2d.asked import sweep_in

    times = "the first hang" if hangs == 1 else f"{hangs} hangs"
    return (
        around.text,
        f"The measurement stops after {times} and keeps its results ({other}).",
        _cost_of_a_hang(sweep_in(request).deadlines),
    )


def what_runs(request: Request) -> str:
    """What is run on the card, as a plural."""
    from wizard.conv2d.words.request_line import rows_asked

    rows = rows_asked(request)
    operations = tuple(row for row in rows if row.operation is not None)
    if operations:
        return _operations(operations, len(rows))
    works = {row.work for row in rows}
    gradients = "convolutions and their gradients" if works & {"backward"} else "convolutions"
    if "train" not in works:
        return gradients
    return "training steps" if works == {"train"} else f"{gradients}, and training steps"


def _operations(rows: tuple[Row, ...], count: int) -> str:
    if count > NAMED or count > len(rows):
        return f"{count} torch operations, each in its own process,"
    titles = [row.operation.title for row in rows if row.operation is not None]
    return f"torch operations ({'; '.join(titles)})"


def _cost_of_a_hang(deadlines: Deadlines) -> str:
    first, later = f"{deadlines.first:g} s", f"{deadlines.later:g} s"
    seconds = later if first == later else f"{later}, or {first} for the first shape of a process"
    rest = deadlines.killed + deadlines.health
    return (
        f"Each hang lasts until its deadline ({seconds}), and then it takes up to {rest:g} s to "
        "end its process and check the card. In the worst case, you have to restart the machine."
    )
