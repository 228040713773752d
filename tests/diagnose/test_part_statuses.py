"""How a part or a check stands is decided once: every output shows the same."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import wizard.diagnose
from screens.detect import row_text
from screens.diagnose.text import Fine, Shown
from screens.diagnose.text import row_text as finding_row
from tests.machine.records import MACHINES, NAMES, machine, seen
from tests.plain.conversing import Conversation
from wizard.__main__ import main
from wizard.cli.detect import run_detect
from wizard.cli.plain import diagnose as diagnose_in_plain_text
from wizard.cli.questions import Guide
from wizard.core.fact import Unknown
from wizard.diagnose.finding import HANG, Finding, Status, conclude, worst
from wizard.diagnose.machine import TITLES, Diagnosis, diagnose, part_statuses
from wizard.knowledge.causes import load_parts
from wizard.machine.detect import detect
from wizard.machine.facts import DeviceNode
from wizard.machine.part import PartDone
from wizard.report.findings import diagnosis_lines
from wizard.report.issue import machine_section
from wizard.report.machine import heading, machine_lines

CARD = "rx5600xt-noble-rocm57"
UNTESTED = "docker-no-kfd"
"""There one check is not tested: what the card's target is, KFD does not say."""
WORDS = "|".join(status.word for status in Status)


def parts_of(name: str) -> list[PartDone]:
    told: list[PartDone] = []
    detect(machine(name), told.append)
    return told


def status_in(lines: list[str], title: str) -> Status:
    """What an output of text says of a section by its heading."""
    heading = next(each for each in lines if each == title or each.startswith(f"{title}: "))
    word = heading.removeprefix(title).removeprefix(": ")
    return next(status for status in Status if status.word == (word or "OK"))


def test_a_driver_that_is_not_loaded_has_no_tick() -> None:
    found = seen(CARD)
    away = replace(found, driver=found.driver._replace(loaded=False, origin=Unknown("away")))
    row = next(part for part in parts_of(CARD) if part.title == "Graphics driver")
    assert row_text(row, 76, part_statuses(found)["Graphics driver"]).plain.startswith("✓ ")
    assert row_text(row, 76, part_statuses(away)["Graphics driver"]).plain.startswith("! ")
    assert "Graphics driver: WARNING" in machine_lines(away)


def test_a_part_that_gave_no_answer_was_not_tested() -> None:
    late = Unknown("MIOpen's cache: no response in time from ~/.config/miopen")
    assert part_statuses(replace(seen(CARD), unread=(late,)))["MIOpen's cache"] is (
        Status.NOT_TESTED
    )


def test_what_stands_in_the_way_of_a_card_is_no_tick_on_any_machine() -> None:
    found = seen(CARD)
    closed = replace(found.access, kfd=DeviceNode("/dev/kfd", True, False, "render"))
    bare = tuple(one._replace(makes_venvs=False) for one in found.interpreters)
    statuses = part_statuses(replace(found, access=closed, interpreters=bare))
    assert statuses["Access to the GPU"] is Status.FAULT
    assert statuses["Pythons"] is Status.WARNING
    assert part_statuses(replace(found, gpus=()))["Graphics cards"] is Status.WARNING


@pytest.mark.parametrize("name", NAMES)
def test_every_output_shows_the_same_of_a_part(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = seen(name)
    statuses = part_statuses(found)
    told = parts_of(name)
    text, report = list(machine_lines(found)), list(machine_section(found))
    arguments = argparse.Namespace(machine=MACHINES / name, demo=False, json=True, verify=False)
    run_detect(arguments)
    assert json.loads(capsys.readouterr().out)["statuses"] == statuses

    assert tuple(part.title for part in told) == TITLES
    for title in TITLES:
        if title == "App settings":  # told among the settings
            continue
        status = status_in([heading(title, statuses)], title)
        assert status_in(text, title) is status
        assert title == "Settings" or status is statuses[title]
        if any(each.partition(":")[0] == title for each in report):
            assert status_in(report, title) is status
    assert status_in(text, "Settings") is worst((statuses["Settings"], statuses["App settings"]))
    for part in told:
        mark = row_text(part, 76, statuses[part.title]).plain[0]
        assert (mark == "✓") is (statuses[part.title] is Status.OK)
        assert not (part.summary.startswith("unknown") and mark == "✓")


@pytest.mark.parametrize("name", NAMES)
def test_no_part_stands_better_than_a_finding_about_it(name: str) -> None:
    statuses = part_statuses(seen(name))
    for finding in diagnose(seen(name)).findings:
        title = load_parts()[finding.cause]
        assert worst((statuses[title], finding.status)) is statuses[title], finding.title


def test_every_cause_that_a_check_of_facts_tells_of_speaks_of_a_part() -> None:
    folder = Path(wizard.diagnose.__file__).parent
    names = ("system", "torch")
    text = "".join((folder / f"checks_{name}.py").read_text() for name in names)
    causes = set(re.findall(r"\b(?:found|warned|fine|not_tested)\(\s*\"([a-z0-9-]+)\"", text))
    assert causes
    assert causes | {HANG} <= set(load_parts())
    assert set(load_parts().values()) <= set(TITLES)


def words_in(lines: list[str]) -> list[str]:
    return [found[0] for line in lines if (found := re.match(WORDS, line))]


@pytest.mark.parametrize("name", NAMES)
def test_every_output_shows_the_same_of_a_check(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = seen(name)
    diagnosis = diagnose(found)
    expected = [finding.status.word for finding in diagnosis.findings]
    assert words_in(list(diagnosis_lines(found, diagnosis))) == expected

    shown = Shown(result=diagnosis, unfolded=True)
    rows = [finding_row(row, 76).plain for row in shown.rows if not isinstance(row, Fine)]
    assert [row.split()[0] for row in rows] == [f.status.mark for f in diagnosis.findings]


def plain_talk(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    talk = Conversation("0")
    given = argparse.Namespace(demo=False, machine=MACHINES / name, dry_run=False)
    diagnose_in_plain_text(Guide(talk.ask, lambda _: 0, given, ()))
    return talk.text + capsys.readouterr().out


def test_the_plain_road_says_what_was_not_tested(capsys: pytest.CaptureFixture[str]) -> None:
    text = plain_talk(UNTESTED, capsys)
    assert "1 not tested" in text
    assert "found nothing wrong" not in text


@pytest.mark.parametrize("name", NAMES)
def test_text_json_and_the_plain_road_conclude_the_same_and_no_better_than_the_worst_finding(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    diagnosis = diagnose(seen(name))
    concluded = conclude(diagnosis.findings)
    assert concluded.status is worst(finding.status for finding in diagnosis.findings)
    assert concluded.text in " ".join(diagnosis_lines(seen(name), diagnosis))
    assert concluded.text in plain_talk(name, capsys)
    with contextlib.suppress(SystemExit):
        main(["diagnose", "--json", "--machine", str(MACHINES / name)])
    form = json.loads(capsys.readouterr().out)
    assert (form["status"], form["conclusion"]) == (concluded.status.value, concluded.text)


def test_nothing_wrong_is_not_said_of_what_was_not_tested() -> None:
    fine = Finding("disk-full", Status.OK, diagnose(seen(CARD)).findings[0].confidence,
                   "There is", (), "", ())  # fmt: skip
    untested = replace(fine, status=Status.NOT_TESTED)
    for findings, status, told in (
        ((fine,), Status.OK, "No problem was found: the one check is fine."),
        ((fine, untested), Status.NOT_TESTED, "but 1 check could not be done."),
        ((), Status.NOT_TESTED, "Nothing could be checked."),
    ):
        assert conclude(findings).status is status
        assert told in " ".join(diagnosis_lines(seen(CARD), Diagnosis(True, findings)))
