"""When a shape that does not answer has hung, and when it is only slow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.sweeping import (
    PATIENT,
    environ,
    events_of,
    of_type,
    results_of,
    sweep_of,
    verdicts_of,
)
from wizard.conv2d.hangs import Look, Sources
from wizard.conv2d.sweep import DeadlineMoved
from wizard.conv2d.verdicts import Verdict
from wizard.conv2d.worker.launch import Patience
from wizard.knowledge.causes import known_lines

STILL = Look(0.0, 0.0, None, 0, 0, "running", "", ())
PASS, HUNG = Verdict.PASS, Verdict.HUNG


def patience() -> Patience:
    return Patience(began=100.0, limit=30.0, longest=600.0, every=2.0)


def test_it_is_looked_at_from_half_the_deadline_on() -> None:
    waiting = patience()
    assert waiting.seconds_to_wait(100.0) == 15
    assert not waiting.note(STILL, 115.0)
    assert waiting.seconds_to_wait(115.0) == 2


def test_without_progress_it_has_hung_at_its_deadline_and_not_before() -> None:
    waiting = patience()
    for now in range(115, 130, 2):
        waiting.note(STILL, now)
        assert not waiting.is_over(now)
    assert waiting.seconds_to_wait(129.0) == 1
    waiting.note(STILL, 130.0)
    assert waiting.is_over(130.0)


def test_a_short_deadline_is_not_lengthened_for_the_sake_of_a_second_look() -> None:
    waiting = Patience(began=100.0, limit=1.0, longest=600.0, every=2.0)
    waiting.note(STILL, 100.5)
    assert waiting.seconds_to_wait(100.5) == 0.5
    waiting.note(STILL, 101.0)
    assert waiting.is_over(101.0)


def test_progress_moves_the_deadline_but_not_for_ever() -> None:
    waiting, lines, now = patience(), 0, 115.0
    waiting.note(STILL, now)
    while not waiting.is_over(now):
        now, lines = now + 20, lines + 1
        waiting.note(replace(STILL, log_lines=lines), now)
    assert 700 <= now < 730


def test_time_on_the_processor_alone_moves_nothing() -> None:
    waiting = patience()
    waiting.note(STILL, 115.0)
    assert not waiting.note(replace(STILL, processor_s=9.0), 131.0)
    assert waiting.is_over(131.0)


def test_a_first_look_that_comes_too_late_is_followed_by_a_second() -> None:
    waiting = patience()
    waiting.note(STILL, 500.0)
    assert not waiting.is_over(500.0)
    waiting.note(STILL, 502.0)
    assert waiting.is_over(502.0)


async def test_a_shape_that_compiles_longer_than_its_deadline_is_waited_for(
    worker_python: str, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    variables = environ({4: "compile"}) | {"FAKE_TORCH_CACHE": str(cache)}
    looks = iter(range(100))

    def end_with_the_third_look() -> None:
        if next(looks) == 2:
            (cache / "enough").touch()

    sources = Sources(end_with_the_third_look, (cache,))
    # Far enough apart for a busy machine to let the compiler write something in between.
    sweep = sweep_of(worker_python, 3, 4, deadlines=replace(PATIENT, look=0.5))
    events = await events_of(sweep, tmp_path, variables, sources=sources)

    assert verdicts_of(events) == [PASS, PASS]
    moved = of_type(events, DeadlineMoved)[0]
    assert (moved.number, moved.why, moved.because) == (
        2,
        "compiling",
        "files in the compiler's cache grew",
    )


async def test_an_endless_search_ends_all_the_same_and_is_named(
    worker_python: str, tmp_path: Path
) -> None:
    deadlines = replace(PATIENT, longest=30)
    sweep = sweep_of(worker_python, 3, 4, 5, deadlines=deadlines)
    events = await events_of(sweep, tmp_path, environ({4: "search"}))

    assert verdicts_of(events) == [PASS, HUNG, PASS]
    hung = results_of(events)[1]
    assert hung.hang_class == "searching"
    assert hung.because is not None
    assert hung.because.startswith("MIOpen(HIP): Info [FindSolutionImpl] Starting search: ConvAsm")


async def test_a_search_without_a_word_is_named_by_the_processor_that_it_keeps_busy(
    worker_python: str, tmp_path: Path
) -> None:
    # Far enough apart for a busy machine to let it compute in between.
    deadlines = replace(PATIENT, look=1)
    sources = Sources(gpu_percent=lambda: 0)
    sweep = sweep_of(worker_python, 3, 4, 5, deadlines=deadlines)
    events = await events_of(sweep, tmp_path, environ({4: "silent search"}), sources=sources)

    assert verdicts_of(events) == [PASS, HUNG, PASS]
    hung = results_of(events)[1]
    assert hung.hang_class == "searching"
    assert hung.because is not None
    assert hung.because.endswith("Starting search: ConvHipImplicitGemm")


@pytest.mark.parametrize(
    ("said", "hang_class"),
    [
        ("amdgpu: Failed to evict process queues", "driver"),
        ("amdgpu 0000:03:00.0: amdgpu: GPU reset begin!", "reset"),
    ],
)
async def test_what_the_driver_says_outranks_a_busy_card(
    worker_python: str, tmp_path: Path, said: str, hang_class: str
) -> None:
    sources = Sources(lambda: 99, kernel_lines=lambda began_s: known_lines([said]))
    events = await events_of(
        sweep_of(worker_python, 3, 4, 5), tmp_path, environ({4: "kernel"}), sources=sources
    )

    hung = results_of(events)[1]
    assert (hung.hang_class, hung.because) == (hang_class, said)


async def test_a_busy_card_and_a_silent_log_are_a_spinning_kernel(
    worker_python: str, tmp_path: Path
) -> None:
    sources = Sources(gpu_percent=lambda: 99)
    sweep = sweep_of(worker_python, 3, 4, 5)
    events = await events_of(sweep, tmp_path, environ({4: "kernel"}), sources=sources)

    hung = results_of(events)[1]
    assert (hung.verdict, hung.hang_class) == (HUNG, "spinning kernel")
    assert "99 % busy without progress, in gemm_k" in hung.detail
