"""What happens while a plan is carried out, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.core.amounts import amount_text, left_text
from wizard.core.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.lines import clean

LOGIN = (
    "Log out and log in again so that the new groups take effect. Until then, your own programs "
    "cannot use the card, but this program can measure on it through the sg command."
)

RESTART = (
    "Restart this machine, because the kernel keeps using the loaded driver until you do. Then "
    "start rdna1-setup again. It will tell you what to do next."
)


def event_lines(event: Event) -> Iterator[str]:
    """What happens while a plan is carried out, as plain lines that steer no terminal."""
    yield from map(clean, _lines(event))


def _lines(event: Event) -> Iterator[str]:
    match event:
        case StepStarted():
            yield f"[{event.number}/{event.total}] {event.text}"
        case Output():
            yield from (f"    {line}" for line in event.lines)
        case StepFinished():
            state = "done before" if event.already_done else f"ok, {event.seconds:.1f} s"
            yield f"    {state}: {event.outcome}"
        case StepFailed():
            yield f"    FAILED: {event.happened}"
            yield f"    What it means: {event.meaning}"
            yield f"    What to do: {event.next_step}"
        case PlanFinished():
            yield from _ending_lines(event)
        case Progress():
            yield f"    {progress_line(event)}"


def foreseen_lines(event: Event) -> Iterator[str]:
    """What a dry run adds to a plan that was shown: steps that are done, trouble, the end."""
    match event:
        case StepFinished(already_done=True):
            yield clean(f"Step {event.number}: {event.outcome}")
        case StepFailed() | PlanFinished():
            yield from event_lines(event)
        case _:
            pass


def progress_line(progress: Progress) -> str:
    """How far a step is, in words."""
    percent = f"{progress.done * 100 // progress.total} %" if progress.total else ""
    left = progress.seconds_left
    time = "" if left is None else f", {left_text(left)}"
    amount = f"{_count(progress)}{time}".removeprefix(", ")
    return " ".join(filter(None, (percent, f"({amount})" if amount else "", progress.what)))


def _count(progress: Progress) -> str:
    match progress.unit:
        case "bytes":
            total = amount_text(progress.total) if progress.total else "unknown size"
            return f"{amount_text(progress.done)} of {total}"
        case "percent":
            return ""
        case unit:
            return f"{progress.done:,} {unit}"


class Tenths:
    """Which events are worth a line each: all, but of progress only every tenth of the way.

    Of a time that is waited only every ten seconds.
    """

    def __init__(self) -> None:
        self._tenth = -1

    def worth_telling(self, event: Event) -> bool:
        """True for what a reader of plain text should see."""
        match event:
            case StepStarted():
                self._tenth = -1
            case Progress():
                # Lower is another tenth too: apt starts over once all is fetched.
                before, self._tenth = self._tenth, _tenth(event, self._tenth)
                return self._tenth != before
            case _:
                pass
        return True


def _tenth(event: Progress, before: int) -> int:
    if event.total > 0:
        return event.done * 10 // event.total
    # Nobody knows when somebody else will be done: every ten seconds, below all tenths.
    return -2 - event.done // 10 if event.unit == "seconds" else before


def _all_well(event: PlanFinished) -> str:
    if event.would_change:
        return "Nothing was changed, because this was a dry run."
    return "Finished." if event.changed else "No changes were needed."


def _ending_lines(event: PlanFinished) -> Iterator[str]:
    if event.ok:
        yield _all_well(event)
    elif event.cancelled:
        yield "Stopped at a safe point. Run the same command again to continue."
    elif not event.log:
        yield "Nothing was changed."
    else:
        yield "Not finished. Fix the problem, then run the same command again to continue."
    if event.relogin_needed:
        yield LOGIN
    if event.restart_needed:
        yield RESTART
    if event.run:
        yield f"Undo: rdna1-setup rollback {event.run}"
    if event.log:
        yield f"Log: {event.log}"
