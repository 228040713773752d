"""What torch and the runtimes below it say when they fail: each known text by its cause."""

from __future__ import annotations

import pytest

from wizard.knowledge.causes import known_text, load_error_texts

FAULT = (
    "Memory access fault by GPU node-1 (Agent handle: 0x55f0) on address 0x7f00. Reason: Page not "
    "present or supervisor privilege."
)


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (
            "ImportError: libamdhip64.so: cannot enable executable stack as shared object "
            "requires: Invalid argument",
            "executable-stack",
        ),
        ("libamdhip64.so.5: cannot open shared object file: No such file", "no-library"),
        ("RuntimeError: HIP error: invalid device function", "no-code-for-card"),
        ("HIP error: no kernel image is available for execution", "no-code-for-card"),
        (
            "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!",
            "no-code-for-card",
        ),
        (
            "rocBLAS error: Cannot read /x/TensileLibrary.dat: No such file for GPU arch : gfx1010",
            "no-blas-for-card",
        ),
        ("rocBLAS error: Could not initialize Tensile library", "no-blas-for-card"),
        ("HSA_OVERRIDE_GFX_VERSION 10.3 is invalid", "override-malformed"),
        (
            "<inline asm>:14:20: error: not a valid operand. v_add_f32 v4 v4 v4 row_bcast:15",
            "batch-norm-row-bcast",
        ),
        ("MIOpen(HIP): Error [x] No suitable algorithm was found to execute", "no-solver-left"),
        ("Forward Convolution cannot be executed due to incorrect params", "no-solver-left"),
        ("Invalid value for env variable MIOPEN_DEBUG_CONV_GEMM", "setting-refused"),
        ("RuntimeError: miopenStatusUnknownError", "miopen-unknown"),
        ("HW Exception by GPU node-1 (Agent handle: 0x1) reason :GPU Hang", "gpu-hang"),
        (FAULT, "memory-fault"),
        (
            ":0:rocdevice.cpp :2660: 0x1016: Device::callbackQueue aborting with error : "
            "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: The agent attempted to access memory",
            "aperture-violation",
        ),
        ("HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: The agent attempted", "illegal-instruction"),
        ("HSA_STATUS_ERROR_EXCEPTION: An HSAIL operation resulted in", "queue-exception"),
        ("HIP error: an illegal memory access was encountered", "illegal-address"),
        ("HIP error: unspecified launch failure", "launch-failure"),
    ],
)
def test_each_text_has_its_cause(line: str, cause: str) -> None:
    known = known_text(f"frames before\n  {line}\nand after")
    assert known is not None
    assert (known.text.id, known.line) == (cause, line)


def test_what_names_the_cause_outranks_what_only_fails() -> None:
    known = known_text(
        "RuntimeError: miopenStatusUnknownError\n"
        "error: not a valid operand. v_add_f32 v4 v4 v4 row_bcast:15"
    )
    assert known is not None
    assert known.text.id == "batch-norm-row-bcast"


@pytest.mark.parametrize(
    "said",
    ["", "RuntimeError: Sizes of tensors must match", "MIOpen(HIP): Info [x] Success", "Aborted"],
)
def test_an_ordinary_text_has_none(said: str) -> None:
    assert known_text(said) is None


def test_every_text_says_what_to_do_and_where_it_is_from() -> None:
    texts = load_error_texts()
    assert len({text.id for text in texts}) == len(texts)
    for text in texts:
        assert text.source
        assert text.explanation.startswith("Known cause: ")
        assert text.remedy.endswith(".")
        assert not text.cause.endswith(".")
