"""Services made of plain functions over the example values."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

from screens.services import DRY_RUN, LIVE, DetectedPart, Services
from screens.sweep import (
    Preset,
    ShapeMeasured,
    ShapeStarted,
    SweepRequest,
    SweepShape,
    SweepUpdate,
)
from tests.screens import examples
from wizard.machine.facts import Machine
from wizard.plan.steps import Plan
from wizard.run.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)

LOG = "/home/sam/.local/state/rdna1-setup/runs/20260101-120000/log.txt"


def detect(on_part: Callable[[DetectedPart], None]) -> Machine:
    """Answers every part, then the machine."""
    for part in examples.PARTS:
        on_part(part)
    return examples.MACHINE


async def carry_out(plan: Plan) -> AsyncGenerator[Event, None]:
    """Every step succeeds."""
    total = len(plan.steps)
    for number, step in enumerate(plan.steps, 1):
        yield StepStarted(number, total, str(step), step.reason)
        yield Output((f"output of step {number}", "Collecting torch"))
        yield Progress(410_000_000, 1_640_000_000, "bytes", "torch-1.13.1.whl", 1500.0)
        yield StepFinished(number, 1.0, number == 1, "done, and found to be so")
    yield PlanFinished(True, False, True, False, "20260101-120000", LOG)


async def fail_at_three(plan: Plan) -> AsyncGenerator[Event, None]:
    """The third step fails."""
    total = len(plan.steps)
    for number, step in enumerate(plan.steps[:2], 1):
        yield StepStarted(number, total, str(step), step.reason)
        yield StepFinished(number, 1.0, False, "done")
    yield StepStarted(3, total, str(plan.steps[2]), plan.steps[2].reason)
    yield StepFailed(
        3,
        "The server stopped sending after 656 of 1640 MB.",
        "What was fetched is kept; nothing was installed yet.",
        "Start the same plan again: it goes on from there.",
    )
    yield PlanFinished(False, False, True, False, "20260101-120000", LOG)


async def break_off(plan: Plan) -> AsyncGenerator[Event, None]:
    """The stream itself fails."""
    yield StepStarted(1, len(plan.steps), str(plan.steps[0]), plan.steps[0].reason)
    raise OSError(28, "No space left on device", "/home")


PRESETS = (
    Preset(
        "default",
        "16->32, 32->64, 64->128",
        "sizes of notes 002 and 003",
        tuple(
            SweepShape(f"{channels}@{size}", f"{size}x{size}", channels, published)
            for channels, published in (("16->32", "hangs >32"), ("32->64", "hangs >48"))
            for size in (32, 44, 48, 64, 224)
        ),
    ),
    Preset("small", "one small shape", "our own", (SweepShape("a", "8x8", "1->1", ""),)),
)


async def run_sweep(request: SweepRequest) -> AsyncGenerator[SweepUpdate, None]:
    """Every shape passes but the largest, which hang."""
    for preset in PRESETS:
        if preset.id == request.preset:
            for shape in preset.shapes:
                yield ShapeStarted(shape.key)
                hung = shape.size == "224x224"
                yield ShapeMeasured(
                    shape.key,
                    "hung" if hung else "pass",
                    None if hung else 0.412,
                    None if hung else 0.0009,
                    "spinning kernel" if hung else "2.1e-06",
                )


def sweep_command(request: SweepRequest) -> str:
    """The shell line."""
    return f"rdna1-setup conv2d --python {request.python} --device {request.device}"


LIVE_SERVICES = Services(
    mode=LIVE,
    detect=detect,
    advise=examples.advise,
    stacks=lambda: examples.STACKS,
    claims=lambda: examples.CLAIMS,
    applications=lambda: examples.APPLICATIONS,
    suggest_folder=lambda machine, stack: f"{machine.access.home}/rdna1/{stack}",
    make_plan=examples.make_plan,
    undoable=lambda: False,
    way_back=lambda: "remove 12 files of ours below /home/sam/rdna1/rocm52",
    go_back=lambda: (),
    carry_out=carry_out,
    ask_to_stop=lambda: None,
    presets=lambda: PRESETS,
    run_sweep=run_sweep,
    sweep_command=sweep_command,
    save_text=lambda name, text: f"/home/sam/{name}",
    clock=lambda: 0.0,
)
DRY_SERVICES = replace(LIVE_SERVICES, mode=DRY_RUN, save_text=None)
