"""MIOpen's log: which line is one, and what it was about to do when it fell silent."""

from __future__ import annotations

import pytest

from wizard.conv2d.hangs import Reading, Stage, read
from wizard.conv2d.worker.process import Tail

LOAD = "MIOpen(HIP): Info2 [LoadBinary]"


@pytest.mark.parametrize(
    ("line", "stage", "subject"),
    [
        (
            "MIOpen(HIP): Info [FindConvFwdAlgorithm] requestAlgoCount = 1, workspace = 150994944",
            Stage.FIND,
            "",
        ),
        (
            "4711 MIOpen(HIP): Info2 [SearchForAllSolutions] ConvAsm3x3U: Not applicable",
            Stage.SOLVERS,
            "ConvAsm3x3U",
        ),
        (
            "MIOpen(HIP)[   12.345]: Info [FindSolutionImpl] GemmFwdRest (not searchable)",
            Stage.SOLVERS,
            "GemmFwdRest",
        ),
        (
            "MIOpen(HIP): Info [FindSolutionImpl] Starting search: ConvAsm1x1U, enforce: NONE",
            Stage.SEARCH,
            "ConvAsm1x1U,",
        ),
        (
            "MIOpen(HIP): Warning [GenericSearch] ConvOclDirectFwd: Searching the best solution "
            "among 288...",
            Stage.SEARCH,
            "ConvOclDirectFwd",
        ),
        (
            f'{LOAD} Loading binary for: "naive_conv.cpp.o"; args: -D',
            Stage.COMPILE,
            "naive_conv.cpp.o",
        ),
        (
            f"{LOAD} Loading binary for: MIOpenConvDirUni.cl ;args:  -D",
            Stage.COMPILE,
            "MIOpenConvDirUni.cl",
        ),
        (
            f"{LOAD} Unable to load binary for: naive_conv.cpp.o; args: -D",
            Stage.COMPILE,
            "naive_conv.cpp.o",
        ),
        (f"{LOAD} Sucessfully loaded binary for: a.cpp.o; args: -D", Stage.LOADED, "a.cpp.o"),
        (
            "MIOpen(HIP): Info2 [SaveBinary] Saving binary for: a.s.o; args: -D",
            Stage.LOADED,
            "a.s.o",
        ),
        (
            "MIOpen(HIP): Info2 [run] kernel_name = naive_conv_fwd_nchw, global_work_dim = { 4096,",
            Stage.KERNEL,
            "naive_conv_fwd_nchw",
        ),
        (
            "MIOpen: Info [EvaluateInvokers] Evaluating Solver: "
            "miopenConvolutionFwdAlgoGEMM:GemmFwdRest",
            Stage.TIMING,
            "miopenConvolutionFwdAlgoGEMM:GemmFwdRest",
        ),
        ("MIOpen(HIP): Info2 [CallGemm] gemm_desc: {isColMajor 0", Stage.GEMM, ""),
        (
            "MIOpen(HIP): Info2 [PrepareInvoker] Preparing kernel: naive_conv_fwd_nchw",
            Stage.PREPARED,
            "naive_conv_fwd_nchw",
        ),
        (
            "MIOpen(HIP): Info [FindConvFwdAlgorithm] FW Chosen Algorithm: GemmFwdRest , 0, 1.5",
            Stage.CHOSEN,
            "GemmFwdRest",
        ),
        (
            "MIOpen(HIP): Error [FindFwd] No suitable algorithm was found to execute",
            Stage.REFUSED,
            "",
        ),
    ],
)
def test_the_last_line_tells_what_was_under_way(line: str, stage: Stage, subject: str) -> None:
    tail = Tail()
    tail.data_received(f"torch says hello\n{line}\n\x00 noise\n".encode())
    assert tail.reading == Reading(stage, subject.rstrip(","), line)


def test_lines_that_say_nothing_of_it_leave_what_was_under_way() -> None:
    tail = Tail()
    tail.data_received(f"{LOAD} Unable to load binary for: x.cpp.o; args: -D\n".encode())
    tail.data_received(b"MIOpen(HIP): Info2 [Measure] Db::FindRecord time: 0.02 ms\n")
    assert tail.reading is not None
    assert tail.reading.stage is Stage.COMPILE


def test_what_others_print_is_no_line_of_it() -> None:
    said = "[run] kernel_name = k, a"
    for line in ("", "hello", f"MIOpen {said}", f"INFO - MIOpen(HIP): Info {said}",
                 f"MIOpen(HIP): Gossip {said}"):  # fmt: skip
        assert read(line) is None


def test_elapsed_times_and_thread_numbers_are_passed_over() -> None:
    line = "12 MIOpen(HIP)[    1.250]: Info2 [run] kernel_name = k, a"
    assert read(line) == Reading(Stage.KERNEL, "k", line)
    line = "MIOpen(HIP): Warning No suitable algorithm was found"
    assert read(line) == Reading(Stage.REFUSED, "", line)
