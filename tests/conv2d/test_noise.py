"""What a torch may print, and what a process that forks must not have done before."""

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
    results_of,
    sweep_of,
    verdicts_of,
)
from wizard.conv2d.shapes import rows_of
from wizard.conv2d.verdicts import Verdict
from wizard.conv2d.worker import judgement, process

PASS = Verdict.PASS
FIRST_S = 8.0
"""So long a forked child that never answers is waited for; one started anew takes a tenth of it."""
IMPORT = "    torch = None if arguments.spawn else import_torch(channel)\n"


@pytest.mark.parametrize("spawn", [False, True], ids=["fork", "spawn"])
async def test_10_000_lines_on_each_output_change_no_verdict(
    worker_python: str, tmp_path: Path, spawn: bool
) -> None:
    """At the import, before an answer, before an error, and in a backward pass."""
    variables = environ({4: "noise", 5: "backward noise"}, importing="noise")
    sweep = sweep_of(worker_python, 3, 4, 5, 6, spawn=spawn)
    sweep = replace(sweep, rows=rows_of(sweep.rows, ("backward",)))
    events = await events_of(sweep, tmp_path, variables)

    assert verdicts_of(events) == [PASS] * 4
    assert notes_of(events) == []


async def test_noise_before_a_crash_hides_no_verdict(worker_python: str, tmp_path: Path) -> None:
    variables = environ({4: "noise and crash"}, importing="noise")
    events = await events_of(sweep_of(worker_python, 3, 4, 5), tmp_path, variables)

    assert verdicts_of(events) == [PASS, Verdict.CRASHED, PASS]
    assert "was killed by SIGSEGV" in results_of(events)[1].detail


async def test_a_parent_in_which_something_was_computed_is_caught(
    worker_python: str, tmp_path: Path
) -> None:
    """A library that computes while it is imported: no forked child ever answers."""
    sweep = sweep_of(worker_python, 3, 4, 5, deadlines=replace(PATIENT, first=FIRST_S))
    events = await events_of(sweep, tmp_path, environ(importing="compute"))

    assert verdicts_of(events) == [PASS] * 3
    assert notes_of(events) == [judgement.FORK_SUSPECTED, judgement.FORK_BAD]
    assert {result.process for result in results_of(events)} == {"spawn"}


async def test_a_parent_that_has_asked_the_card_is_caught(
    worker_python: str, tmp_path: Path
) -> None:
    variables = environ(importing="ask the card", hip="5.2")
    sweep = sweep_of(worker_python, 3, 4, 5, device="cuda")
    events = await events_of(sweep, tmp_path, variables)

    assert verdicts_of(events) == [PASS] * 3
    assert {result.process for result in results_of(events)} == {"spawn"}


@pytest.mark.parametrize(
    ("line", "device"),
    [
        ("torch.empty(4).normal_(0, 1, generator=torch.Generator())", "cpu"),
        ("torch.nn.functional.relu(torch.empty(4))", "cpu"),
        ("torch.cuda.is_available()", "cuda"),
        ("torch.cuda.synchronize()", "cuda"),
    ],
)
async def test_a_worker_whose_parent_computes_would_fail_these_tests(
    worker_python: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    device: str,
) -> None:
    source = process.SCRIPT.read_text("utf-8")
    assert source.count(IMPORT) == 1
    script = tmp_path / "worker.py"
    script.write_text(source.replace(IMPORT, f"{IMPORT}    if torch: {line}\n"), "utf-8")
    monkeypatch.setattr(process, "SCRIPT", script)
    deadlines = replace(PATIENT, first=FIRST_S)
    sweep = sweep_of(worker_python, 3, 4, device=device, deadlines=deadlines)
    events = await events_of(sweep, tmp_path, environ(hip="5.2"))

    assert {result.process for result in end_of(events).results} == {"spawn"}


async def test_the_parent_computes_nothing_and_asks_no_card(
    worker_python: str, tmp_path: Path
) -> None:
    sweep = sweep_of(worker_python, 3, 4, 5, device="cuda")
    variables = environ({4: "hang"}, hip="5.2")
    events = await events_of(sweep, tmp_path, variables)

    assert verdicts_of(events) == [PASS, Verdict.HUNG, PASS]
    assert {result.process for result in results_of(events)} == {"fork"}
