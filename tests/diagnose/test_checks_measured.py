"""The last sweep of the card as findings: each way to fail with its class, cause and evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.conv2d.made import CARD, made
from tests.diagnose.measuring import LOADED, hung, machine, measured, with_kernel
from wizard.conv2d.hangs import NEXT_STEPS, HangClass
from wizard.conv2d.shapes import square
from wizard.conv2d.verdicts import Result, Verdict
from wizard.diagnose.checks_measured import measurement
from wizard.diagnose.finding import Confidence, Finding, Status
from wizard.diagnose.machine import diagnosis_of, looks_of, run_each
from wizard.diagnose.measurements import Measured
from wizard.machine.facts import Setting
from wizard.machine.stack_facts import StackFacts, stack_of

NATIVE = replace(CARD, torch="2.9.1+rocm7.14.0", gfx="gfx1010")
OLD = replace(LOADED, torch="1.13.1+rocm5.2")


def findings(*results: Result, **fields: Any) -> tuple[Finding, ...]:
    """What is said of them on the machine that they were measured on."""
    last = measured(*results, **fields)
    return tuple(measurement((last,), machine(last.loaded.torch or "")))


def test_a_sweep_that_passed_is_told_with_its_torch_and_date() -> None:
    (one,) = findings(made(loaded=LOADED), made(square(32, 64, 48), loaded=LOADED))
    assert one.status is Status.OK
    assert one.title.startswith("2 of 2 shapes right on 2026-01-02")
    assert "with torch 2.2.2+rocm5.7 on AMD Radeon RX 5600 XT" in one.title


def test_a_pass_before_a_change_says_so() -> None:
    (one,) = measurement((measured(),), with_kernel("6.11.0-9"))
    assert one.status is Status.OK
    assert "before this changed: kernel 6.8.0 -> 6.11.0-9" in one.title


def test_without_any_measurement_it_was_not_tested() -> None:
    (one,) = measurement((), machine())
    assert one.status is Status.NOT_TESTED
    assert "rdna1-setup conv2d" in one.meaning


def test_a_hang_under_an_override_is_put_down_to_that_with_all_that_proves_it() -> None:
    (one,) = findings(made(square(16, 32, 32), loaded=LOADED), hung())
    assert (one.cause, one.status) == ("override-isa-mismatch", Status.FAULT)
    assert one.confidence is Confidence.LIKELY
    assert one.title.startswith("1 of 2 shapes hung (spinning kernel) on 2026-01-02")
    texts = [evidence.text for evidence in one.evidence]
    assert "16->32 3x3 @64x64: the card was 99 % busy and nothing new came" in texts
    assert "torch 2.2.2+rocm5.7" in texts
    assert "HSA_OVERRIDE_GFX_VERSION=10.3.0" in texts
    assert one.fix[0] == NEXT_STEPS[HangClass.SPINNING]


@pytest.mark.parametrize("loaded", [NATIVE, OLD])
def test_a_hang_that_no_override_explains_is_the_card_s_silence(loaded: object) -> None:
    (one,) = findings(hung(loaded=loaded))
    assert (one.cause, one.confidence) == ("compute-queue-preemption-hang", Confidence.CERTAIN)


@pytest.mark.parametrize("kind", list(HangClass))
def test_each_class_of_hang_has_its_next_step(kind: HangClass) -> None:
    (one,) = findings(hung(hang_class=kind.value, loaded=NATIVE))
    assert one.fix[0] == NEXT_STEPS[kind]
    assert f"({kind.value})" in one.title


@pytest.mark.parametrize("kind", ["compiling", "searching"])
def test_what_only_takes_its_time_is_no_fault(kind: str) -> None:
    (one,) = findings(hung(hang_class=kind, because="it started clang, which is still running"))
    assert (one.cause, one.status) == ("none", Status.WARNING)


def test_what_miopen_said_last_is_told_in_its_meaning() -> None:
    line = "MIOpen(HIP): Info2 [run] kernel_name = naive_conv_fwd_nchw, global_work_dim = {1, 2}"
    (one,) = findings(hung(log_line=line))
    texts = [evidence.text for evidence in one.evidence]
    assert "a kernel is running: naive_conv_fwd_nchw" in texts


@pytest.mark.parametrize(
    ("detail", "cause"),
    [
        ("RuntimeError: miopenStatusUnknownError", "miopen-unknown"),
        ("RuntimeError: No suitable algorithm was found to execute the required convolution.",
         "miopen-solver-restricted"),
        ("HIP error: invalid device function", "wheel-lacks-gfx-target"),
        ("rocBLAS error: Cannot read /v/TensileLibrary.dat: No such file for GPU arch : gfx1010",
         "rocblas-lacks-gfx-target"),
        ("error: not a valid operand: v_add_f32 v1, v1 row_bcast:15", "miopen-batchnorm-dpp"),
        ("Memory access fault by GPU node-1 (Agent handle: 0x5) on address 0x7. Reason: Unknown.",
         "gpu-memory-fault"),
    ],
)  # fmt: skip
def test_an_error_is_read_as_any_other_text_would_be(detail: str, cause: str) -> None:
    explained = f"{detail} Known cause: x. Set HSA_OVERRIDE_GFX_VERSION=10.3.0 for it."
    (one,) = findings(made(verdict=Verdict.ERROR, detail=explained, loaded=NATIVE))
    assert one.cause == cause
    assert one.status is Status.FAULT


def test_a_memory_fault_under_an_override_is_the_override_s() -> None:
    said = "Memory access fault by GPU node-1 (Agent handle: 0x5) on address 0x7. Reason: Unknown."
    (one,) = findings(made(verdict=Verdict.CRASHED, detail=said, loaded=LOADED))
    assert one.cause == "override-isa-mismatch"


@pytest.mark.parametrize(
    ("loaded", "cause", "sure"),
    [
        (LOADED, "override-isa-mismatch", Confidence.LIKELY),
        (OLD, "override-isa-mismatch", Confidence.POSSIBLE),
        (NATIVE, "none", Confidence.CERTAIN),
    ],
)
def test_wrong_numbers_are_a_fault_whatever_their_cause(
    loaded: object, cause: str, sure: Confidence
) -> None:
    detail = "the result differs from the float64 reference by 3; rounding explains at most 0.01"
    (one,) = findings(made(verdict=Verdict.WRONG, detail=detail, loaded=loaded))
    assert (one.cause, one.status, one.confidence) == (cause, Status.FAULT, sure)
    assert "not trust" in one.meaning


def test_too_little_memory_is_a_warning() -> None:
    (one,) = findings(made(verdict=Verdict.OUT_OF_MEMORY, detail="HIP out of memory"))
    assert (one.cause, one.status) == ("out-of-vram", Status.WARNING)


def test_ways_to_fail_that_have_one_cause_are_one_finding() -> None:
    shapes = [square(16, 32, size) for size in (44, 48, 64, 96, 128, 160)]
    wrong = made(square(3, 64, 32), Verdict.WRONG, loaded=LOADED)
    (one,) = findings(*(hung(shape=shape) for shape in shapes), wrong)
    assert one.title.startswith("7 of 7 shapes failed on 2026-01-02")
    assert one.title.endswith(": 6 hung (spinning kernel), 1 wrong")
    texts = [evidence.text for evidence in one.evidence]
    assert texts[1].startswith("same result: 16->32 3x3 @48x48, 16->32 3x3 @64x64")
    assert texts[1].endswith(" and 1 more")
    assert "not trust" in one.meaning


def test_ways_to_fail_whose_cause_is_unknown_are_told_apart() -> None:
    wrong = made(square(3, 64, 32), Verdict.WRONG, loaded=NATIVE)
    error = made(verdict=Verdict.ERROR, detail="RuntimeError: who knows", loaded=NATIVE)
    found = findings(wrong, error)
    assert [one.title.split(" on ")[0] for one in found] == [
        "1 of 2 shapes was wrong",
        "1 of 2 shapes ended with an error",
    ]


def test_a_failure_from_before_a_change_is_only_possible_and_says_so() -> None:
    (one,) = measurement((measured(hung()),), with_kernel("6.11.0-9"))
    assert (one.status, one.confidence) == (Status.WARNING, Confidence.POSSIBLE)
    assert one.evidence[0].text == "measured before this changed: kernel 6.8.0 -> 6.11.0-9"
    (one,) = measurement((measured(hung()),), machine("1.13.1+rocm5.2"))
    assert "torch 2.2.2+rocm5.7 -> 1.13.1+rocm5.2" in one.evidence[0].text


def test_what_was_left_out_was_not_tested() -> None:
    found = findings(hung(), made(verdict=Verdict.UNUSABLE, detail="left out"))
    assert [one.status for one in found] == [Status.FAULT, Status.NOT_TESTED]


def test_a_launch_without_an_end_is_a_suspicion() -> None:
    (one, _) = findings(finished=False, suspect="16->32 3x3 @64x64")
    assert (one.status, one.confidence) == (Status.WARNING, Confidence.POSSIBLE)
    assert "16->32 3x3 @64x64 was launched on 2026-01-02" in one.title


def test_a_sweep_under_way_is_told_before_what_it_has() -> None:
    found = findings(made(loaded=LOADED), finished=False, under_way=True)
    assert [one.status for one in found] == [Status.NOT_TESTED, Status.OK]
    assert "--attach" in found[0].meaning


def test_the_override_is_not_warned_of_beside_the_hang_that_proves_it() -> None:
    name, value = LOADED.setting[0]
    here = machine("2.2.2+rocm5.7", Setting(name, value, "", 0, ""))
    last: Measured = measured(hung(), stack=stack_of(here))
    told = [finding for found in run_each(looks_of(here), here) for finding in found]
    whole = diagnosis_of(here, (*told, *measurement((last,), here)))
    overrides = [one for one in whole.findings if one.cause == "override-isa-mismatch"]
    assert [one.status for one in overrides if one.counts] == [Status.FAULT]


def test_what_was_not_measured_again_still_counts() -> None:
    again = measured(made(square(16, 32, 32), loaded=LOADED), day=2)
    before = measured(hung(), made(square(16, 32, 32), Verdict.WRONG, loaded=LOADED), day=1)
    (one,) = measurement((again, before), machine())
    assert one.title.startswith("1 of 2 shapes hung (spinning kernel) on 2026-01-03")
    assert " to 2026-01-04" in one.title


def test_what_was_measured_again_counts_as_it_is_now() -> None:
    again = measured(made(square(16, 32, 64), loaded=LOADED), day=2)
    (one,) = measurement((again, measured(hung(), day=1)), machine())
    assert one.status is Status.OK
    assert "1 of 1 shape right" in one.title


def test_what_another_torch_or_kernel_came_to_says_nothing_of_this_one() -> None:
    again = measured(made(square(16, 32, 32), loaded=LOADED), day=2)
    for other in (
        measured(hung(loaded=OLD), day=1),
        measured(hung(), day=1, stack=StackFacts(kernel="5.15.0")),
        measured(hung(), day=1, python="/other/bin/python"),
    ):
        (one,) = measurement((again, other), machine())
        assert one.status is Status.OK


@pytest.mark.parametrize(
    ("trouble", "cause", "status"),
    [
        ("torch is installed, but /v/bin/python cannot import it: ImportError: libamdhip64.so: "
         "cannot enable executable stack as shared object requires: Invalid argument.",
         "glibc-execstack", Status.FAULT),
        ("/v/bin/python could not be started: No such file or directory.", "none", Status.WARNING),
    ],
)  # fmt: skip
def test_what_kept_it_from_measuring_is_told_with_its_cause(
    trouble: str, cause: str, status: Status
) -> None:
    last = measured(finished=False, trouble=trouble)
    (one,) = measurement((replace(last, results=()),), machine())
    assert (one.cause, one.status) == (cause, status)
    assert one.title == "Conv2d could not be measured on 2026-01-02 03:04"


def test_what_came_to_nothing_hides_nothing_that_was_measured_before() -> None:
    nothing = replace(measured(finished=False, day=2, trouble="No such file."), results=())
    found = list(measurement((nothing, measured(hung(), day=1)), machine()))
    assert [one.title.split(" on ")[0] for one in found] == [
        "1 of 1 shape hung (spinning kernel)",
        "Conv2d could not be measured",
    ]
