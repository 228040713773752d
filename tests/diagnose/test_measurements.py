"""Sweeps of the card from disk, with what they ran on, however old their journals are."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.made import CARD, made
from tests.conv2d.planting_runs import plant
from tests.machine.records import machine as recorded
from wizard.conv2d.journal import open_journal
from wizard.conv2d.runs.folders import note_stack, stack_of_run
from wizard.conv2d.shapes import Row, square
from wizard.conv2d.stop_reasons import stopped
from wizard.conv2d.sweep import StopReason, Sweep
from wizard.conv2d.verdicts import Verdict
from wizard.core.own_files import Places, places
from wizard.diagnose.measurements import measured_here
from wizard.machine.stack_facts import StackFacts, stack_now

GOOD = made()
HUNG = made(verdict=Verdict.HUNG, hang_class="spinning kernel")


@pytest.fixture
def ours(tmp_path: Path) -> Places:
    return places({}, str(tmp_path))


def test_the_newest_comes_first_and_knows_its_environment(ours: Places) -> None:
    plant(ours, 0, GOOD)
    plant(ours, 5, HUNG)
    new, old = measured_here(ours)
    assert (new.right, new.hung, old.right) == (False, True, True)
    assert (new.when - old.when).total_seconds() == 5 * 3600
    assert new.environment == "/v"
    assert new.loaded == CARD


def test_what_lay_below_a_run_is_kept_with_it(ours: Places) -> None:
    host = recorded("rx5600xt-noble-rocm57")
    run = plant(ours, 0, GOOD)
    assert stack_of_run(run) == StackFacts()
    note_stack(run, host).join(10)
    assert stack_of_run(run) == stack_now(host)
    (one,) = measured_here(ours)
    assert one.stack.kernel == stack_now(host).kernel
    assert (run.folder / "stack.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"schema": 9}', b"[" * 9999])
def test_what_is_damaged_there_was_not_recorded(ours: Places, content: bytes) -> None:
    run = plant(ours, 0, GOOD)
    (run.folder / "stack.json").write_bytes(content)
    assert measured_here(ours)[0].stack == StackFacts()


def test_the_processor_and_nothing_are_no_measurements_of_the_card(ours: Places) -> None:
    plant(ours, 0, made(engine="cpu", loaded=replace(CARD, device="cpu")))
    plant(ours, 1, request=Sweep("/v/bin/python", (Row(GOOD.shape),)))
    assert measured_here(ours) == ()


def test_a_run_that_was_stopped_is_not_finished(ours: Places) -> None:
    plant(ours, 0, GOOD, trouble=StopReason("It was stopped.", "So.", "Again."))
    (one,) = measured_here(ours)
    assert not one.finished
    assert not one.right
    assert not one.hung


def test_what_kept_a_run_from_measuring_is_kept_and_a_stop_is_not(ours: Places) -> None:
    asked = Sweep("/v/bin/python", (Row(GOOD.shape),))
    plant(ours, 0, request=asked, trouble=stopped())
    plant(ours, 1, request=asked, trouble=StopReason("No torch.", "So.", "Install it."))
    plant(ours, 2, request=replace(asked, device="cpu"), trouble=StopReason("No.", "So.", "Do."))
    assert [one.trouble for one in measured_here(ours)] == ["No torch."]


def test_what_took_the_runner_with_it_is_the_suspect(ours: Places) -> None:
    rows = (Row(GOOD.shape), Row(square(64, 128, 56)))
    run = plant(ours, 0, GOOD, request=Sweep("/v/bin/python", rows), ended=False)
    journal = open_journal(run.journal, resume=True)
    journal.launch(0, "fork")
    journal.outcome(0, GOOD)
    journal.launch(1, "fork")
    journal.file.close()
    (one,) = measured_here(ours)
    assert one.suspect == "64->128 3x3 @56x56"
    assert one.hung


def test_a_journal_without_a_run_counts_and_one_with_a_run_counts_once(ours: Places) -> None:
    run = plant(ours, 0, GOOD)
    for path in (run.journal, Path(ours.conv2d) / "alone.jsonl"):
        journal = open_journal(path, resume=False)
        journal.launch(0, "fork")
        journal.outcome(0, GOOD)
        journal.finish()
        journal.close()
    new, old = measured_here(ours)
    assert (new.python, old.python) == ("", "/v/bin/python")
    assert new.right
    assert new.stack == StackFacts()


def test_a_run_of_an_earlier_version_is_read_as_before(ours: Places) -> None:
    run = plant(ours, 0, GOOD)
    form = json.loads((run.folder / "request.json").read_text())
    assert "stack" not in form
    assert measured_here(ours)[0].right
