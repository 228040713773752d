"""Runs that are over, and roads to them, made of plain functions."""

from __future__ import annotations

from pathlib import Path

from tests.conv2d.made import made
from tests.screens.collaborators import fake
from wizard.conv2d.requests import Request
from wizard.conv2d.runs.folders import KeptRuns, Run
from wizard.conv2d.runs.history import BROKEN_OFF, FINISHED, UNDER_WAY, RunStatus
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.shapes import Row, square
from wizard.conv2d.stop_reasons import budget_spent
from wizard.conv2d.sweep import FoundSetting, StopReason, Sweep, SweepDone
from wizard.conv2d.verdicts import Loaded, Verdict
from wizard.services.experiments import Draft, Past

FOLDER = Path("/home/sam/.local/state/rdna1-setup/conv2d/runs")
ROW = Row(square(16, 32, 64))
SWEEP = Sweep("/home/sam/rdna1/rocm57/bin/python", (ROW, Row(square(32, 64, 64))))
LIMIT = LimitRequest(Sweep(SWEEP.python, (ROW,)), "size", 1, 256, 3)
PASS, HUNG, MEMORY = Verdict.PASS, Verdict.HUNG, Verdict.OUT_OF_MEMORY
SPENT = budget_spent(3)
RESULTS = (made(ROW.shape), made(square(32, 64, 64), Verdict.HUNG))


def run_of(hour: int, request: Request) -> Run:
    """A run of that hour."""
    began = f"2026-01-02 {hour:02}:04+00:00"
    name = f"20260102-{hour:02}0400-3f9a1c"
    return Run(FOLDER / name, "3f9a1c", began, FOLDER.parent / "3f9a1c.jsonl", True, request)


def done(*verdicts: Verdict, trouble: StopReason | None = None) -> SweepDone:
    """The end of a run with these verdicts."""
    return SweepDone(tuple(made(ROW.shape, verdict) for verdict in verdicts), trouble, 0.0)


RUNS = (run_of(9, SWEEP), run_of(8, LIMIT), run_of(7, SWEEP))
DAMAGED = str(FOLDER / "20260101-000000-damaged")
ON_CARD = Loaded("2.2.2+rocm5.7", "5.7", "AMD Radeon RX 5600 XT", "gfx1030")
STATUSES = {
    RUNS[0].id: RunStatus(RUNS[0], UNDER_WAY, done(PASS), ON_CARD),
    RUNS[1].id: RunStatus(
        RUNS[1], BROKEN_OFF, done(*[PASS] * 12, *[HUNG] * 3, *[MEMORY] * 2, trouble=SPENT), ON_CARD
    ),
    RUNS[2].id: RunStatus(
        RUNS[2], FINISHED, done(PASS, PASS), Loaded("1.13.1+rocm5.2", "5.2", "RX 5600 XT")
    ),
}


def card(run: Run) -> Draft:
    """A card of two results."""
    about = ("2 results. Your name is not included.", "", "Card: RX 5600 XT, gfx1010")
    command = ("rdna1-setup", "conv2d", "--export", "PATH", "--run", run.id)
    return Draft("/home/sam/card.json", "{}", about, command)


def script(run: Run, place: int) -> Draft:
    """A script for one result."""
    command = ("rdna1-setup", "conv2d", "--repro", "PATH", "--run", run.id)
    about = (f"This script measures {RESULTS[place].label}.",)
    return Draft("/home/sam/repro.py", "print()", about, command)


FOUND = FoundSetting((("MIOPEN_DEBUG_CONV_GEMM", "0"),), "/home/sam/rdna1/rocm57")
PAST = fake(
    Past,
    is_here=True,
    kept=lambda: KeptRuns(RUNS, (DAMAGED,)),
    status=lambda run: STATUSES[run.id],
    whole=lambda run: (f"{run.id}  finished", "", "16->32 3x3 @64x64  pass"),
    results=lambda run: RESULTS,
    found=lambda run: FOUND,
    compare=lambda run, other: (f"{run.id} beside {other.id if other else 'the one before'}",),
    card=card,
    script=script,
    take_in=lambda path, run: (f"{path} (not your chip)", f"beside {run.id if run else 'none'}"),
    is_there=lambda path: False,
    write=lambda path, text, over: path,
)
