"""The state of a run as lines: its steps, what is done now, and what went wrong."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content

from screens.waiting import so_far
from screens.words import column, cut, shown
from wizard.core.events import Progress
from wizard.core.sizes import amount_text, counted
from wizard.durations import left_text, time_text
from wizard.remedies import by_keys
from wizard.run.progress import RunState, State, StepRow

MARKS = {
    State.WAITING: ("·", "$text-muted"),
    State.RUNNING: (">", "bold $text-primary"),
    State.DONE: ("✓", "$text-success"),
    State.BEFORE: ("✓", "$text-success"),
    State.SHOWN: ("·", "$text-primary"),
    State.FAILED: ("✗", "bold $text-error"),
    State.STOPPED: ("!", "bold $text-warning"),
}
TITLE_STYLES = {State.WAITING: "$text-muted", State.RUNNING: "bold", State.FAILED: "bold"}
ENDED = {
    State.DONE: "done",
    State.SHOWN: "shown; none was run",
}
NOTE_CELLS = 13
"""Room for the longest word behind a title, and a gap."""
TITLE_CELLS = 60
AGAIN = "press Enter"
"""The key that begins the same anew, inside a sentence."""
WHOLE = 100
"""Of which a percent is a part."""
DOUBLED = ("Get", "Let", "Pin", "Put", "Run", "Set", "Stop", "Drop")
"""Verbs whose last letter is doubled before ``-ing``."""


def step_line(row: StepRow, cells: int, spent: float = 0.0) -> Content:
    """A step on one line: mark, title, and how long it took, or takes by now."""
    mark, style = MARKS[row.state]
    seconds = spent if row.state is State.RUNNING else row.seconds
    timed = row.state in (State.RUNNING, State.DONE) and seconds >= 1
    note = time_text(seconds) if timed else row.state.value
    room = max(1, min(TITLE_CELLS, cells - NOTE_CELLS - 3))
    return Content.assemble(
        (f"{mark}  ", style),
        (column(shown(row.title), room), TITLE_STYLES.get(row.state, "")),
        (note, style if row.state in (State.FAILED, State.STOPPED) else "$text-muted"),
    )


def progress_text(
    state: RunState, seconds_left: float | None, spent: float = 0.0, cells: int = 100
) -> str:
    """What is done now, how much of it, and how long it still takes; at the end, what was done.

    Where nobody knows how long it takes, how long it took so far; what is only watched began
    before anybody looked.
    """
    if state.ended:
        return f"{state.through} of {counted(len(state.steps), 'step')} {ENDED[state.done]}."
    if state.current == 0:
        return ", ".join(filter(None, ("Starting", so_far(spent))))
    progress = state.progress
    amount = _amount(progress) if progress and (progress.done or progress.total) else ""
    left = left_text(seconds_left) if seconds_left is not None else ""
    if not left and not state.watched:
        left = so_far(spent)
    told = ", ".join(filter(None, (amount, left)))
    title = doing(shown(state.title(state.current)))
    title = cut(title, max(20, cells - cell_len(told) - 2))
    text = f"{title}: {told}" if told else title
    what = shown(progress.what) if progress else ""
    return cut(f"{text} ({what})", cells) if what and cells - cell_len(text) > 20 else text


def doing(title: str) -> str:
    """A title as what is being done: "Download packages" as "Downloading packages"."""
    verb, gap, rest = title.partition(" ")
    if not (verb.istitle() and verb.isalpha()) or verb.endswith("ing"):
        return title
    stem = verb if verb.endswith("ee") else verb.removesuffix("e")
    return f"{verb + verb[-1] if verb in DOUBLED else stem}ing{gap}{rest}"


def _amount(progress: Progress) -> str:
    done, total = progress.done, progress.total
    match progress.unit:
        case "bytes":
            return f"{amount_text(done)} of {amount_text(total)}" if total else amount_text(done)
        case "percent":
            return f"{done} %" if total == WHOLE else f"{done} of {total}"
        case unit:
            return f"{done:,} of {total:,} {shown(unit)}" if total else f"{done:,} {shown(unit)}"


def failure_text(state: RunState) -> Content:
    """What happened, what it means, and what to do."""
    failure = state.failure
    if failure is None:
        return Content("")
    return Content.assemble(
        (shown(failure.happened), "bold $text-error"),
        f"\n{shown(by_keys(failure.meaning, AGAIN))}\n",
        ("What to do: ", "bold $text-primary"),
        shown(by_keys(failure.next_step, AGAIN)),
    )
