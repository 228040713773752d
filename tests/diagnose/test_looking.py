"""All looks at a machine: told as it goes, and what one explains is named by it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.handmade import clean_jammy, noble_with_leftovers
from tests.machine.records import seen
from wizard.diagnose.finding import Confidence, Evidence, Finding, Status, to_form
from wizard.diagnose.machine import Look, Progress, diagnose, diagnosis_of
from wizard.knowledge.causes import load_causes
from wizard.machine.facts import Machine
from wizard.report.findings import diagnosis_lines, whole_lines


def found(cause: str, status: Status = Status.FAULT) -> Finding:
    return Finding(cause, status, Confidence.CERTAIN, f"title of {cause}", (), "", ())


def test_each_look_is_told_as_it_is_waited_for_and_as_it_ends() -> None:
    told: list[Progress] = []

    diagnosis = diagnose(seen("rx5700xt-jammy-clean"), on_progress=told.append)

    waited_for, ended = told[::2], told[1::2]
    assert [step.name for step in waited_for] == [step.name for step in ended]
    assert [step.number for step in waited_for] == [*range(1, told[0].total + 1)]
    assert all(step.findings is None for step in waited_for)
    found_by_them = {f.cause for step in ended for f in step.findings or ()}
    assert {f.cause for f in diagnosis.findings} <= found_by_them


def test_what_is_looked_at_beside_the_facts_counts_too_and_cannot_take_the_rest_down() -> None:
    def log(machine: Machine) -> Iterator[Finding]:
        yield found("graphics-ring-timeout")

    def broken(machine: Machine) -> Iterator[Finding]:
        raise KeyError("x")
        yield

    further = (Look("the kernel log", log), Look("the folders", broken))
    told: list[Progress] = []
    diagnosis = diagnose(clean_jammy(), further, told.append)
    causes = {finding.cause for finding in diagnosis.findings}
    assert {"graphics-ring-timeout", "none", "disk-full"} <= causes
    assert [told[-4].name, told[-1].name] == ["the kernel log", "the folders"]


def test_what_a_root_cause_explains_is_named_by_it() -> None:
    wsl, missing, disk = found("wsl-unsupported"), found("kfd-missing"), found("disk-full")
    diagnosis = diagnosis_of(clean_jammy(), (missing, wsl, disk))
    assert diagnosis.findings == (replace(wsl, explains=("kfd-missing",)), disk)
    assert to_form(diagnosis.findings[0])["explains"] == ["kfd-missing"]
    text = " ".join(" ".join(diagnosis_lines(clean_jammy(), diagnosis)).split())
    assert f"This also explains: {load_causes()['kfd-missing'].title} [kfd-missing]" in text


def test_what_is_fine_or_not_there_is_explained_by_nothing() -> None:
    wsl, driven = found("wsl-unsupported"), found("kfd-missing", Status.OK)
    findings = diagnosis_of(clean_jammy(), (wsl, driven)).findings
    assert not any(finding.explains for finding in findings)
    warned = replace(wsl, status=Status.WARNING)
    findings = diagnosis_of(clean_jammy(), (warned, found("kfd-missing"))).findings
    assert len(findings) == 2
    assert not any(finding.explains for finding in findings)


def test_a_finding_in_full_tells_on_what_it_rests_and_holds_no_escape() -> None:
    (finding, *_) = (f for f in diagnose(noble_with_leftovers()).findings if f.counts)
    nasty = Evidence("a\x1b[31mred\x07", "/x\x1b]0;title\x07y")
    lines = tuple(whole_lines(replace(finding, evidence=(nasty,) * 9)))
    assert f"  Based on: {finding.grade}" in lines
    assert sum("/xy: ared" in line for line in lines) == 9
    assert "\x1b" not in "".join(lines)
    assert "\x07" not in "".join(lines)
