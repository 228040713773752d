"""Every look by itself: told as it goes, and none of them takes the others down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Event

import pytest

from tests.handmade import clean_jammy, noble_with_leftovers
from tests.machine.records import machine
from wizard.diagnose import looking
from wizard.diagnose.alone import alone
from wizard.diagnose.finding import Confidence, Evidence, Finding, Status
from wizard.diagnose.looking import Look, look_at
from wizard.diagnose.machine import concluded, diagnose
from wizard.diagnose.order import explained_by
from wizard.machine.detect import detect
from wizard.report.findings import diagnosis_lines, whole_lines


def found(cause: str, sure: Confidence = Confidence.CERTAIN) -> Finding:
    return Finding(cause, Status.FAULT, sure, f"title of {cause}", (), "", ())


def test_a_look_that_never_ends_is_left_and_said_so() -> None:
    never = Event()

    def stuck() -> Iterator[Finding]:
        never.wait()
        yield found("disk-full")

    (finding,) = alone("the kernel log", stuck, 0.01)
    never.set()
    assert finding.status is Status.NOT_TESTED
    assert finding.title == "The check of the kernel log did not end"
    assert "left after 0.01 s" in finding.meaning


def test_a_mistake_in_a_look_costs_that_look_and_says_whom_to_tell() -> None:
    def broken() -> Iterator[Finding]:
        raise KeyError("x")
        yield

    (finding,) = alone("numpy", broken)
    assert "KeyError: 'x'" in finding.meaning
    assert "rdna1-setup report" in finding.meaning
    assert not finding.counts


def test_each_look_is_told_as_it_begins_and_as_it_ends() -> None:
    told: list[Look] = []
    host = machine("rx5700xt-jammy-clean")

    diagnosis = look_at(host, detect(host), told.append)

    begun, ended = told[::2], told[1::2]
    assert [look.name for look in begun] == [look.name for look in ended]
    assert [look.number for look in begun] == [*range(1, begun[0].total + 1)]
    assert all(look.findings is None for look in begun)
    found_by_them = [f for look in ended for f in look.findings or ()]
    assert {f.cause for f in diagnosis.findings} <= {f.cause for f in found_by_them}


def test_looking_comes_to_what_the_checks_come_to() -> None:
    host = machine("rx5600xt-noble-rocm702")
    assert look_at(host, detect(host)) == diagnose(detect(host))


@pytest.mark.parametrize(("name", "reads"), [("", True), ("recorded", False)])
def test_the_kernel_log_is_read_of_this_machine_alone(
    name: str, reads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "kernel_findings", lambda: (found("graphics-ring-timeout"),))
    host = machine("rx5700xt-jammy-clean")
    monkeypatch.setattr(host, "name", name)
    causes = {f.cause for f in look_at(host, clean_jammy()).findings}
    assert ("graphics-ring-timeout" in causes) is reads


def test_what_a_root_cause_explains_is_kept_beside_it() -> None:
    wsl, missing, disk = found("wsl-unsupported"), found("kfd-missing"), found("disk-full")
    diagnosis = concluded(clean_jammy(), (missing, wsl, disk))
    assert diagnosis.findings == (wsl, disk)
    assert diagnosis.explained == (missing,)
    assert explained_by(wsl, diagnosis.explained) == (missing,)
    assert explained_by(disk, diagnosis.explained) == ()
    text = " ".join(" ".join(diagnosis_lines(clean_jammy(), diagnosis)).split())
    assert "It explains too: title of kfd-missing [kfd-missing]" in text


def test_what_is_fine_is_explained_by_nothing() -> None:
    fine = Finding("kfd-missing", Status.OK, Confidence.CERTAIN, "driven", (), "", ())
    assert concluded(clean_jammy(), (found("wsl-unsupported"), fine)).explained == ()


def test_a_finding_in_full_tells_on_what_it_rests_and_holds_no_escape() -> None:
    (finding, *_) = (f for f in diagnose(noble_with_leftovers()).findings if f.counts)
    nasty = Evidence("a\x1b[31mred\x07", "/x\x1b]0;title\x07y")
    lines = tuple(whole_lines(replace(finding, evidence=(nasty,) * 9)))
    assert f"  Known from: {finding.grade}" in lines
    assert sum("/xy: ared" in line for line in lines) == 9
    assert "\x1b" not in "".join(lines)
    assert "\x07" not in "".join(lines)
