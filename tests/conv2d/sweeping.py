"""Running a sweep against the stand-in torch, and looking at its events."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar

from tests.conv2d.clock import deadlines_pass_when_told
from wizard.conv2d.client import run_sweep
from wizard.conv2d.hangs import Sources
from wizard.conv2d.shapes import Row, Shape
from wizard.conv2d.sweep import Deadlines, Note, ShapeDone, Sweep, SweepDone, SweepEvent
from wizard.conv2d.verdicts import Result, Verdict
from wizard.conv2d.worker.process import kill_tree

FAKE_TORCH = Path(__file__).parent / "fake_torch"
PATIENT = Deadlines(imports=30, first=30, later=30, reference=30, killed=30, look=0.05)
T = TypeVar("T")


def small(c_out: int) -> Row:
    """A shape that is told from the others by its output channels."""
    return Row(Shape(2, c_out, 4, 4))


def sweep_of(
    python: str,
    *c_outs: int,
    device: str = "cpu",
    spawn: bool = False,
    deadlines: Deadlines = PATIENT,
) -> Sweep:
    """A sweep over small shapes."""
    rows = tuple(small(c_out) for c_out in c_outs)
    return Sweep(python, rows, device, spawn=spawn, deadlines=deadlines)


def environ(
    faults: dict[int, str] | None = None,
    importing: str = "",
    hip: str | None = None,
    limits: dict[str, int] | None = None,
    health: str = "",
    reference: str = "",
    miopen: dict[str, Any] | None = None,
    operations: dict[str, str] | None = None,
) -> dict[str, str]:
    """Variables under which the worker finds the stand-in torch with these faults."""
    manifest = {
        "miopen": miopen or {},
        "import": importing,
        "health": health,
        "reference": reference,
        "limits": limits or {},
        "operations": operations or {},
        "shapes": {str(key): name for key, name in (faults or {}).items()},
    }
    card = {} if hip is None else {"FAKE_TORCH_HIP": hip}
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(FAKE_TORCH),
        "FAKE_TORCH": json.dumps(manifest),
        **card,
    }


async def events_of(
    sweep: Sweep,
    folder: Path,
    variables: dict[str, str] | None = None,
    *,
    resume: bool = True,
    kill: Callable[[int], None] = kill_tree,
    sources: Sources | None = None,
) -> list[SweepEvent]:
    """Every event of a sweep that runs to its end."""
    journal = folder / "journal.jsonl"
    variables = environ() if variables is None else variables
    with deadlines_pass_when_told() as fifo:
        stream = run_sweep(
            sweep,
            journal=journal,
            resume=resume,
            environ={**variables, "FAKE_TORCH_HANGS": fifo},
            kill=kill,
            sources=sources,
        )
        async with aclosing(stream) as events:
            return [event async for event in events]


def of_type(events: list[SweepEvent], kind: type[T]) -> list[T]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def end_of(events: list[SweepEvent]) -> SweepDone:
    """The last event."""
    (done,) = of_type(events, SweepDone)
    assert events[-1] is done
    assert [event.result for event in of_type(events, ShapeDone)] == list(done.results)
    return done


def results_of(events: list[SweepEvent]) -> tuple[Result, ...]:
    """Every result of a sweep without trouble."""
    done = end_of(events)
    assert done.trouble is None
    return done.results


def verdicts_of(events: list[SweepEvent]) -> list[Verdict]:
    """The verdicts of a sweep without trouble."""
    return [result.verdict for result in results_of(events)]


def notes_of(events: list[SweepEvent]) -> list[str]:
    """What the sweep remarked."""
    return [note.text for note in of_type(events, Note)]
