"""The state of a run as lines: steps, bar, what is done now, and what went wrong."""

from __future__ import annotations

from textual.content import Content

from screens.hanging import hanging
from screens.run.state import RunState, State
from screens.waiting import so_far
from screens.words import shown
from wizard.durations import time_text
from wizard.remedies import TRY_AGAIN, by_keys
from wizard.run.events import Progress
from wizard.sizes import size_text

MARKS = {
    State.WAITING: ("·", "$text-muted"),
    State.RUNNING: (">", "bold $text-primary"),
    State.DONE: ("✓", "$text-success"),
    State.BEFORE: ("✓", "$text-success"),
    State.TOLD: ("·", "$text-primary"),
    State.FAILED: ("✗", "bold $text-error"),
}
WORD_CELLS = 10
BAR_CELLS = 24
RUN_BAR_CELLS = 20
"""So that amount and time left stand beside it on 80 columns."""
LABEL_CELLS = 11
WHOLE = 100
"""Of which a percent is a part."""


def step_texts(state: RunState, cells: int) -> list[list[Content]]:
    """The lines of each step: mark, word, number, and what it is for."""
    steps = []
    for number, (word, reason) in enumerate(zip(state.states, state.reasons, strict=True), 1):
        mark, style = MARKS[word]
        lead = f"{mark} {word.value:<{WORD_CELLS}}{number:>2} "
        steps.append(hanging(lead, shown(reason), cells, style))
    return steps


def bar(share: float, cells: int = BAR_CELLS) -> str:
    """A bar of so many cells, filled to a share between 0 and 1; full only at 1."""
    filled = int(cells * min(max(share, 0.0), 1.0))
    return "█" * filled + "░" * (cells - filled)


def bar_line(state: RunState, seconds_left: float | None, spent: float = 0.0) -> str:
    """The bar of the whole, then which step runs, how much of it, and how long it still takes.

    Where nobody knows that, how long the step took so far; a step that is watched began before.
    """
    drawn = f"{bar(state.share, RUN_BAR_CELLS)} {int(100 * state.share):>3} %  "
    if state.ended:
        return f"{drawn}{_ending(state)}"
    if state.current == 0:
        return f"{drawn}{', '.join(filter(None, ('Starting', so_far(spent))))}"
    progress = None if _is_the_bar(state) else state.progress
    amount = f": {_amount(progress)}" if progress and (progress.done or progress.total) else ""
    left = f", about {time_text(seconds_left)} left" if seconds_left is not None else ""
    if not left and so_far(spent) and not state.watched:
        left = f", {so_far(spent)}"
    of = "of root's part" if state.watched else f"of {len(state.states)}"
    return f"{drawn}step {state.current} {of}{amount}{left}"


def _is_the_bar(state: RunState) -> bool:
    """True where the bar tells the very same thing already."""
    return state.watched and state.progress is not None and state.progress.unit == "percent"


def now_line(state: RunState) -> str:
    """What is done now, such as a file or a package."""
    return "" if state.ended or state.progress is None else shown(state.progress.what)


def _amount(progress: Progress) -> str:
    done, total = progress.done, progress.total
    match progress.unit:
        case "bytes":
            return f"{size_text(done)} of {size_text(total)}" if total else size_text(done)
        case "percent":
            return f"{done} %" if total == WHOLE else f"{done} of {total}"
        case unit:
            return f"{done} of {total} {shown(unit)}" if total else f"{done} {shown(unit)}"


def _ending(state: RunState) -> str:
    if state.failure is not None:
        number = state.failure.number
        return f"Stopped: step {number} failed" if number else "Stopped before the first step"
    if state.watched:
        return "Root's part has ended well"
    if state.finished is not None and state.finished.cancelled:
        return "Stopped at a safe point, as you asked"
    if state.finished is not None and not state.finished.ok:
        return "Stopped: the plan was not carried out to its end"
    count = len(state.states)
    if state.rehearsed:
        steps = "The one step" if count == 1 else f"All {count} steps"
        return f"{steps} rehearsed; nothing was changed"
    return "The one step is done" if count == 1 else f"All {count} steps are done"


def failure_text(state: RunState, cells: int, again: str = TRY_AGAIN) -> Content:
    """What happened, what it means, what to do next, in lines of at most so many cells.

    ``again``: the keys that begin the same anew.
    """
    failure = state.failure
    if failure is None:
        return Content("")
    parts = (
        ("Happened", failure.happened, "bold $text-error"),
        ("It means", by_keys(failure.meaning, again), "bold $text-primary"),
        ("Next", by_keys(failure.next_step, again), "bold $text-primary"),
    )
    lines = [
        line
        for label, text, style in parts
        for line in hanging(f"{label:<{LABEL_CELLS}}", shown(text), cells, style)
    ]
    return Content("\n").join(lines)
