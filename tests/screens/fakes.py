"""Services made of plain functions over the example values."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import date

from tests.screens import examples
from tests.screens.collaborators import but, fake
from tests.screens.diagnose_fakes import DIAGNOSING
from tests.screens.past_fakes import PAST
from wizard.conv2d import candidates
from wizard.conv2d.caution import Circumstances
from wizard.conv2d.requests import Request, WrongRequest, sweep_in
from wizard.conv2d.shapes import Preset, Published, Row, square
from wizard.conv2d.sweep import ShapeDone, ShapeStarted, Sweep, SweepDone, SweepEvent
from wizard.conv2d.verdicts import Loaded, Result, Verdict
from wizard.core.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.knowledge.claims import load_approaches
from wizard.machine.facts import Machine
from wizard.machine.part import PartDone
from wizard.plan.choice import Choice
from wizard.plan.steps import Plan
from wizard.plan.wheel_index import WheelsSought
from wizard.run.rehearsal import Rehearsal
from wizard.services import DRY_RUN, LIVE, Services
from wizard.services.experiments import Experiments
from wizard.services.machine import Knowledge, ReportDraft, Reports
from wizard.services.plans import Plans
from wizard.services.runs import Rollback, Runs

LOG = "/home/sam/.local/state/rdna1-setup/runs/20260101-120000/log.txt"


def detect(on_part: Callable[[PartDone], None]) -> Machine:
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


HUNG = Published("hung", None, None, None, "wheels of ROCm 5.2", "notes 001", "gfx1010", "5.2")
PRESETS = (
    Preset(
        "default",
        "the shapes that the notes disagree about",
        "sizes of notes 002 and 003",
        "",
        tuple(
            Row(square(c_in, 2 * c_in, size), HUNG if size > 44 else None)
            for c_in in (16, 32)
            for size in (32, 44, 48, 64, 224)
        ),
    ),
    Preset("small", "one small shape", "our own", "", (Row(square(1, 1, 8)),)),
)


async def run_sweep(request: Request) -> AsyncGenerator[SweepEvent, None]:
    """Every shape passes but the largest, which hang."""
    sweep = sweep_in(request)
    results = tuple(result_of(row) for row in sweep.rows)
    total = len(results)
    for number, (row, result) in enumerate(zip(sweep.rows, results, strict=True), 1):
        yield ShapeStarted(number, total, row, sweep.deadlines.first)
        yield ShapeDone(number, total, result)
    yield SweepDone(results, None, 0.1)


def result_of(row: Row) -> Result:
    """A pass, or a hang for the largest size."""
    loaded = Loaded("1.13.1+rocm5.2", "5.2", "AMD Radeon RX 5600 XT", "gfx1030")
    if row.shape.h > 64:
        return Result(row.shape, "miopen", Verdict.HUNG, "no end within 60 s", 1, loaded)
    return Result(row.shape, "miopen", Verdict.PASS, "", 6, loaded, 0.412, 0.0009, 2.1e-6)


async def ask(sweep: Sweep, rows: Sequence[Row]) -> tuple[candidates.Asked, ...]:
    """The same candidates for every row."""
    solvers = (
        candidates.Solver("GemmFwdRest", "gemm", 2_359_296),
        candidates.Solver("ConvDirectNaiveConvFwd", "direct", 0),
    )
    choice = candidates.Choice("forward", solvers, ("ConvBinWinogradRxSf2x3g1",), "estimates")
    library = candidates.Library(version="2.17.0", device="gfx1030")
    return (candidates.Candidates((choice,), library),) * len(rows)


def no_layers(path: str) -> Preset:
    """There is no such file."""
    raise WrongRequest(f"{path} cannot be read: No such file or directory.")


async def take_back() -> AsyncGenerator[Event, None]:
    """The folder is taken back."""
    yield StepStarted(1, 1, "undo run 20260101-120000-3f9a1c", "The folder.")
    yield StepFinished(1, 0.1, False, "undone")
    yield PlanFinished(True, False, True, False, "", "")


WOULD_GO = (
    "Undo run 20260101-120000-3f9a1c (rocm52):\n"
    "remove 12 files that rdna1-setup made in /home/sam/rdna1/rocm52\n"
    "keep 2 files (4096 bytes) that are yours"
)
REPORT = ReportDraft(
    path="/home/sam/rdna1-report-20260101-120000",
    lines=(
        *(
            "report.md  (3 kB)",
            "    the report to read",
            "    replaced: user name 14, MAC address 2",
        ),
        *(
            "",
            "===== report.md",
            "# rdna1-setup",
            *(f"line {n} of [the] report" for n in range(60)),
        ),
    ),
    about=("report.md  (3 kB)", "    replaced: user name 14, MAC address 2"),
    command="rdna1-setup report --folder DIR --zip",
    write=lambda path: f"{path} and {path}.zip",
)


class FakePlans(Plans):
    """Plans that need no settling: the archive has what they ask for."""

    def resolve(self, machine: Machine, choice: Choice) -> Plan:
        """The plan as it is."""
        return self.make(machine, choice)


async def nothing_gone(plan: Plan, machine: Machine) -> WheelsSought:
    """Each wheel is still to be had."""
    return WheelsSought()


async def unknown_size(plan: Plan) -> None:
    """Nobody knows how much comes."""


async def nothing_left() -> str:
    """All of it has ended."""
    return ""


LIVE_SERVICES = Services(
    mode=LIVE,
    knowledge=fake(
        Knowledge,
        detect=detect,
        recommend=examples.recommend,
        stacks=lambda: examples.STACKS,
        claims=lambda: examples.CLAIMS,
        applications=lambda: examples.APPLICATIONS,
        suggest_folder=lambda machine, stack: f"{machine.access.home}/rdna1/{stack}",
        approaches=load_approaches,
        line_speed=lambda: None,
    ),
    plans=fake(
        FakePlans,
        make=examples.make_plan,
        make_clearing=examples.make_clearing,
        make_keep=examples.make_keep,
        obstacle=lambda plan: None,
        seek_wheels=nothing_gone,
        wheels_size=unknown_size,
    ),
    runs=fake(
        Runs,
        undoable=lambda: False,
        unfinished=lambda: None,
        half_undone=lambda: "",
        restart=lambda: "",
        at_work=lambda: None,
        find_rollback=lambda: Rollback(WOULD_GO, None, take_back, lambda: None),
        carry_out=carry_out,
        ask_to_stop=lambda: None,
        log_of=lambda plan: LOG,
    ),
    experiments=fake(
        Experiments,
        outlives=False,
        replayed="",
        plays=lambda request: True,
        presets=lambda: PRESETS,
        run=run_sweep,
        under_way=lambda: None,
        stop=nothing_left,
        layers_in=no_layers,
        circumstances=lambda: Circumstances(screen=True, in_use=False),
        ask=ask,
    ),
    diagnostics=DIAGNOSING,
    reports=fake(Reports, save=lambda name, text: f"/home/sam/{name}", draft=lambda: REPORT),
    past=PAST,
    clock=lambda: 0.0,
    pause_s=0.0,
    today=lambda: date(2026, 11, 25),
)
DRY_SERVICES = but(
    LIVE_SERVICES,
    mode=DRY_RUN,
    log_of=lambda plan: "",
    carry_out=lambda plan: Rehearsal().carry_out(plan),
)
