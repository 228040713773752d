"""A stand-in for MIOpen: obeys its variables, writes its log, keeps what it found, and hangs.

``FAKE_TORCH`` may hold ``{"miopen": {"helps": [SET], "more": BOOL, "wrong": [SET], "raises": [SET],
"blames": [FAMILY], "native": NAME}}``. SET is a list of ``NAME=VALUE``: under exactly that, or with
``more`` under all that hold it, the numbers are right (``helps``) or wrong, or it raises. Under
anything else it hangs, in a kernel of the first of the families to blame that is not switched off.
``native`` is the fault of what goes past it. Without the entry it is not there.
"""

# mypy: disable-error-code="import-not-found"
# These files find each other only where this folder is on the path.
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from torch import backends, faults

WISHES: dict[str, Any] = faults.WISHES.get("miopen", {})
STEERING = ("MIOPEN_DEBUG_", "MIOPEN_FIND_", "HSA_ENABLE_")
KERNELS = {
    "GEMM": "Im2d2Col",
    "WINOGRAD": "miopenSp3AsmConv_v21_1_3_gfx10_fp32_stride1",
    "DIRECT": "naive_conv_fwd_nchw_float_double_float",
    "IMPLICIT_GEMM": "gridwise_convolution_implicit_gemm_v4r4_nchw_kcyx_nkhw",
}

SOLVERS = {
    "GEMM": "GemmFwdRest",
    "WINOGRAD": "ConvBinWinogradRxSf2x3g1",
    "DIRECT": "ConvDirectNaiveConvFwd",
}


def convolve() -> str:
    """The name of what comes after, ``""`` for right numbers; or never an answer."""
    if not WISHES:
        return ""
    if not backends.cudnn.enabled:
        return fault(str(WISHES.get("native", "")))
    found = Path(os.environ.get("MIOPEN_USER_DB_PATH", "/nonexistent"), "found")
    if found.exists():
        return ""  # a solver that was found once is taken again, whatever is set by now
    if is_among("helps") or is_among("wrong"):
        log_choice()
    if is_among("helps"):
        if found.parent.is_dir():
            found.touch()
        return ""
    if is_among("raises"):
        log("Error [FindFwd] No suitable algorithm was found to execute")
        raise RuntimeError("miopenStatusUnknownError")
    if is_among("wrong"):
        return "wrong"
    log("Info [FindConvFwdAlgorithm] requestAlgoCount = 1, workspace = 0")
    for family in blamed():
        log("Info2 [PrepareInvoker] Preparing kernel: " + KERNELS[family])
    return fault("hang")


def blamed() -> list[str]:
    """The family that is at work: the first one that is not switched off; none where none is."""
    on = [f for f in WISHES.get("blames", ()) if os.environ.get("MIOPEN_DEBUG_CONV_" + f) != "0"]
    return on[:1]


def log_choice() -> None:
    """What MIOpen logs before it takes what it has found."""
    for family in blamed():
        line = "Info [FindConvFwdAlgorithm] FW Chosen Algorithm: {} , 0, 0.01"
        log(line.format(SOLVERS[family]))


def is_among(kind: str) -> bool:
    """True when what is set now is one of those sets."""
    there = {name + "=" + value for name, value in os.environ.items() if name.startswith(STEERING)}
    sets = [set(each) for each in WISHES.get(kind, ())]
    return any(each <= there if WISHES.get("more") else each == there for each in sets)


def fault(name: str) -> str:
    """Hang where it says so."""
    if name == "hang":
        faults.hang()
    return name


def log(text: str) -> None:
    """A line as MIOpen writes it, at the level that the variable asks for."""
    if int(os.environ.get("MIOPEN_LOG_LEVEL", "4")) >= 6:
        os.write(2, ("MIOpen(HIP): " + text + "\n").encode())
