"""The state of a run as lines: steps, the bar, and what went wrong."""

from __future__ import annotations

from textual.content import Content

from screens.run_state import RunState, State
from screens.words import cut, shown, size_text, time_text
from wizard.run.events import Progress

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


def step_lines(state: RunState, cells: int) -> Content:
    """One line a step: mark, word, number, what it is for."""
    lines = []
    for number, (word, reason) in enumerate(zip(state.states, state.reasons, strict=True), 1):
        mark, style = MARKS[word]
        lead = f"{mark} {word.value:<{WORD_CELLS}}{number:>2} "
        lines.append(Content.assemble((lead, style), cut(shown(reason), cells - len(lead))))
    return Content("\n").join(lines)


def bar(done: int, total: int, cells: int = BAR_CELLS) -> str:
    """A bar of so many cells."""
    filled = cells * min(done, total) // total if total else 0
    return "█" * filled + "░" * (cells - filled)


def progress_line(state: RunState, cells: int) -> Content:
    """Which step runs, how far it is, and how long it still takes."""
    if state.finished or state.failure:
        return Content.styled(_ending(state), "bold")
    total = len(state.states)
    if state.current == 0:
        return Content("Starting")
    step = f"Step {state.current} of {total}  "
    progress = state.progress
    if progress is None:
        done = sum(word in (State.DONE, State.BEFORE, State.TOLD) for word in state.states)
        return Content(f"{step}{bar(done, total)} {done} of {total} steps done")
    return Content(cut(f"{step}{progress_text(progress)}", cells))


def progress_text(progress: Progress) -> str:
    """Bar, percent, amount, time left, file."""
    if not progress.total:
        return f"{_amount(progress.done, progress.unit)}  {shown(progress.what)}"
    percent = 100 * progress.done // progress.total
    left = progress.seconds_left
    time_left = f", about {time_text(left)} left" if left is not None else ""
    amount = _of(progress.done, progress.total, progress.unit)
    drawn = bar(progress.done, progress.total)
    return f"{drawn} {percent:>3} %  {amount}{time_left}  {shown(progress.what)}"


def _amount(count: int, unit: str) -> str:
    return size_text(count) if unit == "bytes" else f"{count} {shown(unit)}"


def _of(done: int, total: int, unit: str) -> str:
    if unit == "bytes":
        return f"{size_text(done)} of {size_text(total)}"
    return f"{done} of {total} {shown(unit)}"


def _ending(state: RunState) -> str:
    if state.failure is not None:
        return f"Stopped: step {state.failure.number} failed"
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
