"""Each class of hangs by the evidence that proves it, and by what does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wizard.conv2d.hangs import NEXT_STEPS, Evidence, HangClass, classify, read
from wizard.knowledge.causes import known_lines

COMPILE = "MIOpen(HIP): Info2 [LoadBinary] Unable to load binary for: x.cpp.o; args: -D"
SEARCH = "MIOpen(HIP): Info [FindSolutionImpl] Starting search: ConvAsm1x1U"
KERNEL = "MIOpen(HIP): Info2 [run] kernel_name = naive_conv, global_work_dim = {1"
EVICTION = "[ 99.1] amdgpu 0000:03:00.0: amdgpu: Failed to evict process queues"
RESET = "[ 99.2] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!"
STUCK = Evidence(cores=1.0, gpu_percent=99)


@pytest.mark.parametrize(
    ("evidence", "hang_class", "because"),
    [
        (
            replace(STUCK, gone=False, state="disk-sleep", waits_in="fuse_wait"),
            "unkillable",
            "disk-sleep in fuse_wait",
        ),
        (replace(STUCK, kernel=known_lines([EVICTION, RESET])), "reset", RESET),
        (replace(STUCK, kernel=known_lines([EVICTION])), "driver", EVICTION),
        (replace(STUCK, gpu_percent=0, compilers=("clang-14",)), "compiling", "clang-14"),
        (replace(STUCK, gpu_percent=None, cache_grew=True), "compiling", "cache grew"),
        (replace(STUCK, gpu_percent=3, reading=read(COMPILE)), "compiling", COMPILE),
        (replace(STUCK, gpu_percent=3, reading=read(SEARCH)), "searching", SEARCH),
        (replace(STUCK, new_log_lines=4, reading=read(SEARCH)), "searching", SEARCH),
        (
            replace(STUCK, reading=read(KERNEL)),
            "spinning kernel",
            "99 % busy without progress, in naive_conv",
        ),
        (STUCK, "spinning kernel", "99 % busy"),
        (replace(STUCK, gpu_percent=0, reading=read(KERNEL)), "lost signal", "0 % busy"),
    ],
)
def test_each_class_has_its_proof(evidence: Evidence, hang_class: str, because: str) -> None:
    finding = classify(evidence)
    assert finding.hang_class.value == hang_class
    assert because in finding.because


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence(),
        Evidence(cores=1.0),
        Evidence(cores=1.0, gpu_percent=0),
        Evidence(cores=1.0, gpu_percent=50, reading=read(COMPILE)),
        Evidence(cores=0.0, gpu_percent=0, reading=read(SEARCH)),
        Evidence(gpu_percent=99, new_log_lines=3),
        Evidence(kernel=known_lines(["amdgpu: Runlist is getting oversubscribed"])),
    ],
)
def test_time_on_the_processor_or_on_the_card_alone_proves_nothing(evidence: Evidence) -> None:
    finding = classify(evidence)
    assert (finding.hang_class, finding.because) == (HangClass.UNCLASSIFIED, "")


def test_what_progresses_is_slow_and_not_stuck() -> None:
    assert replace(STUCK, cache_grew=True).progresses
    assert replace(STUCK, new_log_lines=1).progresses
    assert not STUCK.progresses


def test_every_class_says_what_to_do() -> None:
    assert set(NEXT_STEPS) == set(HangClass)
