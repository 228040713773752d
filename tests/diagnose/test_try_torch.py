"""Each torch tried on the card: what comes back, what does not, and what never ends."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.handmade import clean_jammy, torch
from wizard.diagnose import this_machine
from wizard.diagnose.finding import Confidence, Finding, Status
from wizard.diagnose.this_machine import Tried, judged, to_try, try_each_torch, try_once
from wizard.host.deadline import Answer
from wizard.machine.facts import Environment, Machine

VENV = "/home/ada/rocm57"
ENVIRONMENT = Environment(VENV, "venv", "3.10", torch("2.2.2+rocm5.7"))
RIGHT = {
    "torch": "2.2.2+rocm5.7",
    "torch_folder": f"{VENV}/lib/torch",
    "hip": "5.7.31921",
    "device": "AMD Radeon RX 5600 XT",
    "gfx": "gfx1030",
    "matmul": "right",
    "libraries": {"libMIOpen": f"{VENV}/lib/torch/lib/libMIOpen.so"},
}


def here(*environments: Environment) -> Machine:
    return replace(clean_jammy(), environments=environments)


def only(tried: Tried) -> Finding:
    (one,) = judged(ENVIRONMENT, tried, here(ENVIRONMENT))
    return one


def told(**fields: Any) -> Tried:
    return Tried(Answer(code=0), {**RIGHT, **fields})


def test_one_that_computes_rightly_is_told_with_what_the_card_passes_for() -> None:
    one = only(told())
    assert one.status is Status.OK
    assert "torch 2.2.2+rocm5.7 (HIP 5.7.31921) works on AMD Radeon RX 5600 XT as gfx1030" in (
        one.title
    )


def test_one_that_does_not_come_back_is_a_hang() -> None:
    one = only(Tried(Answer(late=True), None))
    assert (one.cause, one.confidence) == ("compute-queue-preemption-hang", Confidence.LIKELY)
    assert "no answer within 180 s" in one.evidence[1].text


def test_one_that_no_signal_ends_is_told_so() -> None:
    one = only(Tried(Answer(late=True, gone=False), None))
    assert one.confidence is Confidence.CERTAIN
    assert "after SIGKILL" in one.evidence[-1].text


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ("ImportError: libamdhip64.so: cannot enable executable stack as shared object requires: "
         "Invalid argument", "glibc-execstack"),
        ("RuntimeError: HIP error: invalid device function", "wheel-lacks-gfx-target"),
        ("ValueError: something that nobody knows", "none"),
    ],
)  # fmt: skip
def test_what_it_says_of_its_failure_is_read_for_causes(error: str, cause: str) -> None:
    one = only(Tried(Answer(code=0), {"error": error, "libraries": {}}))
    assert (one.cause, one.status) == (cause, Status.FAULT)
    assert one.evidence[-1].text == error


def test_one_that_dies_is_told_by_its_last_words() -> None:
    said = "Memory access fault by GPU node-1 (Agent handle: 0x5) on address 0x7. Reason: Unknown."
    assert only(Tried(Answer("", said, -6), None)).cause == "gpu-memory-fault"
    assert "ended with code -11" in only(Tried(Answer("", "", -11), None)).evidence[-1].text


def test_wrong_numbers_are_a_fault_and_no_card_is_a_warning() -> None:
    assert only(told(matmul="wrong numbers")).status is Status.FAULT
    no_card = told(matmul="no device: torch.cuda.is_available() is False", device=None)
    assert only(no_card).status is Status.WARNING


def test_libraries_from_elsewhere_in_its_process_are_a_fault() -> None:
    elsewhere = {"libMIOpen": "/opt/rocm-5.2.0/lib/libMIOpen.so.1"}
    found = list(judged(ENVIRONMENT, told(libraries=elsewhere), here(ENVIRONMENT)))
    assert [one.cause for one in found if one.counts] == ["library-path-shadow"]


def test_after_one_that_did_not_come_back_no_other_is_tried() -> None:
    other = replace(ENVIRONMENT, path="/home/ada/other")
    tried: list[str] = []

    def attempt(environment: Environment) -> Tried:
        tried.append(environment.path)
        return Tried(Answer(late=True), None)

    assert len(list(try_each_torch(here(ENVIRONMENT, other), attempt))) == 1
    assert tried == [VENV]


def test_what_is_no_torch_for_the_card_is_not_tried() -> None:
    cpu = replace(ENVIRONMENT, torch=torch("2.2.2+cpu", "cpu"))
    site = replace(ENVIRONMENT, kind="user-site")
    assert to_try(here(cpu, site)) == ()
    (one,) = try_each_torch(here(cpu, site))
    assert one.status is Status.NOT_TESTED


def environment_with(folder: Path, program: str) -> Environment:
    """An environment whose Python has a torch of this text."""
    (folder / "bin").mkdir(parents=True)
    (folder / "torch.py").write_text(program)
    python = folder / "bin" / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}" exec "{sys.executable}" -B "$@"\n')
    python.chmod(0o755)
    return replace(ENVIRONMENT, path=str(folder))


def test_a_real_child_that_hangs_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(this_machine, "TRY_S", 1.0)
    hanging = environment_with(tmp_path, "import time\ntime.sleep(600)\n")
    tried = try_once(hanging)
    assert tried.answer.late
    assert tried.answer.gone
    assert tried.told is None


def test_a_real_child_answers_in_its_file_whatever_it_prints(tmp_path: Path) -> None:
    program = "print('noise')\n__version__ = '9'\nclass cuda:\n    is_available = lambda: False\n"
    tried = try_once(environment_with(tmp_path, program))
    assert tried.told is not None
    assert tried.told["matmul"] == "no device: torch.cuda.is_available() is False"
    assert "noise" in tried.answer.text


def test_what_a_real_child_printed_before_it_died_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    program = "import ctypes\nprint('last words')\nctypes.string_at(0)\n"
    tried = try_once(environment_with(tmp_path, program))
    assert (tried.answer.code, tried.told) == (-11, None)
    assert tried.answer.text == "last words\n"
