"""A torch that misbehaves costs the shape that it misbehaves on, and no other."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.conv2d.sweeping import (
    PATIENT,
    end_of,
    environ,
    events_of,
    notes_of,
    of_type,
    results_of,
    sweep_of,
    verdicts_of,
)
from wizard.conv2d.sweep import Phase, WorkerStarted
from wizard.conv2d.verdicts import Verdict
from wizard.conv2d.worker import judgement

PASS, HUNG, CRASHED = Verdict.PASS, Verdict.HUNG, Verdict.CRASHED


pytestmark = pytest.mark.usefixtures("nothing_is_left_running")


async def test_a_shape_that_never_returns_from_native_code_is_hung(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ({4: "hang"})
    events = await events_of(sweep_of(worker_python, 3, 4, 5), tmp_path, variables)

    assert verdicts_of(events) == [PASS, HUNG, PASS]
    hung = results_of(events)[1]
    assert (hung.phase, hung.hang_class, hung.runs) == ("cold", "unclassified", 1)
    assert "no answer within 30 s in its first call" in hung.detail
    assert hung.max_abs_error is None
    assert Phase(2, "killed") in events


async def test_a_shape_that_dies_by_a_signal_is_crashed(worker_python: str, tmp_path: Path) -> None:
    variables = environ({4: "crash"})
    events = await events_of(sweep_of(worker_python, 3, 4, 5), tmp_path, variables)

    assert verdicts_of(events) == [PASS, CRASHED, PASS]
    assert "was killed by SIGSEGV" in results_of(events)[1].detail


@pytest.mark.parametrize("spawn", [False, True], ids=["fork", "spawn"])
async def test_what_it_printed_last_is_told_of_one_that_died(
    worker_python: str, tmp_path: Path, spawn: bool
) -> None:
    variables = environ({4: "print and crash"})
    events = await events_of(sweep_of(worker_python, 4, spawn=spawn), tmp_path, variables)

    assert verdicts_of(events) == [CRASHED]
    assert "rocBLAS error: Cannot read TensileLibrary.dat" in results_of(events)[0].detail


async def test_a_driver_that_kills_its_first_caller_is_a_crash_and_no_hang(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ(importing="crash in the driver", hip="5.2")
    events = await events_of(sweep_of(worker_python, 3, 4, device="cuda"), tmp_path, variables)

    done = end_of(events)
    assert [result.verdict for result in done.results] == [CRASHED, Verdict.UNUSABLE]
    assert "was killed by SIGSEGV" in done.results[0].detail
    assert done.results[0].phase == "start"
    assert done.trouble is not None
    assert "the card failed a check" in done.trouble.happened


async def test_a_shape_that_ends_the_process_is_crashed(worker_python: str, tmp_path: Path) -> None:
    variables = environ({4: "leave"})
    events = await events_of(sweep_of(worker_python, 3, 4, 5), tmp_path, variables)

    assert verdicts_of(events) == [PASS, CRASHED, PASS]
    assert "ended with status 7" in results_of(events)[1].detail


async def test_a_child_is_known_before_it_says_anything(worker_python: str, tmp_path: Path) -> None:
    """Or its end would be taken for that of somebody else, and waited for in vain."""
    variables = environ({3: "leave", 5: "leave"}, importing="slow parent")
    deadlines = replace(PATIENT, first=5, later=5)
    sweep = sweep_of(worker_python, 3, 4, 5, deadlines=deadlines)
    events = await events_of(sweep, tmp_path, variables)

    assert verdicts_of(events) == [CRASHED, PASS, CRASHED]


@pytest.mark.parametrize("spawn", [False, True], ids=["fork", "spawn"])
async def test_rubbish_on_the_outputs_changes_nothing(
    worker_python: str, tmp_path: Path, spawn: bool
) -> None:
    variables = environ({4: "rubbish"}, importing="rubbish")
    events = await events_of(sweep_of(worker_python, 3, 4, 5, spawn=spawn), tmp_path, variables)

    assert verdicts_of(events) == [PASS] * 3


async def test_a_worker_that_ignores_sigterm_is_ended_all_the_same(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ({4: "hang"}, importing="ignore sigterm")
    events = await events_of(sweep_of(worker_python, 3, 4, 5), tmp_path, variables)

    assert verdicts_of(events) == [PASS, HUNG, PASS]


@pytest.mark.parametrize(
    ("fault", "first_s"),
    [
        ("fork deadlock", PATIENT.first),
        ("deadlock at fork", 1.0),  # it cannot say when it is waited for: a deadline in real time
    ],
)
async def test_forked_children_that_deadlock_lead_to_a_process_per_shape(
    worker_python: str, tmp_path: Path, fault: str, first_s: float
) -> None:
    sweep = sweep_of(worker_python, 3, 4, 5, deadlines=replace(PATIENT, first=first_s))
    events = await events_of(sweep, tmp_path, environ(importing=fault))

    assert verdicts_of(events) == [PASS] * 3
    assert notes_of(events) == [judgement.FORK_SUSPECTED, judgement.FORK_BAD]
    assert [result.process for result in results_of(events)] == ["spawn"] * 3
    assert [result.runs for result in results_of(events)] == [2, 1, 1]
    assert [event.process for event in of_type(events, WorkerStarted)] == ["fork", "spawn"]


async def test_a_first_shape_that_hangs_in_either_process_clears_forking(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ({3: "hang", 5: "leave"})
    events = await events_of(sweep_of(worker_python, 3, 4, 5), tmp_path, variables)

    assert verdicts_of(events) == [HUNG, PASS, CRASHED]
    assert notes_of(events) == [judgement.FORK_SUSPECTED, judgement.FORK_CLEARED]
    assert [result.runs for result in results_of(events)] == [2, 1, 1]
    assert results_of(events)[1].process == "fork"


async def test_wrong_numbers_are_wrong_and_not_finite_ones_are_counted(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ({4: "wrong", 5: "nan", 6: "zeros"})
    events = await events_of(sweep_of(worker_python, 3, 4, 5, 6), tmp_path, variables)

    assert verdicts_of(events) == [PASS, Verdict.WRONG, Verdict.WRONG, Verdict.WRONG]
    wrong, nan, zeros = results_of(events)[1:]
    assert zeros.nonfinite == 0
    assert "differs from the float64 reference" in zeros.detail
    assert wrong.max_abs_error == pytest.approx(0.1, abs=1e-6)
    assert "differs from the float64 reference by 0.1" in wrong.detail
    assert (nan.max_abs_error, nan.nonfinite) == (None, 1)


async def test_errors_and_shortage_of_memory_cost_only_their_shape(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ({4: "raise", 5: "out of memory"})
    events = await events_of(sweep_of(worker_python, 3, 4, 5, 6), tmp_path, variables)

    assert verdicts_of(events) == [PASS, Verdict.ERROR, Verdict.OUT_OF_MEMORY, PASS]
    error = results_of(events)[1]
    assert error.detail.startswith("RuntimeError: HIP error: invalid device function. Known cause:")
    assert "HSA_OVERRIDE_GFX_VERSION=10.3.0" in error.detail
    assert error.cause == "no-code-for-card"
    assert "Tried to allocate" in results_of(events)[2].detail


async def test_what_a_runtime_prints_before_it_dies_names_the_cause(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ({4: "fault", 5: "crash", 6: "fault and hang"})
    events = await events_of(sweep_of(worker_python, 3, 4, 5, 6), tmp_path, variables)

    assert verdicts_of(events) == [PASS, CRASHED, CRASHED, HUNG]
    fault, silent, hung = results_of(events)[1:]
    assert hung.cause == "gpu-hang"
    assert "It printed: HW Exception by GPU node-1" in hung.detail
    assert fault.cause == "memory-fault"
    assert "was killed by SIGABRT" in fault.detail
    assert "It printed: Memory access fault by GPU node-1" in fault.detail
    assert "an address it is not allowed" in fault.detail
    assert silent.cause is None
    assert "Memory access fault" not in silent.detail, "that was another process"


async def test_a_card_is_measured_the_same_way(worker_python: str, tmp_path: Path) -> None:
    variables = environ({4: "hang", 5: "raise", 6: "leave"}, hip="5.2")
    sweep = sweep_of(worker_python, 3, 4, 5, 6, 7, device="cuda")
    events = await events_of(sweep, tmp_path, variables)

    assert verdicts_of(events) == [PASS, HUNG, Verdict.ERROR, CRASHED, PASS]


async def test_a_process_that_cannot_be_killed_ends_the_sweep(
    worker_python: str, tmp_path: Path
) -> None:
    spared: list[int] = []
    sweep = sweep_of(worker_python, 3, 4, 5, 6, deadlines=replace(PATIENT, killed=0.2))
    events = await events_of(sweep, tmp_path, environ({4: "hang"}), kill=spared.append)

    done = end_of(events)
    assert [result.verdict for result in done.results] == [
        PASS, HUNG, Verdict.UNUSABLE, Verdict.UNUSABLE,
    ]  # fmt: skip
    assert done.results[1].hang_class == "unkillable"
    assert done.trouble is not None
    assert f"process {spared[0]} is in state running" in done.trouble.happened


async def test_a_replacement_that_never_imports_is_the_verdict_of_the_next_shape(
    worker_python: str, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {worker_python} "$@"\n')
    python.chmod(0o755)

    def kill_all_and_spoil_the_python(pid: int) -> None:
        parent = psutil.Process(pid).ppid()
        for victim in (parent, pid):
            os.kill(victim, 9)
        python.write_text('#!/bin/sh\nsleep 0.2; printf ! >"$FAKE_TORCH_HANGS"; exec sleep 60\n')

    sweep = sweep_of(str(python), 3, 4, 5, 6)
    events = await events_of(
        sweep, tmp_path, environ({4: "hang"}), kill=kill_all_and_spoil_the_python
    )

    verdicts = [result.verdict for result in end_of(events).results]
    assert verdicts == [PASS, HUNG, HUNG, Verdict.UNUSABLE]
    assert end_of(events).results[2].phase == "import"


async def test_a_worker_that_is_killed_from_outside_is_replaced(
    worker_python: str, tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill_its_parent_too(pid: int) -> None:
        parent = psutil.Process(pid).ppid()
        for victim in (parent, pid):
            os.kill(victim, 9)
        killed.append(parent)

    sweep = sweep_of(worker_python, 3, 4, 5)
    events = await events_of(sweep, tmp_path, environ({4: "hang"}), kill=kill_its_parent_too)

    assert len(killed) == 1
    assert verdicts_of(events) == [PASS, HUNG, PASS]
    assert len(of_type(events, WorkerStarted)) == 2
