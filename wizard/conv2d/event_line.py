"""The words for what happens in a sweep, for the terminal's lines and the panel alike."""

from __future__ import annotations

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


def line_of(event: SweepEvent) -> str:
    """One event in one line; ``""`` for what only a live screen wants."""
    match event:
        case WorkerStarted():
            hip = f", ROCm {event.loaded.hip}" if event.loaded.hip else ""
            return f"torch {event.loaded.torch}{hip} (process {event.pid}, {event.process})"
        case DeviceFound():
            gfx = f", {event.loaded.gfx}" if event.loaded.gfx else ""
            return f"device: {event.loaded.device}{gfx}"
        case ShapeStarted():
            place = f"{event.number}/{event.total}"
            return f"{place} {event.row.label} (deadline {event.deadline_s:g} s)"
        case DeadlineMoved():
            longest = f"waiting for it up to {event.longest_s:g} s"
            return f"shape {event.number} is slow, not stuck ({event.why}): {longest}"
        case ShapeDone():
            detail = f": {event.result.detail}" if event.result.detail else ""
            return f"{event.number}/{event.total}   {event.result.verdict.value}{detail}"
        case Note():
            return event.text
        case Phase() | SweepDone():
            return ""
