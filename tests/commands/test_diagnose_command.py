"""``diagnose`` as a command: a log that is given, and what it refuses to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.running import MACHINE, wizard

HUNG = "[  812.404551] amdgpu: qcm fence wait loop timeout expired\n"


def causes(home: Path, *arguments: str) -> list[tuple[str, str]]:
    form = json.loads(wizard(home, "diagnose", "--json", *arguments).stdout)
    return [(finding["cause"], finding["status"]) for finding in form["findings"]]


def test_a_kernel_log_that_is_given_is_read_beside_a_recorded_machine(tmp_path: Path) -> None:
    log = tmp_path / "kernel.log"
    log.write_text(HUNG)
    hang = ("compute-queue-preemption-hang", "fault")
    assert hang not in causes(tmp_path, "--machine", MACHINE)
    assert hang in causes(tmp_path, "--machine", MACHINE, "--kernel-log", str(log))


def test_a_log_that_is_not_there_was_not_tested_and_costs_nothing_else(tmp_path: Path) -> None:
    log = str(tmp_path / "none.log")
    done = wizard(tmp_path, "diagnose", "--machine", MACHINE, "--kernel-log", log)
    assert done.returncode == 1
    assert "NOT TESTED: The kernel log was not read: none.log: No such file" in done.stdout
    assert "[kfd-permission]" in done.stdout


@pytest.mark.parametrize("option", [("--machine", MACHINE), ("--dry-run",)])
def test_torch_is_not_tried_where_nothing_may_be_done(
    tmp_path: Path, option: tuple[str, ...]
) -> None:
    done = wizard(tmp_path, "diagnose", "--try-torch", *option)
    assert done.returncode == 2
    assert "uses the card" in done.stderr
    assert done.stdout == ""


def test_looking_writes_nothing_and_is_there_without_any_history(tmp_path: Path) -> None:
    done = wizard(tmp_path, "diagnose")
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr
    assert "a bug in this program" not in done.stdout
    assert list(tmp_path.iterdir()) == []
