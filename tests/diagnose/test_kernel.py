"""The kernel log of this machine as findings; and that it could not be read, and what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wizard.diagnose import this_machine
from wizard.diagnose.finding import Status
from wizard.diagnose.this_machine import findings_before, findings_in_file, kernel_findings
from wizard.host.deadline import Answer

QUIET = "[    1.000001] amdgpu: ready\n"
HUNG = "[  812.404551] amdgpu: qcm fence wait loop timeout expired\n"
REFUSED = Answer("", "dmesg: read kernel buffer failed: Operation not permitted", 1)
HINT = (
    "Hint: You are currently not seeing messages from other users and the system.\n"
    "No journal files were opened due to insufficient permissions.\n"
)
NO_ENTRIES = Answer("-- No entries --\n", "", 0)


def test_what_the_log_proves_is_told_with_its_line() -> None:
    (finding,) = kernel_findings(lambda argv, deadline: Answer(HUNG, code=0))
    assert finding.cause == "compute-queue-preemption-hang"
    assert finding.evidence[0].where == "kernel log, line 1"


def test_who_may_not_read_the_one_may_read_the_other() -> None:
    def read(argv: tuple[str, ...], deadline: float) -> Answer:
        return Answer(HUNG, code=0) if argv[0] == "dmesg" else Answer("", HINT, 1)

    assert kernel_findings(read)[0].status is Status.FAULT


def test_who_may_read_neither_is_told_how_to() -> None:
    def read(argv: tuple[str, ...], deadline: float) -> Answer:
        return REFUSED if argv[0] == "dmesg" else Answer("-- No entries --\n", HINT, 0)

    (finding,) = kernel_findings(read)
    assert finding.status is Status.NOT_TESTED
    assert "insufficient permissions" in finding.meaning
    assert "sudo dmesg" in finding.meaning
    assert "systemd-journal" in finding.meaning


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (Answer("", "journalctl is not installed"), "journalctl is not installed"),
        (Answer("[ 1.0", "", None, late=True), "printed nothing"),
        (NO_ENTRIES, "printed nothing"),
        (Answer("", "", 1), "ended with code 1"),
    ],
)
def test_each_reason_is_told_in_its_words(told: Answer, why: str) -> None:
    empty = Answer("", "", 0)
    late = Answer("", "", None, late=True)
    answers = {"journalctl": late if told.late else told, "dmesg": empty}
    (finding,) = kernel_findings(lambda argv, deadline: answers[argv[0]])
    assert finding.status is Status.NOT_TESTED
    assert why in finding.meaning
    assert "sudo" not in finding.meaning
    if told.late:
        assert "journalctl did not respond within 5 s" in finding.meaning


def test_a_quiet_log_proves_nothing_wrong() -> None:
    (finding,) = kernel_findings(lambda argv, deadline: Answer(QUIET, code=0))
    assert finding.status is Status.OK


def test_what_the_start_before_tells_is_a_warning_for_it_is_over() -> None:
    (finding,) = findings_before(lambda argv, deadline: Answer(HUNG, code=0))
    assert finding.status is Status.WARNING
    assert finding.evidence[0].where == "kernel log of the previous boot, line 1"


def test_a_journal_that_forgets_is_told_with_what_makes_it_keep() -> None:
    forgets = Answer("", "Specifying boot ID has no effect, no persistent journal was found", 1)
    (finding,) = findings_before(lambda argv, deadline: forgets)
    assert finding.status is Status.NOT_TESTED
    assert "no persistent journal was found" in finding.meaning
    assert "/var/log/journal" in finding.meaning


def test_a_log_in_a_file_is_read_like_the_machine_s_own(tmp_path: Path) -> None:
    log = tmp_path / "kernel.log"
    log.write_text(QUIET + HUNG)
    (finding,) = findings_in_file(str(log))
    assert finding.cause == "compute-queue-preemption-hang"
    assert finding.evidence[0].where == "kernel.log, line 2"


def test_of_a_huge_file_the_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(this_machine, "MOST_BYTES", 1 << 20)
    log = tmp_path / "kernel.log"
    with log.open("w") as file:
        file.write(HUNG.replace("812", "111"))
        file.truncate(1 << 31)  # a hole that takes no room
        file.seek(0, os.SEEK_END)
        file.write("\n" + QUIET * 20_000 + HUNG)
    found = findings_in_file(str(log))
    assert [one.status for one in found] == [Status.FAULT, Status.NOT_TESTED]
    assert "812" in found[0].evidence[0].text
    assert "only the last" in found[1].meaning


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "is empty"), (b"\n\n", "is empty"), (b"\x7fELF" + bytes(600), "not a text")],
)
def test_a_file_without_a_log_says_so(tmp_path: Path, content: bytes, why: str) -> None:
    log = tmp_path / "kernel.log"
    log.write_bytes(content)
    (finding,) = findings_in_file(str(log))
    assert finding.status is Status.NOT_TESTED
    assert why in finding.meaning


def test_a_pipe_a_folder_and_nothing_are_no_files(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, why in (
        (pipe, ("is not a file")),
        (tmp_path, "s "),
        (tmp_path / "none", "No such file"),
    ):
        (finding,) = findings_in_file(str(path))
        assert finding.status is Status.NOT_TESTED
        assert why in finding.meaning
