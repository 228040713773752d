"""The words for what happens in a sweep."""

from wizard.conv2d.shapes import Row, square
from wizard.conv2d.sweep import (
    DeviceFound,
    Note,
    Phase,
    ShapeDone,
    ShapeStarted,
    SweepEvent,
    WorkerStarted,
)
from wizard.conv2d.text import line_of
from wizard.conv2d.verdicts import Loaded, Result, Verdict

LOADED = Loaded("1.13.1+rocm5.2", "5.2", "RX 5600 XT", "gfx1030")
ROW = Row(square(16, 32, 44))


def test_every_event_worth_a_line_has_one() -> None:
    hung = Result(ROW.shape, "miopen", Verdict.HUNG, "no answer", 1, LOADED)
    events: dict[SweepEvent, str] = {
        WorkerStarted(7, LOADED, "fork"): "torch 1.13.1+rocm5.2, ROCm 5.2 (process 7, fork)",
        DeviceFound(LOADED): "device: RX 5600 XT, gfx1030",
        ShapeStarted(2, 15, ROW, 60.0): "2/15 16->32 3x3 @44x44 (deadline 60 s)",
        ShapeDone(2, 15, hung): "2/15   hung: no answer",
        Note("worth knowing"): "worth knowing",
        Phase(2, "cold"): "",
        Phase(2, "killed"): "",
        Phase(2, "killed", 24.6): "shape 2 was killed, but its process still exists: the "
        "kernel may be freeing the card. Watching it for another 25 s.",
    }
    assert {event: line_of(event) for event in events} == events
