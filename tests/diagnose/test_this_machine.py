"""What is looked at on this machine beside its facts, each thing by itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.made import made
from tests.conv2d.planting_runs import plant
from tests.diagnose.measuring import LOADED, hung
from tests.handmade import card, clean_jammy
from tests.machine.records import machine as recorded
from tests.machine.records import make
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import Sweep
from wizard.conv2d.verdicts import Verdict
from wizard.core.own_files import Places, places
from wizard.diagnose import this_machine
from wizard.diagnose.checks_torch import miopen_folders
from wizard.diagnose.explain import explain
from wizard.diagnose.finding import Confidence, Finding, Status
from wizard.diagnose.machine import diagnose, looks_of, run_each
from wizard.diagnose.this_machine import looks_here, started_s
from wizard.host.deadline import Answer
from wizard.host.live import LiveHost
from wizard.machine.detect import detect
from wizard.machine.stack_facts import stack_form, stack_now

HUNG = made(verdict=Verdict.HUNG, hang_class="spinning kernel")
LINE = "[  812.404551] amdgpu: qcm fence wait loop timeout expired\n"


@pytest.fixture
def ours(tmp_path: Path) -> Places:
    return places({}, str(tmp_path))


@pytest.fixture(autouse=True)
def no_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads the log of the machine that it runs on."""
    monkeypatch.setattr(this_machine, "kernel_findings", lambda: ())
    monkeypatch.setattr(this_machine, "findings_before", lambda: _before())


def _before() -> tuple[Finding, ...]:
    return this_machine._told(explain(LINE.encode()), "kernel log of the previous boot", "then")


def names(ours: Places, *gpus: str, **options: object) -> list[str]:
    machine = clean_jammy(*map(card, gpus))
    return [look.name for look in looks_here(LiveHost(), machine, ours, **options)]  # type: ignore[arg-type]


def test_of_other_cards_nothing_but_the_kernel_log_is_looked_at(ours: Places) -> None:
    assert names(ours, "gfx1031") == ["the kernel log"]


def test_the_card_is_used_only_where_somebody_asks_for_it(ours: Places) -> None:
    assert "each torch on the card" not in names(ours, "gfx1010")
    assert "each torch on the card" in names(ours, "gfx1010", try_torches=True)


def test_a_log_that_is_given_stands_in_for_the_machine_s_own(ours: Places) -> None:
    given = names(ours, "gfx1010", kernel_log="kernel.log")
    assert given.count("the kernel log") == 1
    assert "the kernel log of the previous boot" not in given


def test_of_a_recorded_machine_a_log_that_is_given_alone_is_read(ours: Places) -> None:
    host = recorded("rx5600xt-noble-rocm57")
    assert looks_here(host, clean_jammy(), ours) == ()
    assert len(looks_here(host, clean_jammy(), ours, kernel_log="k")) == 1


def told(ours: Places) -> dict[str, tuple[Finding, ...]]:
    machine = clean_jammy()
    looks = (*looks_of(machine), *looks_here(LiveHost(), machine, ours))
    found = run_each(looks, machine)
    return {look.name: findings for look, findings in zip(looks, found, strict=True)}


def test_a_hang_before_this_start_has_the_log_of_that_one_read(
    ours: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(this_machine, "started_s", lambda host: 4e9)
    plant(ours, 0, HUNG)
    assert told(ours)["the kernel log of the previous boot"][0].counts
    plant(ours, 1, made())
    assert told(ours)["the kernel log of the previous boot"] == ()


def test_a_hang_since_this_start_has_it_left_alone(
    ours: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(this_machine, "started_s", lambda host: 1.0)
    plant(ours, 0, HUNG)
    found = told(ours)
    assert found["the kernel log of the previous boot"] == ()
    assert found["the last Conv2d results"][0].status is Status.FAULT


def test_measurements_and_journals_of_nothing_are_told_as_such(ours: Places) -> None:
    found = told(ours)
    assert found["the last Conv2d results"][0].status is Status.NOT_TESTED
    assert found["changes since it last worked"] == ()


def test_an_update_of_the_kernel_after_which_it_hangs_is_found_from_disk(ours: Places) -> None:
    host = recorded("rx5600xt-noble-rocm57")
    host.name = ""  # as if it were this very machine
    machine = detect(host)
    python = next(f"{e.path}/bin/python" for e in machine.environments if e.torch)
    for hours, result in ((0, made(loaded=LOADED)), (24, hung())):
        run = plant(ours, hours, result, request=Sweep(python, (Row(result.shape),)))
        stack = stack_now(host) if hours else replace(stack_now(host), kernel="6.8.0-31-generic")
        (run.folder / "stack.json").write_text(json.dumps(stack_form(stack)))
    found = [f for f in diagnose(machine, looks_here(host, machine, ours)).findings if f.counts]
    changed = next(f for f in found if f.cause == "none")
    assert (changed.status, changed.confidence) == (Status.FAULT, Confidence.LIKELY)
    assert changed.title.endswith(f": kernel 6.8.0-31-generic -> {machine.system.kernel}")
    hangs = [f for f in found if "hung" in f.title]
    assert [f.cause for f in hangs] == ["override-isa-mismatch"]


def test_when_a_machine_was_started_is_read_from_the_kernel(tmp_path: Path) -> None:
    known = make(tmp_path / "a", {"/proc/stat": "cpu 1 2\nbtime 1700000000\nprocesses 4\n"})
    assert started_s(known) == 1.7e9
    assert started_s(make(tmp_path / "b", {"/proc/stat": "btime x\n"})) is None
    assert started_s(make(tmp_path / "c", {"/etc/x": ""})) is None


def test_a_folder_of_miopen_that_may_not_be_written_is_a_fault(tmp_path: Path) -> None:
    cache, config = "/home/owner/.cache/miopen", "/home/owner/.config/miopen"
    files = {f"{cache}/x": "", f"{config}/y": ""}
    mixed = make(tmp_path / "a", files, access=[cache])
    (one,) = miopen_folders(mixed, clean_jammy())
    assert (one.cause, one.status) == ("miopen-cache", Status.FAULT)
    assert [each.where for each in one.evidence] == [config]
    (one,) = miopen_folders(make(tmp_path / "b", files, access=[cache, config]), clean_jammy())
    assert one.status is Status.OK
    assert not list(miopen_folders(make(tmp_path / "c", {"/etc/x": ""}), clean_jammy()))


def test_a_reader_that_told_nothing_leaves_no_finding_behind() -> None:
    assert this_machine._entries(Answer("-- No entries --\n")) == ""
