"""After a launch that hung or died on the card, nothing is measured before the card was checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.sweeping import (
    PATIENT,
    end_of,
    environ,
    events_of,
    notes_of,
    of_type,
    sweep_of,
    verdicts_of,
)
from wizard.conv2d.hangs import Sources
from wizard.conv2d.sweep import Phase, ShapeStarted, WorkerStarted
from wizard.conv2d.verdicts import Verdict
from wizard.conv2d.worker import judgement
from wizard.conv2d.worker.launch import Outcome
from wizard.knowledge.causes import KernelLine, known_lines

PASS, HUNG, CRASHED, UNUSABLE = Verdict.PASS, Verdict.HUNG, Verdict.CRASHED, Verdict.UNUSABLE
RESET_BEGUN = "amdgpu 0000:03:00.0: amdgpu: GPU reset begin!"
RESET_DONE = "amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!"
RESET_FAILED = "amdgpu 0000:03:00.0: amdgpu: GPU reset(2) failed"
EVICTION = "amdgpu: Failed to evict process queues"
HARMLESS = "amdgpu: Freeing queue vital buffer 0x70db22c00000, queue evicted"


@pytest.mark.parametrize(("fault", "verdict"), [("hang", HUNG), ("crash", CRASHED)])
async def test_a_card_that_still_answers_is_said_to_in_one_note(
    worker_python: str, tmp_path: Path, fault: str, verdict: Verdict
) -> None:
    sweep = sweep_of(worker_python, 3, 4, 5, device="cuda")
    events = await events_of(sweep, tmp_path, environ({4: fault}, hip="5.2"))

    assert verdicts_of(events) == [PASS, verdict, PASS]
    assert notes_of(events) == [judgement.WELL]
    assert len(of_type(events, WorkerStarted)) == 1


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("hang", "a sum did not finish within 1 s"),
        ("crash", "a sum failed: the process was killed by SIGSEGV"),
        ("raise", "a sum failed: RuntimeError: HIP error: unspecified launch failure"),
        ("wrong", "its product gave wrong numbers"),
    ],
)
async def test_a_card_that_does_not_pass_the_check_is_measured_no_more(
    worker_python: str, tmp_path: Path, fault: str, said: str
) -> None:
    # It may hang before anybody waits for it: that deadline passes in real time.
    deadlines = replace(PATIENT, health=1.0)
    sweep = sweep_of(worker_python, 3, 4, 5, 6, device="cuda", deadlines=deadlines)
    variables = environ({4: "hang"}, hip="5.2", health=fault)
    events = await events_of(sweep, tmp_path, variables)

    done = end_of(events)
    assert [result.verdict for result in done.results] == [PASS, HUNG, UNUSABLE, UNUSABLE]
    assert done.trouble is not None
    assert said in done.trouble.happened
    assert said in done.results[3].detail
    assert "restart" in done.trouble.next_step
    assert [event.number for event in of_type(events, ShapeStarted)] == [1, 2]


async def test_what_was_left_out_is_measured_by_the_same_command_again(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = sweep_of(worker_python, 3, 4, 5, device="cuda")
    await events_of(sweep, tmp_path, environ({4: "hang"}, hip="5.2", health="raise"))
    events = await events_of(sweep, tmp_path, environ({4: "hang"}, hip="5.2"))

    assert verdicts_of(events) == [PASS, HUNG, PASS]
    assert [event.number for event in of_type(events, ShapeStarted)] == [3]


async def test_without_a_hang_nothing_is_checked(worker_python: str, tmp_path: Path) -> None:
    variables = environ({4: "wrong", 5: "raise", 6: "out of memory"}, hip="5.2", health="hang")
    sweep = sweep_of(worker_python, 3, 4, 5, 6, device="cuda")
    events = await events_of(sweep, tmp_path, variables)

    assert len(verdicts_of(events)) == 4
    assert "health" not in {phase.name for phase in of_type(events, Phase)}


async def test_the_processor_is_trusted(worker_python: str, tmp_path: Path) -> None:
    variables = environ({4: "hang"}, health="hang")
    events = await events_of(sweep_of(worker_python, 3, 4, 5), tmp_path, variables)

    assert verdicts_of(events) == [PASS, HUNG, PASS]


@pytest.mark.parametrize("spawn", [False, True], ids=["fork", "spawn"])
async def test_the_process_that_is_checked_is_the_one_that_measures_next(
    worker_python: str, tmp_path: Path, spawn: bool
) -> None:
    imports = tmp_path / "imports"
    variables = environ({4: "hang"}, hip="5.2") | {"FAKE_TORCH_IMPORTS": str(imports)}
    sweep = sweep_of(worker_python, 3, 4, 5, device="cuda", spawn=spawn)
    events = await events_of(sweep, tmp_path, variables)

    assert notes_of(events) == [judgement.WELL]
    measuring = 3 if spawn else 1
    assert len(imports.read_bytes()) == measuring + 1, "the reference imports too"


async def test_a_first_shape_that_hangs_is_tried_again_on_a_card_that_was_checked(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = sweep_of(worker_python, 3, 4, device="cuda")
    events = await events_of(sweep, tmp_path, environ({3: "hang"}, hip="5.2"))

    assert verdicts_of(events) == [HUNG, PASS]
    assert notes_of(events) == [
        judgement.FORK_SUSPECTED,
        judgement.WELL,
        judgement.FORK_CLEARED,
        judgement.WELL,
    ]


async def test_a_first_shape_that_breaks_the_card_keeps_its_verdict(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = sweep_of(worker_python, 3, 4, device="cuda")
    events = await events_of(sweep, tmp_path, environ({3: "hang"}, hip="5.2", health="raise"))

    results = end_of(events).results
    assert [result.verdict for result in results] == [HUNG, UNUSABLE]
    assert (results[0].runs, results[0].process) == (1, "fork")


async def test_a_check_that_a_forked_process_fails_is_made_in_one_of_its_own(
    worker_python: str, tmp_path: Path
) -> None:
    """Unless a forked one has worked before: a first shape that hangs in either proves nothing."""
    variables = environ({3: "hang"}, importing="fork deadlock", hip="5.2")
    # It may hang before anybody waits for it: that deadline passes in real time.
    deadlines = replace(PATIENT, health=1.0)
    sweep = sweep_of(worker_python, 3, 4, 5, device="cuda", deadlines=deadlines)
    events = await events_of(sweep, tmp_path, variables)

    assert verdicts_of(events) == [HUNG, PASS, PASS]
    assert notes_of(events) == [
        judgement.FORK_SUSPECTED,
        judgement.WELL,
        judgement.FORK_CLEARED,
        judgement.FORK_FAILED_CHECK,
        judgement.WELL,
    ]
    assert [result.process for result in end_of(events).results][1:] == ["spawn", "spawn"]


@pytest.mark.parametrize(
    ("lines", "verdicts", "said"),
    [
        ((EVICTION, RESET_BEGUN, RESET_DONE), [PASS, HUNG, PASS], judgement.WELL_AFTER_RESET),
        ((EVICTION, RESET_BEGUN), [PASS, HUNG, UNUSABLE], EVICTION),
        ((RESET_DONE, RESET_FAILED), [PASS, HUNG, UNUSABLE], RESET_FAILED),
        ((HARMLESS,), [PASS, HUNG, PASS], judgement.WELL),
    ],
)
async def test_the_kernel_log_decides_too(
    worker_python: str, tmp_path: Path, lines: tuple[str, ...], verdicts: list[Verdict], said: str
) -> None:
    sources = Sources(lambda: 99, kernel_lines=lambda began_s: known_lines(lines))
    sweep = sweep_of(worker_python, 3, 4, 5, device="cuda")
    events = await events_of(sweep, tmp_path, environ({4: "kernel"}, hip="5.2"), sources=sources)

    done = end_of(events)
    assert [result.verdict for result in done.results] == verdicts
    happened = [] if done.trouble is None else [done.trouble.happened]
    assert any(said in text for text in (*notes_of(events), *happened))


async def test_after_a_check_that_took_long_the_kernel_log_is_read_again(
    worker_python: str, tmp_path: Path
) -> None:
    read: list[float] = []

    def first_silent_then_not(began_s: float) -> tuple[KernelLine, ...]:
        read.append(began_s)
        return known_lines([EVICTION]) if len(read) > 2 else ()

    sweep = sweep_of(worker_python, 3, 4, 5, device="cuda")
    variables = environ({4: "hang"}, hip="5.2", health="late")
    sources = Sources(kernel_lines=first_silent_then_not)
    done = end_of(await events_of(sweep, tmp_path, variables, sources=sources))

    assert [result.verdict for result in done.results] == [PASS, HUNG, UNUSABLE]
    assert len(read) == 3
    assert max(read) - min(read) < 1, "all since the launch that hung began"


def test_every_way_to_fail_the_check_has_its_words() -> None:
    checks = [
        Outcome("hung", "product", seconds=20),
        Outcome("unkillable", "sum", "process 7 is in state disk-sleep", seconds=20),
        Outcome("no device", "start"),
        Outcome("crashed", "start", "the process was killed by SIGKILL"),
    ]
    troubles = [judgement.trouble_of(check, ()) for check in checks]
    said = [trouble.happened.partition("check: ")[2] for trouble in troubles if trouble]
    assert said == [
        "a product of two small matrices did not finish within 20 s.",
        "a sum did not finish within 20 s, and process 7 is in state disk-sleep long after "
        "SIGKILL.",
        "torch no longer finds a GPU.",
        "its first operation failed: the process was killed by SIGKILL.",
    ]
    assert judgement.trouble_of(Outcome("healthy", "product"), ()) is None
