"""The words for what happens in a sweep, for the terminal's lines and the panel alike."""

from __future__ import annotations

from wizard.conv2d.presets import Row
from wizard.conv2d.search.setting_answer import setting_text
from wizard.conv2d.sweep import (
    DeadlineMoved,
    DeviceFound,
    Note,
    Phase,
    ShapeDone,
    ShapeStarted,
    SweepDone,
    SweepEvent,
    WorkerStarted,
)
from wizard.conv2d.verdicts import Result
from wizard.conv2d.worker.controls import control_words


def line_of(event: SweepEvent) -> str:
    """One event in one line; ``""`` for what only a live screen wants."""
    match event:
        case WorkerStarted():
            hip = f", ROCm {event.loaded.hip}" if event.loaded.hip else ""
            return f"torch {event.loaded.torch}{hip} (process {event.pid}, {event.process})"
        case DeviceFound():
            told = dict.fromkeys((str(event.loaded.device), event.loaded.gfx or ""))
            return f"device: {', '.join(filter(None, told))}"
        case ShapeStarted():
            place = f"{event.number}/{event.total}"
            how = _how(event.row)
            return f"{place} {event.row.label}{how} (deadline {event.deadline_s:g} s)"
        case DeadlineMoved():
            longest = f"waiting up to {event.longest_s:g} s for it"
            return f"shape {event.number} is slow, not stuck ({event.why}): {longest}"
        case ShapeDone():
            return f"{event.number}/{event.total}   {_verdict(event.result)}"
        case Note():
            return event.text
        case Phase():
            return _watched(event)
        case SweepDone():
            return ""


def _verdict(result: Result) -> str:
    words = [text for text in (result.rate, result.detail, control_words(result)) if text]
    return f"{result.verdict.value}: {'. '.join(words)}" if words else result.verdict.value


def _watched(phase: Phase) -> str:
    """Something only of a process that SIGKILL has not ended: that takes half a minute."""
    if phase.seconds_left is None:
        return ""
    return (
        f"shape {phase.number} was killed, but its process still exists: the kernel may be freeing "
        f"the card. Watching it for another {phase.seconds_left:.0f} s."
    )


def _how(row: Row) -> str:
    """What is special about how a row is measured."""
    past = "" if row.engine == "configured" else f", engine {row.engine}"
    return past + (f", {setting_text(row.setting)}" if row.setting else "")
