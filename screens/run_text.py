"""The state of a run as lines: steps, the bar, and what went wrong."""

from __future__ import annotations

from textual.content import Content

from screens.hanging import hanging
from screens.run_state import RunState, State
from screens.words import shown, time_text
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
LABEL_CELLS = 11


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


def progress_line(state: RunState) -> Content:
    """The whole plan's bar, then which step runs, how far it is, and how long it still takes."""
    drawn = f"{bar(state.share)} {int(100 * state.share):>3} %  "
    if state.finished or state.failure:
        return Content.styled(f"{drawn}{_ending(state)}", "bold")
    if state.current == 0:
        return Content(f"{drawn}Starting")
    step = f"step {state.current} of {len(state.states)}"
    about = f": {progress_text(state.progress)}" if state.progress is not None else ""
    return Content(f"{drawn}{step}{about}")


def progress_text(progress: Progress) -> str:
    """Amount, time left, file."""
    left = progress.seconds_left
    time_left = f", about {time_text(left)} left" if left is not None else ""
    return f"{_amount(progress)}{time_left}  {shown(progress.what)}"


def _amount(progress: Progress) -> str:
    done, total = progress.done, progress.total
    if progress.unit == "bytes":
        return f"{size_text(done)} of {size_text(total)}" if total else size_text(done)
    return (
        f"{done} of {total} {shown(progress.unit)}" if total else f"{done} {shown(progress.unit)}"
    )


def _ending(state: RunState) -> str:
    if state.failure is not None:
        number = state.failure.number
        return f"Stopped: step {number} failed" if number else "Stopped before the first step"
    if state.finished is not None and state.finished.cancelled:
        return "Stopped at a safe point, as you asked"
    if state.finished is not None and not state.finished.ok:
        return "Stopped: the plan was not carried out to its end"
    if state.rehearsed:
        return f"All {len(state.states)} steps rehearsed; nothing was changed"
    return f"All {len(state.states)} steps are done"


def failure_text(state: RunState) -> Content:
    """What happened, what it means, what to do next."""
    failure = state.failure
    if failure is None:
        return Content("")
    parts = (
        ("Happened", failure.happened),
        ("It means", failure.meaning),
        ("Next", failure.next_step),
    )
    return Content("\n").join(
        Content.assemble((f"{label:<{LABEL_CELLS}}", "bold $text-error"), shown(text))
        for label, text in parts
    )
