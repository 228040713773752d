"""From what MIOpen's log said last to the variable that leaves just that out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conv2d.sweeping import small
from wizard.conv2d.search.setting_search import POLLING, culprit_of
from wizard.conv2d.verdicts import Loaded, Result, Verdict
from wizard.knowledge.solvers import family_of, load_families

HUNG = Result(small(3).shape, "miopen", Verdict.HUNG, "", 1, Loaded())
FAMILIES = {
    family.variable.removeprefix("MIOPEN_DEBUG_CONV_"): family for family in load_families()
}


@pytest.mark.parametrize(
    ("line", "family"),
    [
        ("Info2 [PrepareInvoker] Preparing kernel: Im2d2Col", "GEMM"),
        ("Info2 [PrepareInvoker] Preparing kernel: miopenSp3AsmConv_v21_1_3_gfx10", "WINOGRAD"),
        ("Info2 [run] kernel_name = naive_conv_fwd_nchw_float, global_work_dim = {", "DIRECT"),
        ("Info2 [CallGemm] gemm_desc: {isColMajor 0", "GEMM"),
        ("Info [FindSolutionImpl] Starting search: ConvAsm1x1U, enforce: NONE", "DIRECT"),
        ("Info [E] Evaluating Solver: miopenConvolutionFwdAlgoGEMM:GemmFwdRest", "GEMM"),
        ('Info2 [LoadBinary] Unable to load binary for: "naive_conv.cpp.o"; args: -D', "DIRECT"),
        (
            "Info2 [LoadBinary] Loading binary for: static_kernel_gridwise_conv.cpp.o; args: -D",
            "IMPLICIT_GEMM",
        ),
        ("Info2 [run] kernel_name = MIOpenConvFFT_fwd_in, global_work_dim = {", "FFT"),
        ("Info [FindConvFwdAlgorithm] FW Chosen Algorithm: GemmFwdRest , 0, 11.0525", "GEMM"),
        # What was done before says nothing of what came next.
        ("Info [EvaluateInvokers] GemmFwdRest: Im2d2Col: 0.1 < 3e+38", None),
        ("Info2 [LoadBinary] Successfully loaded binary for: naive_conv.cpp.o; args: -D", None),
        ("Info2 [SearchForAllSolutions] ConvAsm3x3U: Not applicable", None),
        ("Info2 [run] kernel_name = something_new, global_work_dim = {", None),
    ],
)
def test_the_last_line_leads_to_the_family(line: str, family: str | None) -> None:
    culprit = culprit_of(replace(HUNG, log_line=f"MIOpen(HIP): {line}"))
    assert culprit == (None if family is None else FAMILIES[family].off)


def test_a_lost_signal_leads_to_polling() -> None:
    assert culprit_of(replace(HUNG, hang_class="lost signal")) == POLLING
    assert culprit_of(HUNG) is None


@pytest.mark.parametrize("family", load_families(), ids=lambda family: str(family.name))
def test_every_solver_that_serves_alone_is_of_its_family(family: object) -> None:
    found = next(each for each in load_families() if each == family)
    assert {family_of(solver) for solver in found.solvers} == {found}
